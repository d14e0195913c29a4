// SPDX-License-Identifier: GPL-2.0-only
#include "mariadb/login.h"

#include <hostname.h>
#include <netinet/in.h>
#include <password.h>
#include <sql_acl.h>
#include <sql_audit.h>
#include <sql_connect.h>
#include <string.h>
#include <sys/socket.h>
#include <violite.h>

#include <algorithm>
#include <atomic>

#include "mariadb/client_half.h"
#include "mariadb/user_statistics.h"

namespace hs::mariadb {
namespace {

using engine::Credentials;

// A Vio whose other end is not a socket but the client's half of the exchange, on the same thread.
// So no call waits. Its descriptor is the client's own socket, of which plugins may ask for the
// user at the other end.
struct HalfVio : Vio {
  adapter::ClientHalf* half;
  Security_context* context;  // of the login
  const char* ip;             // in it

  HalfVio(adapter::ClientHalf& client, Security_context* login, int socket, enum_vio_type kind)
      : Vio{} {
    half = &client;
    context = login;
    ip = login->ip;
    type = kind;
    state = VIO_STATE_ACTIVE;
    mysql_socket.fd = socket;
    read_timeout = write_timeout = -1;
    viodelete = [](Vio*) {};
    vioerrno = [](Vio*) { return 0; };
    Vio::read = [](Vio* vio, uchar* to, size_t size) {
      const auto self = static_cast<HalfVio*>(vio);
      const size_t count = self->half->read(to, size);
      if (self->half->is_over()) self->end();
      return count;
    };
    Vio::write = [](Vio* vio, const uchar* from, size_t size) {
      static_cast<HalfVio*>(vio)->half->write(from, size);
      return size;
    };
    timeout = [](Vio*, uint, my_bool) { return 0; };
    vioblocking = [](Vio*, my_bool, my_bool*) { return 0; };
    is_blocking = [](Vio*) -> my_bool { return 1; };
    viokeepalive = [](Vio*, my_bool) { return 0; };
    fastsend = [](Vio*) { return 0; };
    peer_addr = [](Vio*, char*, uint16*, size_t) -> my_bool { return 1; };
    should_retry = [](Vio*) -> my_bool { return 0; };
    was_timeout = [](Vio*) -> my_bool { return 0; };
    vioclose = [](Vio*) { return 0; };
    is_connected = [](Vio*) -> my_bool { return 1; };
    shutdown = [](Vio*, int) { return 0; };
    has_data = [](Vio*) -> my_bool { return 0; };
    io_wait = [](Vio*, enum_vio_io_event, int) { return 1; };
  }
  ~HalfVio() { context->ip = ip; }

  // The client may go from here on.
  void end() {
    mysql_socket.fd = -1;
    ssl_arg = nullptr;
    // The server counts the failure against the host that the context tells.
    if (half->is_given_up()) context->ip = nullptr;
  }
};

// A login under way. Shutdown waits for connections, which are counted, and then frees the accounts
// and much else that a login uses. So the login is counted, too.
class CountedLogin {
 public:
  CountedLogin() {
    THD_count::count++;
    // Either shutdown sees the count, or the login sees the shutdown.
    std::atomic_thread_fence(std::memory_order_seq_cst);
  }
  ~CountedLogin() { THD_count::count--; }
  CountedLogin(const CountedLogin&) = delete;
  CountedLogin& operator=(const CountedLogin&) = delete;
};

// The THD of one login, in the calling thread.
class LoginThd {
 public:
  LoginThd() : thd_(create_background_thd()) {
    if (thd_ == nullptr) return;
    thd_->thread_stack = static_cast<char*>(__builtin_frame_address(0));
    threads_variables_ = thd_attach_thd(thd_);
    thd_->thread_id = thd_->variables.pseudo_thread_id = next_thread_id();
    thd_->set_time();
    lex_start(thd_);
  }
  ~LoginThd() {
    if (thd_ == nullptr) return;
    if (thd_->user_connect != nullptr) decrease_user_connections(thd_->user_connect);
    thd_->user_connect = nullptr;
    thd_->net.vio = nullptr;
    net_end(&thd_->net);
    lex_end(thd_->lex);
    thd_detach_thd(threads_variables_);
    set_current_thd(nullptr);
    destroy_background_thd(thd_);
  }
  LoginThd(const LoginThd&) = delete;
  LoginThd& operator=(const LoginThd&) = delete;

  explicit operator bool() const { return thd_ != nullptr; }
  THD* operator->() const { return thd_; }
  THD* get() const { return thd_; }

