// Tells the list of connections what becomes known of a peer's client, for the operator. What there is
// no memory for is not shown.
//
// For the thread that the peer belongs to.
#pragma once

#include "server/connections.h"
#include "server/peer.h"

namespace hs::server {

class PeerDisplay {
 public:
  // `connections`: must outlive this; null: there is no such list.
  explicit PeerDisplay(Connections* connections) : connections_(connections) {}

  // The version and the cipher of TLS, once the handshake is over: the first bytes of a client come
  // then. Nothing where there is no TLS, or where it is shown.
  void show_tls(Peer& peer) {
    if (peer.transport().tls() != nullptr && !peer.shows_tls) add_tls(peer);
  }
  // What the client calls itself, where that is new.
  void show_program(Peer& peer) {
    if (peer.client.take_new_name()) add_program(peer);
  }
  // As which user the peer has logged in. Its login is over.
  void show_user(Peer& peer);
  // A login that is refused at once, without a login thread, ends the one before it, too.
  void forget_user(Peer& peer) {
    if (peer.shows_user) remove_user(peer);
  }

 private:
  void add_tls(Peer& peer);
  void add_program(Peer& peer);
  void remove_user(Peer& peer);

  Connections* const connections_;
};

}  // namespace hs::server
