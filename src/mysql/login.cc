// SPDX-License-Identifier: GPL-2.0-only
#include "mysql/login.h"

#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <utility>

#include "mysql/client_half.h"
#include "mysql/server_session.h"
#include "sql/auth/auth_common.h"
#include "sql/hostname_cache.h"
#include "sql/protocol_classic.h"
#include "violite.h"

namespace hs::mysql {
namespace {

using engine::Credentials;

thread_local adapter::ClientHalf* half_of_thread = nullptr;

// A Vio whose other end is not a socket but the client's half of the exchange, on the same thread.
// Its descriptor is the client's own socket, of which plugins may ask for the user at the other end.
class HalfVio {
 public:
  HalfVio(adapter::ClientHalf& half, const Credentials& credentials, enum_vio_type kind)
      : vio_(vio_new(credentials.socket, kind == VIO_TYPE_SOCKET ? kind : VIO_TYPE_TCPIP, 0)) {
    half_of_thread = &half;
    if (vio_ == nullptr) return;
    vio_->type = kind;
    vio_->ssl_arg = credentials.tls;
    vio_->read = [](Vio* vio, uchar* to, size_t size) {
      const size_t count = half_of_thread->read(to, size);
      if (half_of_thread->is_over()) forget_client(vio);
      return count;
    };
    vio_->write = [](Vio*, const uchar* from, size_t size) {
      half_of_thread->write(from, size);
      return size;
    };
    vio_->timeout = [](Vio*, uint, bool) { return 0; };
    vio_->viokeepalive = [](Vio*, bool) { return 0; };
    vio_->fastsend = [](Vio*) { return 0; };
    vio_->vioshutdown = [](Vio*) { return 0; };
    vio_->is_connected = [](Vio*) { return true; };
    vio_->has_data = [](Vio*) { return false; };
    vio_->io_wait = [](Vio*, enum_vio_io_event, int) { return 1; };
    vio_->set_blocking = [](Vio*, bool) { return 0; };
    vio_->set_blocking_flag = [](Vio*, bool) { return 0; };
  }
  ~HalfVio() {
    half_of_thread = nullptr;
    if (vio_ == nullptr) return;
    forget_client(vio_);
    vio_->type = VIO_TYPE_TCPIP;
    vio_->inactive = true;  // the socket stays open
    internal_vio_delete(vio_);
  }
  HalfVio(const HalfVio&) = delete;
  HalfVio& operator=(const HalfVio&) = delete;

  Vio* get() const { return vio_; }
  // The client may go from here on.
  void forget_client() { forget_client(vio_); }

 private:
  static void forget_client(Vio* vio) {
    mysql_socket_setfd(&vio->mysql_socket, -1);
    vio->ssl_arg = nullptr;
  }

  Vio* const vio_;
};

// The THD of one login, in the calling thread. Shutdown waits for it, before the server frees the
// accounts and much else that a login uses.
class LoginThd {
 public:
  LoginThd() : thd_(ServerSession::make_thd()) {
    if (thd_ == nullptr) return;
    thd_->set_new_thread_id();
    entered_.emplace(thd_);
    give_up_rights();
    thd_->set_time();
    lex_start(thd_);
    Global_THD_manager::get_instance()->add_thd(thd_);
  }
  ~LoginThd() {
    if (thd_ == nullptr) return;
    if (thd_->get_user_connect() != nullptr) release_user_connection(thd_);
    lex_end(thd_->lex);
    entered_.reset();
    Global_THD_manager::get_instance()->remove_thd(thd_);
    ServerSession::end_thd(thd_);
  }
  LoginThd(const LoginThd&) = delete;
  LoginThd& operator=(const LoginThd&) = delete;

  explicit operator bool() const { return thd_ != nullptr; }
  THD* operator->() const { return thd_; }
  THD* get() const { return thd_; }

 private:
  // The server makes a THD of its own for one who may do everything, and a login adds to that.
  void give_up_rights() {
    *thd_->security_context() = Security_context();
    thd_->set_system_user(false);
    thd_->set_connection_admin(false);
  }

