// The event loop's part in clients that are not known yet: their first bytes, their handshakes, and
// the time that they have for both.
#include <algorithm>
#include <cerrno>
#include <new>

#include "net/event_loop.h"

namespace hs::net {
namespace {

// Strangers whose bytes are looked at in one serve_strangers().
constexpr int kStrangersAtOnce = 64;
// Connections that are closed at once because their time is over: to free one costs some
// 20 microseconds.
constexpr int kSweptAtOnce = 64;

}  // namespace

void EventLoop::work_for_strangers(std::vector<Connection*>& ready) {
  const int64_t end = options_.now_ns() + options_.strangers_ns;
  if (strangers_have_sent_) {
    look_at_strangers(ready);
    sweep_strangers();
  }
  if (handshakes_.empty()) return;
  do {
    Connection& connection = handshakes_.take();
    if (shake_hands(connection)) ready.push_back(&connection);
  } while (!handshakes_.empty() && ready.size() < kMaxEvents && options_.now_ns() < end);
}

void EventLoop::look_at_strangers(std::vector<Connection*>& ready) {
  const int happened = ::epoll_wait(strangers_.get(), events_.data(), kStrangersAtOnce, 0);
  for (int i = 0; i < happened; ++i) {
    const epoll_event& event = events_[static_cast<size_t>(i)];
    serve(*static_cast<Connection*>(event.data.ptr), event.events, ready);
  }
  if (happened == kStrangersAtOnce) return;
  // What is left is reported again at once.
  strangers_have_sent_ = false;
  epoll_event event{};
  event.events = EPOLLIN | EPOLLONESHOT;
  event.data.ptr = &strangers_;
  ::epoll_ctl(epoll_.get(), EPOLL_CTL_MOD, strangers_.get(), &event);
}

// Looks at the first byte that a client has sent. False: there is nothing to receive from it now.
bool EventLoop::meet(Connection& connection) {
  char first = 0;
  if (connection.transport_.peek(&first) <= 0) return true;  // receive() finds out why
  if (first != TlsStream::kFirstByte) {
    connection.is_plain_ = true;
    if (options_.tls != nullptr && options_.tls->requires_secure_transport() &&
        !connection.transport_.is_local()) {
      connection.on_insecure();
    }
    move_if_known(connection);
    return !connection.closed();
  }
  if (options_.tls == nullptr) {
    refuse_tls(connection);
    return false;
  }
  connection.state_ = Connection::State::kHandshake;
  connection.last_activity_ = now_;
  handshaking_.push_back(connection);
  queue_handshake(connection);
  return false;
}

// From here on wait() serves the connection, if its client is known.
void EventLoop::move_if_known(Connection& connection) {
  const TlsStream* const tls = connection.transport_.tls();
  const bool is_known = !connection.is_newcomer_ && !connection.closed() &&
                        (connection.is_plain_ || (tls != nullptr && tls->established()));
  if (!connection.is_stranger_ || !is_known) return;
  const int descriptor = connection.transport_.descriptor();
  if (connection.registered_) {
    ::epoll_ctl(strangers_.get(), EPOLL_CTL_DEL, descriptor, nullptr);
  }
  connection.is_stranger_ = false;
  if (!connection.registered_) return;
  epoll_event event{};
  event.events = connection.interest_;
  event.data.ptr = &connection;
  if (::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, descriptor, &event) == 0) return;
  if (connection.detached_) attach(connection);
  close(connection);
}

void EventLoop::welcome(Connection& connection) {
  connection.is_newcomer_ = connection.is_late_ = false;
  static_cast<ListHook<NewcomerTag>&>(connection).unlink();
  move_if_known(connection);
}

// --- TLS ---

// Until its turn comes, what the client sends stays with the system.
void EventLoop::queue_handshake(Connection& connection) {
  handshakes_.add(connection, connection.transport_.tls() != nullptr);
  update_interest(connection);
}

