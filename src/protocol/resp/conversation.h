// What the protocol remembers of one connection.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "protocol/codec.h"
#include "protocol/resp/framing.h"

namespace hs::protocol::resp {

class RespConversation final : public Conversation {
 public:
  void forget_incomplete() override { progress = {}; }

  // A transaction has ended, if one has: what was queued is needed until the reply is final.
  void settle() override {
    if (!ends_transaction) return;
    ends_transaction = in_transaction = is_spoilt = false;
    queued.clear();
    queued.shrink_to_fit();
    queued_size = 0;
    watched.clear();
  }

  Progress progress;
  int version = 2;
  std::string name, library, library_version;

  // From MULTI to EXEC or DISCARD: the messages of the commands between them.
  static constexpr size_t kMostQueued = 1024;
  static constexpr size_t kMostQueuedBytes = 128u << 10;
  bool in_transaction = false;
  bool is_spoilt = false;  // one of them was refused
  bool ends_transaction = false;
  std::vector<std::string> queued;
  size_t queued_size = 0;

  // A row as it was at WATCH.
  struct Watched {
    std::string key;
    bool exists = false;
    std::string row;  // a digest
  };
  static constexpr size_t kMostWatched = 64;
  static constexpr size_t kLongestWatched = 1024;  // bytes of a key
  std::vector<Watched> watched;
};

}  // namespace hs::protocol::resp