  THD* const thd_;
  std::optional<EnteredThd> entered_;
};

// As the server takes it: an IPv4 address in the clothes of IPv6 is an IPv4 address.
bool find_peer(int socket, sockaddr_storage* peer) {
  *peer = {};
  socklen_t size = sizeof *peer;
  if (::getpeername(socket, reinterpret_cast<sockaddr*>(peer), &size) != 0) return false;
  if (peer->ss_family != AF_INET6) return true;
  const sockaddr_in6 six = reinterpret_cast<const sockaddr_in6&>(*peer);
  if (!IN6_IS_ADDR_V4MAPPED(&six.sin6_addr)) return true;
  sockaddr_in four{};
  four.sin_family = AF_INET;
  four.sin_port = six.sin6_port;
  memcpy(&four.sin_addr, six.sin6_addr.s6_addr + 12, sizeof four.sin_addr);
  *peer = {};
  memcpy(peer, &four, sizeof four);
  return true;
}

// Puts the client's address into the login's context. False: such a host may not come.
bool set_peer(THD* thd, sockaddr_storage& peer, uint* connect_errors) {
  Security_context& context = *thd->security_context();
  if (peer.ss_family == AF_UNIX) {
    context.assign_host(my_localhost, strlen(my_localhost));
    context.set_host_or_ip_ptr(context.host().str, context.host().length);
    context.set_ip_ptr("", 0);
    return true;
  }
  char ip[NI_MAXHOST], port[NI_MAXSERV];
  if (::getnameinfo(reinterpret_cast<sockaddr*>(&peer), sizeof peer, ip, sizeof ip, port,
                    sizeof port, NI_NUMERICHOST | NI_NUMERICSERV) != 0)
    return false;
  context.assign_ip(ip, static_cast<int>(strlen(ip)));
  context.set_host_or_ip_ptr(context.ip().str, context.ip().length);
  if ((specialflag & SPECIAL_NO_RESOLVE) == 0) {
    char* host = nullptr;
    const int resolved = ip_to_hostname(&peer, context.ip().str, &host, connect_errors);
    context.assign_host(host, host != nullptr ? strlen(host) : 0);
    if (host != nullptr && host != my_localhost) my_free(host);
    if (resolved == RC_BLOCKED_HOST || resolved == RC_LONG_HOSTNAME) return false;
    if (context.host().length != 0)
      context.set_host_or_ip_ptr(context.host().str, context.host().length);
  }
  return !acl_check_host(thd, context.host().str, context.ip().str);
}

// The packet with which a client would change its user. The server then asks for the proof itself.
std::string change_user_packet(const std::string& user) {
  constexpr char kUtf8mb4 = 45;
  std::string packet = user;
  packet += '\0';
  packet += '\0';  // no answer yet
  packet += '\0';  // no database
  packet += kUtf8mb4;
  packet += '\0';
  packet += "caching_sha2_password";
  packet += '\0';
  return packet;
}

// The server's methods copy a password into memory that they free as it is. What a thread has freed last
// its allocator gives out first, for the same size.
void overwrite_freed_copies(size_t proof_size) {
  std::array<void*, 32> freed;
  for (void*& block : freed)
    if ((block = ::malloc(proof_size)) != nullptr) ::explicit_bzero(block, proof_size);
  for (void* block : freed) ::free(block);
}

// What an account may do whose password has expired, or whose device is not registered, is to mend that.
// It cannot do so here. An error is raised that says so to audit plugins.
bool is_in_sandbox(THD* thd) {
  Security_context& context = *thd->security_context();
  if (!context.password_expired() && !context.is_in_registration_sandbox_mode()) return false;
  thd->get_stmt_da()->reset_diagnostics_area();
  my_error(ER_MUST_CHANGE_PASSWORD_LOGIN, MYF(0));
  return true;
}

// Asks the account's method. False: it says no.
bool authenticate(THD* thd, const Credentials& credentials, const MysqlClientHalf& half) {
  Protocol_classic* const protocol = thd->get_protocol_classic();
  protocol->set_client_capabilities(CLIENT_PROTOCOL_41 | CLIENT_RESERVED2 | CLIENT_PLUGIN_AUTH);
  std::string packet = change_user_packet(credentials.user);
  COM_DATA command;
  protocol->create_command(&command, COM_CHANGE_USER, reinterpret_cast<uchar*>(packet.data()),
                           packet.size());
  const bool failed = acl_authenticate(thd, COM_CHANGE_USER);
  overwrite_freed_copies(half.last_proof_size());
  // What the server has read of the client's answer.
  NET* const net = protocol->get_net();
  ::explicit_bzero(net->buff, net->max_packet);
  return !failed && !is_in_sandbox(thd);
}

// The server's method is not asked where the client has shown a proof that no method takes. The login fails
// as by a wrong password.
bool deny(THD* thd, const Credentials& credentials) {
  Security_context& context = *thd->security_context();
  context.assign_user(credentials.user.data(), credentials.user.size());
  my_error(ER_ACCESS_DENIED_ERROR, MYF(0), credentials.user.c_str(), context.host_or_ip().str,
           ER_THD(thd, ER_YES));
  return false;
}

// All of a login whose host may come. Audit plugins are told of it, as in SQL, and may refuse it; some hold
// up a client that has failed before.
bool log_in_from_host(THD* thd, const Credentials& credentials, enum_vio_type kind) {
  MysqlClientHalf half(credentials);
  HalfVio vio(half, credentials, kind);
  Protocol_classic* const protocol = thd->get_protocol_classic();
  // The server sets some of the callbacks itself when it takes over a Vio.
  if (vio.get() == nullptr || protocol->init_net(vio.get())) return false;
  bool is_in = false;
  if (!mysql_event_tracking_connection_notify(
          thd, AUDIT_EVENT(EVENT_TRACKING_CONNECTION_PRE_AUTHENTICATE))) {
    is_in = credentials.proof == Credentials::Proof::kResponse
                ? deny(thd, credentials)
                : authenticate(thd, credentials, half);
    vio.forget_client();
    if (mysql_event_tracking_connection_notify(thd, AUDIT_EVENT(EVENT_TRACKING_CONNECTION_CONNECT)))
      is_in = false;
  }
  protocol->end_net();
  return is_in;
}

enum_vio_type kind_of(const Credentials& credentials, const sockaddr_storage& peer) {
  if (credentials.tls != nullptr) return VIO_TYPE_SSL;
  return peer.ss_family == AF_UNIX ? VIO_TYPE_SOCKET : VIO_TYPE_TCPIP;
}

}  // namespace

Result<engine::AccountPtr> log_in(const Credentials& credentials, Privileges& privileges) {
  // With --skip-grant-tables there are no accounts, and the server's code would not find that one is not
  // there.
  if (skip_grant_tables()) return ErrorCode::kUnauthorized;
  const bool has_nul = credentials.user.find('\0') != std::string::npos ||
                       (credentials.proof == Credentials::Proof::kPassword &&
                        credentials.secret.find('\0') != std::string::npos);
  sockaddr_storage peer;
  if (has_nul || !find_peer(credentials.socket, &peer)) return ErrorCode::kUnauthorized;
  LoginThd thd;
  if (!thd) return ErrorCode::kMaxMemory;
  if (ServerSession::is_shut_down()) return ErrorCode::kShutdown;
  uint connect_errors = 0;
  const LoggedIn connection{thd->thread_id(), kind_of(credentials, peer)};
  const bool is_in = set_peer(thd.get(), peer, &connect_errors) &&
                     log_in_from_host(thd.get(), credentials, connection.kind);
  mysql_audit_release(thd.get());
  if (!is_in) {
    Connection_handler_manager::get_instance()->inc_aborted_connects();
    return ErrorCode::kUnauthorized;
  }
  Security_context& context = *thd->security_context();
  if (connect_errors != 0) reset_host_connect_errors(context.ip().str);
  std::shared_ptr<Principal> principal = privileges.intern(context);
  // The THD shows it as constant, so that all changes to it are made under one lock.
  auto* const limits = const_cast<USER_CONN*>(thd->get_user_connect());
  auto account =
      std::make_shared<MysqlAccount>(privileges, std::move(principal), connection, limits);
  thd->set_user_connect(nullptr);
  return engine::AccountPtr(std::move(account));
}

}  // namespace hs::mysql
