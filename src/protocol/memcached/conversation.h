// What the protocol remembers of one connection.
#pragma once

#include <cstddef>
#include <string>
#include <utility>

#include "protocol/codec.h"
#include "protocol/memcached/binary.h"

namespace hs::protocol::memcached {

struct MemcachedConversation final : Conversation {
  void forget_incomplete() override { seen = 0; }
  Settled settle() override {
    if (!chosen.empty()) selected = std::exchange(chosen, {});
    return {};
  }

  size_t seen = 0;         // of an incomplete line
  bool is_binary = false;  // the last message, of which not all may be there
  PacketName refused;      // of a packet that is too long
  std::string selected;    // the prefix of the container that keys without @@ are of; empty: none
  std::string chosen;      // the same, by the command that is not final yet
};

}  // namespace hs::protocol::memcached