 private:
  THD* const thd_;
  void* threads_variables_ = nullptr;
};

struct PeerAddress {
  sockaddr_storage bytes{};
  uint port = 0;
};

// As the server takes it: an IPv4 address in the clothes of IPv6 is an IPv4 address.
bool find_peer(int socket, PeerAddress* peer) {
  socklen_t size = sizeof peer->bytes;
  if (::getpeername(socket, reinterpret_cast<sockaddr*>(&peer->bytes), &size) != 0) return false;
  if (peer->bytes.ss_family == AF_INET6) {
    const sockaddr_in6 six = reinterpret_cast<const sockaddr_in6&>(peer->bytes);
    peer->port = ntohs(six.sin6_port);
    if (IN6_IS_ADDR_V4MAPPED(&six.sin6_addr)) {
      sockaddr_in four{};
      four.sin_family = AF_INET;
      four.sin_port = six.sin6_port;
      memcpy(&four.sin_addr, six.sin6_addr.s6_addr + 12, sizeof four.sin_addr);
      peer->bytes = {};
      memcpy(&peer->bytes, &four, sizeof four);
    }
  } else if (peer->bytes.ss_family == AF_INET) {
    peer->port = ntohs(reinterpret_cast<const sockaddr_in&>(peer->bytes).sin_port);
  }
  return true;
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
  packet += "mysql_native_password";
  packet += '\0';
  return packet;
}

// Leaves a number below the caller's frame that is no process's. auth_pam of the server has a number
// there of its own that it never sets when it cannot start its program, and sends SIGKILL to that
// process. On a new thread's stack it would be 0, which is the server itself and all its group.
[[gnu::noinline]] void leave_no_process_on_stack() {
  constexpr size_t kReach = 48u << 10;
  char stack[kReach];
  memset(stack, 0x7f, sizeof stack);
  asm volatile("" : : "r"(stack) : "memory");
}

bool authenticate(THD* thd, const Credentials& credentials, const PeerAddress& peer) {
  MariaClientHalf half(credentials);
  const bool is_local = peer.bytes.ss_family == AF_UNIX;
  enum_vio_type kind = is_local ? VIO_TYPE_SOCKET : VIO_TYPE_TCPIP;
  if (credentials.tls != nullptr) kind = VIO_TYPE_SSL;
  HalfVio vio(half, thd->security_ctx, credentials.socket, kind);
  vio.localhost = is_local;
  vio.ssl_arg = credentials.tls;
  if (my_net_init(&thd->net, &vio, thd, MYF(0))) return false;
  thd->client_capabilities = CLIENT_PROTOCOL_41 | CLIENT_SECURE_CONNECTION | CLIENT_PLUGIN_AUTH;
  // The server draws a challenge of its own unless there is one.
  thd->scramble[SCRAMBLE_LENGTH] = 1;
  if (credentials.proof == Credentials::Proof::kResponse) {
    static_assert(SCRAMBLE_LENGTH == Credentials::kChallengeSize);
    std::copy(credentials.challenge.begin(), credentials.challenge.end(), thd->scramble);
    thd->scramble[SCRAMBLE_LENGTH] = 0;
  }
  std::string packet = change_user_packet(credentials.user);
  const auto size = static_cast<uint>(packet.size());
  thd->net.read_pos = reinterpret_cast<uchar*>(packet.data());
  leave_no_process_on_stack();
  const bool failed = acl_authenticate(thd, size);
  // What the server has read of the client's answer.
  ::explicit_bzero(thd->net.buff, thd->net.max_packet);
  thd->net.vio = nullptr;
  if (failed) return false;
  if (!thd->main_security_ctx.password_expired) return true;
  // Such an account may do nothing in SQL but set its password, which it cannot do here.
  my_printf_error(ER_MUST_CHANGE_PASSWORD_LOGIN, "the password of the account has expired", MYF(0));
  return false;
}

}  // namespace

Result<engine::AccountPtr> log_in(const Credentials& credentials, Privileges& privileges) {
  const bool has_nul = credentials.user.find('\0') != std::string::npos ||
                       (credentials.proof == Credentials::Proof::kPassword &&
                        credentials.secret.find('\0') != std::string::npos);
  PeerAddress peer;
  if (has_nul || !find_peer(credentials.socket, &peer)) return ErrorCode::kUnauthorized;
  const CountedLogin counted;
  if (abort_loop) return ErrorCode::kShutdown;
  LoginThd thd;
  if (!thd) return ErrorCode::kMaxMemory;
  uint connect_errors = 0;
  const bool is_in =
      !thd_set_peer_addr(thd.get(), &peer.bytes, nullptr, peer.port, false, &connect_errors) &&
      authenticate(thd.get(), credentials, peer);
  mysql_audit_notify_connection_connect(thd.get());
  mysql_audit_release(thd.get());
  if (!is_in) {
    statistic_increment(aborted_connects, &LOCK_status);
    if (user_statistics::wanted()) user_statistics::add_denied(thd.get());
    return ErrorCode::kUnauthorized;
  }
  const Security_context& context = *thd->security_ctx;
  if (connect_errors != 0) reset_host_connect_errors(context.ip);
  std::shared_ptr<Principal> principal = privileges.intern(context);
  auto account = std::make_shared<MariaAccount>(privileges, std::move(principal), thd->thread_id,
                                                thd->user_connect, credentials.tls != nullptr);
  thd->user_connect = nullptr;
  return engine::AccountPtr(std::move(account));
}

}  // namespace hs::mariadb
