#include "server/peer_display.h"

#include <new>
#include <string>

#include "exec/auth.h"
#include "exec/login.h"

namespace hs::server {

void PeerDisplay::add_tls(Peer& peer) {
  peer.shows_tls = true;
  if (connections_ == nullptr) return;
  const net::TlsStream& tls = *peer.transport().tls();
  connections_->describe(peer.record, [&tls](ConnectionInfo& info) {
    info.tls_version = tls.version();
    info.tls_cipher = tls.cipher();
  });
}

void PeerDisplay::add_program(Peer& peer) try {
  if (connections_ == nullptr) return;
  std::string name = peer.client.name();
  connections_->describe(peer.record, [&](ConnectionInfo& info) { info.program.swap(name); });
} catch (const std::bad_alloc&) {
}

void PeerDisplay::show_user(Peer& peer) try {
  if (connections_ == nullptr) return;
  const exec::Login& login = *peer.client.login();
  std::string user = login.result ? login.credentials.user : std::string();
  peer.shows_user = !user.empty();
  connections_->describe(peer.record, [&](ConnectionInfo& info) { info.user.swap(user); });
} catch (const std::bad_alloc&) {
}

void PeerDisplay::remove_user(Peer& peer) {
  const exec::Login* const login = peer.client.login();
  const bool logs_in = login != nullptr && login->state != exec::Login::State::kChallenged;
  if (logs_in || peer.client.authorized()) return;
  peer.shows_user = false;
  connections_->describe(peer.record, [](ConnectionInfo& info) { info.user.clear(); });
}

}  // namespace hs::server
