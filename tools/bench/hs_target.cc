#include "hs_target.h"

#include <sys/epoll.h>
#include <unistd.h>

#include <array>
#include <cerrno>

namespace hs::bench {

namespace {

constexpr int kPatienceMs = 10'000;  // a server that is silent for longer has a fault
constexpr auto kProgressInterval = std::chrono::milliseconds(500);

}  // namespace

HsTarget::HsTarget(const Place& place, size_t connections, size_t depth)
    : epoll_(::epoll_create1(EPOLL_CLOEXEC)), depth_(depth) {
  connections_.reserve(connections);
  for (size_t i = 0; i < connections; ++i) {
    connections_.emplace_back(place);
    epoll_event event{};
    event.events = EPOLLIN;
    event.data.u64 = i;
    ::epoll_ctl(epoll_, EPOLL_CTL_ADD, connections_[i].descriptor(), &event);
  }
}

HsTarget::~HsTarget() { ::close(epoll_); }

// One phase, from its first request to its last answer.
class HsTarget::Run {
 public:
  Run(HsTarget& target, const Keys& keys, const Phase& phase)
      : target_(target),
        keys_(keys),
        phase_(phase),
        next_(phase.first),
        start_(Clock::now()),
        next_progress_(start_ + kProgressInterval),
        now_(start_) {}

  Tally finish() {
    for (size_t i = 0; i < target_.connections_.size(); ++i) ask(i, target_.depth_);
    while (on_the_way_ > 0) {
      wait();
      report();
    }
    tally_.seconds = std::chrono::duration<double>(Clock::now() - start_).count();
    return std::move(tally_);
  }

 private:
  bool has_more() const {
    if (phase_.requests > 0) return next_ < phase_.first + phase_.requests;
    return now_ < start_ + std::chrono::duration<double>(phase_.seconds);
  }

  // Sends up to `count` further requests over a connection.
  void ask(size_t connection, size_t count) {
    HsConnection& to = target_.connections_[connection];
    for (size_t i = 0; i < count && has_more(); ++i) {
      to.add_find(keys_.at(next_++));
      ++on_the_way_;
    }
    flush(connection, false);
  }

  // A connection that takes no more is watched until it does.
  void flush(size_t connection, bool was_watched) {
    now_ = Clock::now();
    const bool watch = !target_.connections_[connection].flush(now_);
    if (watch == was_watched) return;
    epoll_event event{};
    event.events = watch ? EPOLLIN | EPOLLOUT : EPOLLIN;
    event.data.u64 = connection;
    const int descriptor = target_.connections_[connection].descriptor();
    ::epoll_ctl(target_.epoll_, EPOLL_CTL_MOD, descriptor, &event);
  }

  void wait() {
    std::array<epoll_event, 256> events;
    const int ready =
        ::epoll_wait(target_.epoll_, events.data(), static_cast<int>(events.size()), kPatienceMs);
    if (ready == 0) throw Failure("the server does not answer");
    if (ready < 0 && errno != EINTR) throw Failure("epoll_wait failed");
    for (int i = 0; i < ready; ++i) {
      const epoll_event& event = events[static_cast<size_t>(i)];
      if ((event.events & EPOLLOUT) != 0) flush(event.data.u64, true);
      if ((event.events & ~EPOLLOUT) == 0) continue;
      const size_t answers = target_.connections_[event.data.u64].receive(&tally_);
      on_the_way_ -= answers;
      if (answers > 0) ask(event.data.u64, answers);
    }
  }

  void report() {
    if (!phase_.progress || now_ < next_progress_) return;
    next_progress_ = now_ + kProgressInterval;
    phase_.progress(tally_.answers());
  }

  HsTarget& target_;
  const Keys& keys_;
  const Phase& phase_;
  uint64_t next_;
  Clock::time_point start_;
  Clock::time_point next_progress_;
  Clock::time_point now_;  // of the last sending
  size_t on_the_way_ = 0;
  Tally tally_;
};

Tally HsTarget::run(const Keys& keys, const Phase& phase) {
  return Run(*this, keys, phase).finish();
}

}  // namespace hs::bench
