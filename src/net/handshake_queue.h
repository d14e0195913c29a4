// The connections whose TLS handshakes wait for their turn: hosts in turns, so that one that floods
// the server delays its own handshakes and hardly those of others.
//
// Hosts are told apart by a keyed hash with few values, so nothing is allocated, and hosts that
// share a value share its turns. Of one value those go first whose handshake has begun already: they
// need little more. Not thread-safe.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "base/intrusive_list.h"
#include "net/connection.h"

namespace hs::net {

class HandshakeQueue {
 public:
  // `key`: of the hash, so that no client knows with which hosts it shares its turns.
  explicit HandshakeQueue(uint64_t key) : key_(key) {}

  bool empty() const { return size_ == 0; }
  // Does nothing if it is there already.
  void add(Connection& connection, bool has_begun) {
    if (waits(connection)) return;
    Place& place = places_[place_of(connection.transport().host_number())];
    (has_begun ? place.begun : place.new_ones).push_back(connection);
    ++size_;
  }
  // Does nothing if it is not there.
  void remove(Connection& connection) {
    if (!waits(connection)) return;
    static_cast<ListHook<HandshakeTag>&>(connection).unlink();
    --size_;
  }
  // The next one, which leaves the queue. Only if it is not empty().
  Connection& take() {
    do {
      turn_ = (turn_ + 1) % kPlaces;
    } while (places_[turn_].begun.empty() && places_[turn_].new_ones.empty());
    Place& place = places_[turn_];
    --size_;
    return (place.begun.empty() ? place.new_ones : place.begun).pop_front();
  }

  static bool waits(const Connection& connection) {
    return static_cast<const ListHook<HandshakeTag>&>(connection).linked();
  }

 private:
  static constexpr size_t kPlaceBits = 6;
  static constexpr size_t kPlaces = size_t{1} << kPlaceBits;
  using Waiting = IntrusiveList<Connection, HandshakeTag>;
  struct Place {
    Waiting begun;
    Waiting new_ones;
  };

  size_t place_of(uint64_t host) const {
    uint64_t mixed = (host ^ key_) * 0x9e3779b97f4a7c15u;
    mixed = (mixed ^ (mixed >> 32) ^ key_) * 0x9e3779b97f4a7c15u;
    return static_cast<size_t>(mixed >> (64 - kPlaceBits));
  }

  const uint64_t key_;
  size_t size_ = 0;
  size_t turn_ = 0;
  std::array<Place, kPlaces> places_;
};

}  // namespace hs::net
