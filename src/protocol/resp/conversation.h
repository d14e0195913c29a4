// What the protocol remembers of one connection.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/buffer.h"
#include "protocol/codec.h"
#include "protocol/resp/framing.h"
#include "protocol/resp/watched.h"

namespace hs::protocol::resp {

class RespConversation final : public Conversation {
 public:
  RespConversation() { queued.emplace(); }
  void count_in(Memory* memory) override {
    queued.emplace(memory, Buffer::Content::kFromClient);
    queued->set_known(true);  // a client queues nothing before it may proceed
    watched.count_in(memory);
  }
  void forget_incomplete() override { progress = {}; }

  // A transaction has ended, if one has: what was queued is needed until the reply is final.
  Settled settle() override {
    if (ends_transaction) {
      ends_transaction = in_transaction = is_spoilt = false;
      queued->drop();
      queued_count = 0;
      watched.clear();
    }
    return {.ends_connection = ends_connection,
            .logs_out = std::exchange(logs_out, false),
            .new_name = std::exchange(new_name, std::nullopt)};
  }
  void set_name(std::string_view text) {
    name = text;
    new_name = name;
  }

  Progress progress;
  int version = 2;
  std::string name, library, library_version;
  std::optional<std::string> new_name;  // until the server knows it
  bool ends_connection = false;         // once the reply is final
  bool logs_out = false;                // the same

  // From MULTI to EXEC or DISCARD: the messages of the commands between them, one behind the other.
  static constexpr size_t kMostQueued = 10'000;
  bool in_transaction = false;
  bool is_spoilt = false;  // one of them was refused
  bool ends_transaction = false;
  std::optional<Buffer> queued;
  size_t queued_count = 0;

  static constexpr size_t kMostWatched = 64;
  static constexpr size_t kLongestWatched = 1024;  // bytes of a key
  WatchedRows watched;
};

}  // namespace hs::protocol::resp
