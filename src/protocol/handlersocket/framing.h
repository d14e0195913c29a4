// Finds the end of one request line in a run of received bytes. Copies nothing, keeps no state.
//
//   unread:  1 \t = \t 1 \t 1 0 1 \r \n 1 \t = ...
//            |--------- line -----|      |
//            |--------- consumed --------|
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace hs::protocol::handlersocket {

struct Frame {
  enum class State : uint8_t {
    kLine,        // `line` and `consumed` are set
    kIncomplete,  // no LF yet: read more, then ask again with `searched` = unread.size()
    kTooLong,     // longer than allowed, whether or not its LF has arrived; cannot be skipped
  };
  State state = State::kIncomplete;
  std::string_view line;  // without its LF and one CR before that; points into `unread`
  size_t consumed = 0;    // bytes of `unread` that the line takes with its end
};

// The first line of `unread`, whose first `searched` bytes are known to hold no LF. A line has at
// most `max_size` bytes before its LF, a CR included.
Frame next_line(std::string_view unread, size_t searched, size_t max_size);

}  // namespace hs::protocol::handlersocket
