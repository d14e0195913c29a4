#include "net/event_loop.h"

#include <string.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <new>
#include <random>
#include <utility>

#include "base/assert.h"
#include "base/traces.h"

namespace hs::net {
namespace {

using std::chrono::milliseconds;
using std::chrono::nanoseconds;

// Shorter waits are exact to some microseconds, others to a millisecond.
constexpr nanoseconds kShort = milliseconds(1);

// After this long without traffic a connection gives its buffers back.
constexpr int64_t kQuietMs = 1000;
// Activity is recorded in steps of this size, so that a busy connection does not move in its list
// each time.
constexpr int64_t kActivityStepMs = 250;
// How long a client that is still sending may take to read the last bytes of output.
constexpr int64_t kLingerMs = 2000;

}  // namespace

std::unique_ptr<EventLoop> EventLoop::create(Options options) {
  std::unique_ptr<EventLoop> loop(new EventLoop(std::move(options)));
  if (!loop->epoll_ || !loop->strangers_ || !loop->wakeup_) return nullptr;
  const int epoll = loop->epoll_.get();
  epoll_event wakeup{};
  wakeup.events = EPOLLIN;
  wakeup.data.ptr = &loop->wakeup_;
  epoll_event strangers{};
  strangers.events = EPOLLIN | EPOLLONESHOT;
  strangers.data.ptr = &loop->strangers_;
  if (::epoll_ctl(epoll, EPOLL_CTL_ADD, loop->wakeup_.fd(), &wakeup) != 0 ||
      ::epoll_ctl(epoll, EPOLL_CTL_ADD, loop->strangers_.get(), &strangers) != 0) {
    return nullptr;
  }
  return loop;
}

EventLoop::EventLoop(Options options)
    : options_(std::move(options)),
      epoll_(::epoll_create1(EPOLL_CLOEXEC)),
      strangers_(::epoll_create1(EPOLL_CLOEXEC)),
      spin_(options_.spin_ns),
      now_(options_.now_ms()),
      received_(std::make_unique_for_overwrite<char[]>(options_.read_size)),
      handshakes_(std::random_device()()) {}

EventLoop::~EventLoop() {
  shut();
  forget_received();
}

void EventLoop::tune(const Tuning& tuning) {
  if (tuning.read_size != options_.read_size) {
    auto renewed = std::make_unique_for_overwrite<char[]>(tuning.read_size);
    forget_received();
    received_ = std::move(renewed);
  }
  if (tuning.spin_ns != options_.spin_ns) spin_ = Spin(tuning.spin_ns);
  static_cast<Tuning&>(options_) = tuning;
}

bool EventLoop::adopt(std::unique_ptr<Connection>& connection, Transport& transport) {
  {
    const MutexLock lock(mutex_);
    if (shut_) return false;
    adopted_.push_back(nullptr);
    connection->transport_ = std::move(transport);
    adopted_.back() = std::move(connection);
    connections_.fetch_add(1, std::memory_order_relaxed);
    counters_.adopted.add(1);
  }
  wake();
  return true;
}

void EventLoop::wake() { wakeup_.notify(); }

bool EventLoop::wait(nanoseconds timeout, std::vector<Connection*>& ready) {
  destroy_closed();
  const int happened = await_events(bounded(timeout));
  now_ = options_.now_ms();
  for (int i = 0; i < happened; ++i) {
    const epoll_event& event = events_[static_cast<size_t>(i)];
    if (event.data.ptr == &wakeup_) {
      wakeup_.drain();
      admit();
    } else if (event.data.ptr == &strangers_) {
      strangers_have_sent_ = true;
    } else {
      serve(*static_cast<Connection*>(event.data.ptr), event.events, ready);
    }
  }
  sweep();
  return happened != 0;
}

int EventLoop::await_events(nanoseconds timeout) {
  using Clock = std::chrono::steady_clock;
  if (timeout < kShort) return look(timeout);
  const auto begin = Clock::now();
  if (spin_.pays()) {
    const auto end = begin + nanoseconds(spin_.limit_ns());
    do {
      if (const int happened = look(nanoseconds::zero()); happened != 0) {
        spin_.found(happened);
        return happened;
      }
    } while (Clock::now() < end);
    spin_.failed();
  }
  const int happened = look(timeout);
  spin_.slept((Clock::now() - begin).count(), happened);
  return happened;
}

int EventLoop::look(nanoseconds patience) {
  const auto most = static_cast<int>(events_.size());
  if (patience > nanoseconds::zero() && patience < kShort) {
    const timespec time{0, static_cast<long>(patience.count())};
    const int happened = ::epoll_pwait2(epoll_.get(), events_.data(), most, &time, nullptr);
    // Linux has it since 5.11, and a container may forbid it.
    if (happened >= 0 || (errno != ENOSYS && errno != EPERM)) return happened;
    patience = nanoseconds::zero();
  }
  const int patience_ms =
      patience == kForever
          ? -1
          : static_cast<int>(std::chrono::duration_cast<milliseconds>(patience).count());
  return ::epoll_wait(epoll_.get(), events_.data(), most, patience_ms);
}

void EventLoop::admit() {
  std::vector<std::unique_ptr<Connection>> adopted;
  {
    const MutexLock lock(mutex_);
    adopted.swap(adopted_);
  }
  for (std::unique_ptr<Connection>& connection : adopted) {
    epoll_event event{};
    event.events = EPOLLIN;
    event.data.ptr = connection.get();
    connection->is_stranger_ = connection->is_newcomer_ || options_.tls != nullptr;
    const int descriptor = connection->transport_.descriptor();
    if (::epoll_ctl(home_of(*connection), EPOLL_CTL_ADD, descriptor, &event) != 0) {
      connections_.fetch_sub(1, std::memory_order_relaxed);
      continue;
    }
    connection->interest_ = EPOLLIN;
    connection->high_water_ = options_.high_water;
    connection->last_activity_ = connection->came_ms_ = now_;
    if (connection->is_newcomer_) newcomers_.push_back(*connection);
    active_.push_back(*connection.release());
  }
}

void EventLoop::serve(Connection& connection, uint32_t events, std::vector<Connection*>& ready) {
  if (connection.is_aside_) return look_aside(connection, events);
  if (connection.detached_) return silence(connection);
  if (connection.state_ == Connection::State::kLingering) return discard(connection);
  if (connection.state_ == Connection::State::kHandshake) {
    return serve_handshake(connection, events);
  }
  if ((events & EPOLLOUT) != 0 && connection.has_unsent()) {
    const bool was_over = connection.over_high_water();
    if (!flush(connection)) return;
    update_interest(connection);
    if (was_over && !connection.over_high_water() &&
        connection.state_ == Connection::State::kOpen) {
      ready.push_back(&connection);  // its further input is read by the next wait
      return;
    }
  }
  if ((events & (EPOLLIN | EPOLLHUP | EPOLLERR)) == 0) return;
  if (!connection.takes_input()) {
    // Both directions are gone, so the client will not read the rest of the output.
    if ((events & (EPOLLHUP | EPOLLERR)) != 0) close(connection);
  } else if (!connection.hold_input_) {
    receive(connection, ready);
  }
}

void EventLoop::receive(Connection& connection, std::vector<Connection*>& ready) {
  const bool is_met = connection.is_plain_ || connection.transport_.tls() != nullptr;
  if (!is_met && !meet(connection)) return;
  const ssize_t size = read(connection);
  if (size < 0) {
    if (errno != EAGAIN && errno != EINTR) close(connection);
    return;
  }
  if (size == 0) {
    connection.end_of_input_ = true;
    update_interest(connection);
  } else {
    counters_.bytes_received.add(static_cast<uint64_t>(size));
    connection.traffic_.received.add(static_cast<uint64_t>(size));
    touch(connection);
    bool has_taken = true;
    try {
      has_taken = take(connection, {received_.get(), static_cast<size_t>(size)});
    } catch (const MemoryRefused&) {
      connection.input_refused_ = true;
      update_interest(connection);
    } catch (const std::bad_alloc&) {
      close(connection);
      has_taken = false;
    }
    if (!connection.input_.is_known()) forget_received(size);
    if (!has_taken) return;
  }
  ready.push_back(&connection);
}

// As the system's read(), into received_.
ssize_t EventLoop::read(Connection& connection) {
  const ssize_t size = connection.transport_.receive(received_.get(), options_.read_size);
  if (size > 0) most_received_ = std::max(most_received_, static_cast<size_t>(size));
  return size;
}

// What a client sends before it is known may be a secret, and so may what nothing understands.
void EventLoop::forget_received(ssize_t size) {
  if (size <= 0) return;
  ::explicit_bzero(received_.get(), static_cast<size_t>(size));
  overwrite_traces();
}

void EventLoop::forget_received() {
  ::explicit_bzero(received_.get(), most_received_);
  most_received_ = 0;
  overwrite_traces();
}

// False: there is nothing for the owner.
bool EventLoop::take(Connection& connection, std::string_view bytes) {
  if (connection.transport_.tls() != nullptr) return take_sealed(connection, bytes);
  connection.input_.append(bytes);
  return true;
}

// False: there is nothing for the owner.
bool EventLoop::take_sealed(Connection& connection, std::string_view bytes) {
  const size_t before = connection.input_.size();
  const TlsStream::Progress progress =
      connection.transport_.tls()->receive(bytes, connection.input_);
  if (progress == TlsStream::Progress::kFailed) {
    fail(connection);
    return false;
  }
  if (progress == TlsStream::Progress::kEnded) connection.end_of_input_ = true;
  // The library answers some records itself.
  if (connection.transport_.unsent() != 0 && !flush(connection)) return false;
  update_interest(connection);
  return !connection.closed() && (connection.end_of_input_ || connection.input_.size() != before);
}

void EventLoop::discard(Connection& connection) {
  const ssize_t size = read(connection);
  forget_received(size);
  if (size == 0 || (size < 0 && errno != EAGAIN && errno != EINTR)) close(connection);
}

void EventLoop::send(Connection& connection) {
  HS_ASSERT(!connection.detached_);
  if (connection.closed() || !connection.has_unsent()) return;
  // Registered for EPOLLOUT: the system's buffer was full, and wait() goes on when it has room. The
  // output may have grown over the high water mark meanwhile.
  if ((connection.interest_ & EPOLLOUT) != 0 || flush(connection)) update_interest(connection);
}

// False: the connection is closed now.
bool EventLoop::flush(Connection& connection) {
  Buffer& output = connection.output_;
  // Here, where both callers look at the mark afterwards, no connection is forgotten that was over
  // the old one and is not over the new one.
  connection.high_water_ = options_.high_water;
  const ssize_t size = connection.transport_.send(output.data(), output.size());
  if (size < 0) {
    if (errno == EAGAIN || errno == EINTR) return true;
    close(connection);
    return false;
  }
  counters_.bytes_sent.add(static_cast<uint64_t>(size));
  output.consume(static_cast<size_t>(size));
  connection.note_sent(static_cast<size_t>(size));
  touch(connection);
  if (connection.has_unsent()) return true;
  output.shrink(kBusyBuffer);
  if (connection.state_ == Connection::State::kFinishing) end(connection);
  return !connection.closed();
}

bool EventLoop::push(Connection& connection, int patience_ms) {
  HS_ASSERT(connection.detached_ && !connection.closed());
  Buffer& output = connection.output_;
  while (!output.empty()) {
    const ssize_t size = connection.transport_.send(output.data(), output.size());
    if (size >= 0) {
      output.consume(static_cast<size_t>(size));
      connection.note_sent(static_cast<size_t>(size));
      continue;
    }
    if (errno == EINTR) continue;
    if (errno != EAGAIN) return false;
    if (!connection.transport_.wait_until_writable(patience_ms)) return true;
  }
  return true;
}

void EventLoop::finish(Connection& connection) {
  HS_ASSERT(!connection.detached_);
  if (connection.state_ != Connection::State::kOpen) return;
  connection.state_ = Connection::State::kFinishing;
  if (!connection.input_.empty()) forget_received();
  connection.input_.drop();
  if (!connection.has_unsent()) {
    end(connection);
  } else {
    update_interest(connection);
  }
}

// Closing a socket with unread input makes the system send a reset, which may overtake the output
// and destroy it before the client has read it.
void EventLoop::end(Connection& connection) {
  connection.transport_.seal_end();
  if (connection.transport_.unsent() != 0) return update_interest(connection);
  if (connection.end_of_input_ || !connection.transport_.end_output()) {
    return close(connection);
  }
  connection.state_ = Connection::State::kLingering;
  connection.last_activity_ = now_;
  lingering_.push_back(connection);
  update_interest(connection);
}

void EventLoop::detach(Connection& connection) {
  HS_ASSERT(!connection.closed());
  connection.detached_ = true;
  connection.is_aside_ = false;
  static_cast<ListHook<ActivityTag>&>(connection).unlink();
}

void EventLoop::set_aside(Connection& connection) {
  detach(connection);
  connection.is_aside_ = true;
}

// Epoll goes on to tell whether the client has gone. What else happens is asked for step by step,
// since nearly always nothing does.
void EventLoop::look_aside(Connection& connection, uint32_t events) {
  if ((events & (EPOLLHUP | EPOLLERR)) != 0) {
    attach(connection);
    return close(connection);
  }
  if ((events & EPOLLRDHUP) != 0) connection.has_seen_end_ = true;
  connection.looks_aside_ = true;
  set_interest(connection, connection.client_has_ended() ? 0u : uint32_t{EPOLLRDHUP});
}

// Epoll stops reporting the connection. What happens meanwhile is reported when attach() registers
// it again.
void EventLoop::silence(Connection& connection) {
  if (!connection.registered_) return;
  ::epoll_ctl(home_of(connection), EPOLL_CTL_DEL, connection.transport_.descriptor(), nullptr);
  connection.registered_ = false;
}

void EventLoop::attach(Connection& connection) {
  HS_ASSERT(connection.detached_ && !connection.closed() &&
            !static_cast<ListHook<ActivityTag>&>(connection).linked());
  connection.detached_ = connection.is_aside_ = false;
  connection.last_activity_ = now_;
  active_.push_back(connection);
  if (connection.registered_) {
    // Output is not asked for before send() has tried.
    if (std::exchange(connection.looks_aside_, false)) {
      set_interest(connection, wanted_events(connection) & ~uint32_t{EPOLLOUT});
    }
    return;
  }
  epoll_event event{};
  event.events = wanted_events(connection);
  event.data.ptr = &connection;
  const int descriptor = connection.transport_.descriptor();
  if (::epoll_ctl(home_of(connection), EPOLL_CTL_ADD, descriptor, &event) != 0) {
    return close(connection);
  }
  connection.registered_ = true;
  connection.looks_aside_ = false;
  connection.interest_ = event.events;
}

void EventLoop::close(Connection& connection) {
  HS_ASSERT(!connection.detached_);
  if (connection.closed()) return;
  // With replies unsent, the client must see that something is missing.
  if (!connection.has_unsent()) connection.transport_.seal_end();
  if (connection.state_ == Connection::State::kHandshake) counters_.tls_failed.add(1);
  if (!connection.input_.empty()) forget_received();
  handshakes_.remove(connection);
  static_cast<ListHook<NewcomerTag>&>(connection).unlink();
  // Epoll must be told, too. A child process that is about to exec has a copy of the socket. As
  // long as it does, closing the socket here would leave it registered, with a pointer to a
  // connection that no longer exists.
  ::epoll_ctl(home_of(connection), EPOLL_CTL_DEL, connection.transport_.descriptor(), nullptr);
  connection.transport_.close();
  connection.state_ = Connection::State::kClosed;
  closed_.push_back(connection);
  connections_.fetch_sub(1, std::memory_order_relaxed);
}

void EventLoop::shut() {
  {
    const MutexLock lock(mutex_);
    shut_ = true;
    connections_.fetch_sub(static_cast<uint32_t>(adopted_.size()), std::memory_order_relaxed);
    adopted_.clear();
  }
  for (ConnectionList* list : {&active_, &quiet_, &handshaking_, &lingering_}) {
    while (!list->empty()) close(list->front());
  }
  destroy_closed();
}

uint32_t EventLoop::wanted_events(const Connection& connection) {
  uint32_t events = 0;
  if (connection.takes_input() || connection.state_ == Connection::State::kLingering ||
      (connection.state_ == Connection::State::kHandshake && !HandshakeQueue::waits(connection))) {
    events |= EPOLLIN;
  }
  if (connection.has_unsent()) events |= EPOLLOUT;
  return events;
}

// A client that goes away entirely is seen by EPOLLHUP and EPOLLERR, which are always reported, or
// by the end of the input. A half-closed client whose output is stuck shows none of these and may
// still read. That is why EPOLLRDHUP is not asked for.
void EventLoop::update_interest(Connection& connection) {
  if (!connection.closed()) set_interest(connection, wanted_events(connection));
}

void EventLoop::set_interest(Connection& connection, uint32_t events) {
  if (events == connection.interest_) return;
  epoll_event event{};
  event.events = events;
  event.data.ptr = &connection;
  const int descriptor = connection.transport_.descriptor();
  if (::epoll_ctl(home_of(connection), EPOLL_CTL_MOD, descriptor, &event) != 0) {
    if (connection.detached_) attach(connection);
    return close(connection);
  }
  connection.interest_ = event.events;
}

void EventLoop::touch(Connection& connection) {
  if (now_ - connection.last_activity_ < kActivityStepMs) return;
  if (connection.state_ == Connection::State::kHandshake) return;
  connection.last_activity_ = now_;
  active_.push_back(connection);
}

void EventLoop::sweep() {
  while (!active_.empty() && active_.front().last_activity_ + kQuietMs <= now_) {
    Connection& connection = active_.front();
    connection.input_.shrink(kIdleBuffer);
    connection.output_.shrink(kIdleBuffer);
    connection.transport_.shrink();
    quiet_.push_back(connection);
  }
  while (!quiet_.empty() &&
         quiet_.front().last_activity_ + options_.idle_timeout_ms + kActivityStepMs <= now_) {
    counters_.timed_out.add(1);
    close(quiet_.front());
  }
  while (!lingering_.empty() && lingering_.front().last_activity_ + kLingerMs <= now_) {
    close(lingering_.front());
  }
  // What they have sent is read first: to close a socket that holds unread bytes is an error at the
  // client's end.
  if (!strangers_have_sent_) sweep_strangers();
}

// `timeout`, or the time until sweep() has something to do, if that is shorter.
nanoseconds EventLoop::bounded(nanoseconds timeout) const {
  if (timeout < kShort) return timeout;
  const auto bound_to = [&](int64_t end_ms) {
    const int64_t left_ms = std::clamp<int64_t>(end_ms - now_, 0, INT32_MAX);
    timeout = std::min<nanoseconds>(timeout, milliseconds(left_ms));
  };
  const auto bound = [&](const ConnectionList& list, int64_t after_ms) {
    if (!list.empty()) bound_to(list.front().last_activity_ + after_ms);
  };
  bound(active_, kQuietMs);
  bound(quiet_, options_.idle_timeout_ms + kActivityStepMs);
  bound(handshaking_, options_.login_timeout_ms);
  bound(lingering_, kLingerMs);
  if (!newcomers_.empty()) {
    bound_to(newcomers_.front().came_ms_ + options_.login_timeout_ms);
  }
  return timeout;
}

void EventLoop::destroy_closed() {
  while (!closed_.empty()) delete &closed_.front();
}

}  // namespace hs::net