void EventLoop::serve_handshake(Connection& connection, uint32_t events) {
  if ((events & EPOLLOUT) != 0 && connection.has_unsent()) {
    if (!flush(connection)) return;
    update_interest(connection);
  }
  if (HandshakeQueue::waits(connection)) {
    if ((events & (EPOLLHUP | EPOLLERR)) != 0) close(connection);
    return;
  }
  if ((events & (EPOLLIN | EPOLLHUP | EPOLLERR)) != 0) queue_handshake(connection);
}

// Takes what the client has sent for its handshake. False: there is nothing to work on.
bool EventLoop::receive_handshake(Connection& connection) {
  const ssize_t size = read(connection);
  if (size < 0 && (errno == EAGAIN || errno == EINTR)) {
    update_interest(connection);
    return false;
  }
  if (size <= 0) {
    close(connection);
    return false;
  }
  counters_.bytes_received.add(static_cast<uint64_t>(size));
  connection.traffic_.received.add(static_cast<uint64_t>(size));
  if (connection.transport_.tls() == nullptr) {
    ssl_st* const ssl = options_.tls->new_connection();
    if (ssl == nullptr) {
      refuse_tls(connection);
      return false;
    }
    connection.transport_.begin_tls(TlsStream::create(ssl, connection.memory_));
  }
  connection.transport_.tls()->hold({received_.get(), static_cast<size_t>(size)});
  return true;
}

// False: there is nothing for the owner.
bool EventLoop::shake_hands(Connection& connection) {
  TlsStream::Progress progress = TlsStream::Progress::kGoesOn;
  try {
    if (!receive_handshake(connection)) return false;
    progress = connection.transport_.tls()->shake_hands(connection.input_);
  } catch (const MemoryRefused&) {
    if (connection.transport_.tls() == nullptr) {
      close(connection);
      return false;
    }
    connection.input_refused_ = true;
  } catch (const std::bad_alloc&) {
    close(connection);
    return false;
  }
  if (progress == TlsStream::Progress::kFailed) {
    fail(connection);
    return false;
  }
  if (connection.transport_.unsent() != 0 && !flush(connection)) return false;
  if (connection.transport_.tls()->established()) {
    counters_.tls_accepts.add(1);
    connection.state_ = Connection::State::kOpen;
    connection.end_of_input_ = progress == TlsStream::Progress::kEnded;
    connection.last_activity_ = now_;
    active_.push_back(connection);
    move_if_known(connection);
  }
  update_interest(connection);
  if (connection.closed()) return false;
  return connection.end_of_input_ || connection.input_refused_ || !connection.input_.empty();
}

void EventLoop::refuse_tls(Connection& connection) {
  // A fatal alert: handshake_failure.
  constexpr std::string_view kAlert("\x15\x03\x01\x00\x02\x02\x28", 7);
  connection.output_.append(kAlert);
  counters_.tls_failed.add(1);
  connection.state_ = Connection::State::kOpen;
  active_.push_back(connection);
  finish(connection);
}

// What the client sends is no TLS, or not the one that is asked for. It gets the alert that the
// library has written.
void EventLoop::fail(Connection& connection) {
  if (connection.state_ == Connection::State::kHandshake) counters_.tls_failed.add(1);
  connection.state_ = Connection::State::kOpen;
  connection.last_activity_ = now_;
  active_.push_back(connection);
  connection.output_.drop();
  finish(connection);
}

// --- time ---

// Closes those whose time is over. What is left of them is due in the next wait().
void EventLoop::sweep_strangers() {
  for (int left = kSweptAtOnce; left > 0 && !handshaking_.empty(); --left) {
    if (handshaking_.front().last_activity_ + options_.login_timeout_ms > now_) break;
    counters_.login_timed_out.add(1);
    close(handshaking_.front());
  }
  for (int left = kSweptAtOnce; left > 0 && !newcomers_.empty(); --left) {
    if (newcomers_.front().came_ms_ + options_.login_timeout_ms > now_) break;
    Connection& connection = newcomers_.pop_front();
    counters_.login_timed_out.add(1);
    if (connection.detached_) {
      connection.is_late_ = true;
    } else {
      close(connection);
    }
  }
}

}  // namespace hs::net
