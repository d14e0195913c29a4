// The classic text and the meta commands: lines, some of which have a block of data behind them.
//
//   set <key> <flags> <exptime> <bytes> [noreply]\r\n<data>\r\n
//   ms <key> <bytes> <flags>*\r\n<data>\r\n
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "protocol/memcached/ask.h"

namespace hs::protocol::memcached {

// A message at the front of `unread`.
struct Extent {
  enum class State : uint8_t { kWhole, kIncomplete, kTooLong };
  State state = State::kIncomplete;
  size_t size = 0;  // kWhole
};
// `seen`: bytes in which an earlier call has found no end of a line; is set anew.
Extent next_text(std::string_view unread, size_t longest, size_t* seen);

// `text` is what next_text() has found. `memory` is where keys are decoded to; both must outlive the
// Ask.
void parse_text(std::string_view text, Ask* ask, std::string* memory);

}  // namespace hs::protocol::memcached
