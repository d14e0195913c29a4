#include "epoll_target.h"

#include <sys/epoll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

#include "arrivals.h"
#include "schedule.h"

namespace hs::bench {

EpollTarget::EpollTarget(const Place& place, const Workload& workload,
                         std::unique_ptr<Dialect> dialect, size_t connections, size_t depth)
    : epoll_(::epoll_create1(EPOLL_CLOEXEC)),
      depth_(depth),
      workload_(workload),
      dialect_(std::move(dialect)) {
  connections_.reserve(connections);
  for (size_t i = 0; i < connections; ++i) {
    connections_.emplace_back(place, *dialect_, depth);
    epoll_event event{};
    event.events = EPOLLIN;
    event.data.u64 = i;
    ::epoll_ctl(epoll_, EPOLL_CTL_ADD, connections_[i].descriptor(), &event);
  }
}

EpollTarget::~EpollTarget() { ::close(epoll_); }

// What both ways of running a phase share, from its first request to its last answer.
class EpollTarget::Run {
 public:
  Run(EpollTarget& target, const Phase& phase)
      : target_(target),
        phase_(phase),
        next_(phase.first),
        start_(Clock::now()),
        next_progress_(start_ + kProgressInterval) {}

 protected:
  Connection& connection(size_t i) { return target_.connections_[i]; }
  size_t connections() const { return target_.connections_.size(); }
  size_t depth() const { return target_.depth_; }

  Request next_request() { return target_.workload_.request(next_++); }

  // A connection that takes no more output is watched until it does.
  void flush(size_t i, bool was_watched, Clock::time_point now) {
    const bool watch = !connection(i).flush(now);
    if (watch == was_watched) return;
    epoll_event event{};
    event.events = watch ? EPOLLIN | EPOLLOUT : EPOLLIN;
    event.data.u64 = i;
    ::epoll_ctl(target_.epoll_, EPOLL_CTL_MOD, connection(i).descriptor(), &event);
  }

  // Waits, and calls answered(connection, answers) for each connection that has answers.
  template <typename Answered>
  void wait(int64_t timeout_ms, Answered answered) {
    std::array<epoll_event, 256> events;
    const int ready = ::epoll_wait(target_.epoll_, events.data(), static_cast<int>(events.size()),
                                   static_cast<int>(timeout_ms));
    if (ready == 0 && timeout_ms == kPatience.count()) throw Failure("the server does not answer");
    if (ready < 0 && errno != EINTR) throw Failure("epoll_wait failed");
    for (int i = 0; i < ready; ++i) {
      const epoll_event& event = events[static_cast<size_t>(i)];
      if ((event.events & EPOLLOUT) != 0) flush(event.data.u64, true, Clock::now());
      if ((event.events & ~EPOLLOUT) == 0) continue;
      const size_t answers = connection(event.data.u64).receive(&tally_);
      if (answers > 0) answered(event.data.u64, answers);
    }
  }

  void report(Clock::time_point now) {
    if (!phase_.progress || now < next_progress_) return;
    next_progress_ = now + kProgressInterval;
    phase_.progress({tally_.answers(), tally_.errors, seconds(now)});
  }

  Tally finish() {
    tally_.seconds = seconds(Clock::now());
    return std::move(tally_);
  }

  double seconds(Clock::time_point now) const {
    return std::chrono::duration<double>(now - start_).count();
  }

  EpollTarget& target_;
  const Phase& phase_;
  uint64_t next_;
  const Clock::time_point start_;
  Clock::time_point next_progress_;
  Tally tally_;
};

// Each answer makes room for a request on its connection.
class EpollTarget::ClosedLoop : Run {
 public:
  ClosedLoop(EpollTarget& target, const Phase& phase) : Run(target, phase), now_(start_) {}

  Tally run() {
    for (size_t i = 0; i < connections(); ++i) ask(i, depth());
    while (on_the_way_ > 0) {
      wait(kPatience.count(), [this](size_t i, size_t answers) {
        on_the_way_ -= answers;
        ask(i, answers);
      });
      report(now_);
    }
    return finish();
  }

 private:
  bool has_more() const {
    if (phase_.requests > 0) return next_ < phase_.first + phase_.requests;
    return now_ < start_ + std::chrono::duration<double>(phase_.seconds);
  }

  // Sends up to `count` further requests over a connection.
  void ask(size_t i, size_t count) {
    for (; count > 0 && has_more(); --count, ++on_the_way_) connection(i).add(next_request());
    now_ = Clock::now();
    flush(i, false, now_);
  }

  Clock::time_point now_;  // when requests were last sent
  size_t on_the_way_ = 0;
};

// Requests are sent when they are due.
class EpollTarget::OpenLoop : Run {
 public:
  OpenLoop(EpollTarget& target, const Phase& phase)
      : Run(target, phase),
        arrivals_(Schedule(start_, phase.rate), Schedule::requests(phase), connections(), depth()) {
  }

  Tally run() {
    while (!arrivals_.all_answered()) {
      const Clock::time_point now = Clock::now();
      ask(now);
      report(now);
      wait(timeout_ms(now), [this](size_t i, size_t answers) {
        for (; answers > 0; --answers) arrivals_.answered(i);
      });
    }
    return finish();
  }

 private:
  void ask(Clock::time_point now) {
    while (const auto turn = arrivals_.next(now)) {
      Connection& to = connection(turn->connection);
      if (!to.has_new()) fresh_.push_back(turn->connection);
      to.add(next_request(), turn->at);
    }
    for (const size_t i : fresh_) flush(i, false, now);
    fresh_.clear();
  }

  // Sleeping is exact to a millisecond only, so the last millisecond is spent awake.
  int64_t timeout_ms(Clock::time_point now) const {
    const auto idle = arrivals_.idle(now);
    if (!idle) return kPatience.count();
    const auto left = std::chrono::floor<std::chrono::milliseconds>(*idle).count();
    return std::clamp<int64_t>(left - 1, 0, kProgressInterval.count());
  }

  Arrivals arrivals_;
  std::vector<size_t> fresh_;  // connections with requests that are not sent yet
};

Tally EpollTarget::run(const Phase& phase) {
  if (phase.rate > 0) return OpenLoop(*this, phase).run();
  return ClosedLoop(*this, phase).run();
}

}  // namespace hs::bench
