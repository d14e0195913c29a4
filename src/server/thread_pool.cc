#include "server/thread_pool.h"

#include <algorithm>
#include <exception>
#include <utility>

#include "server/hold_tables.h"
#include "server/thread.h"

namespace hs::server {
namespace {

// Half of the threads that are not needed to lead a reactor.
int64_t most_waits(uint32_t threads, size_t reactors) {
  return threads > reactors ? (threads - static_cast<int64_t>(reactors) + 1) / 2 : 0;
}

template <class T>
T* take_first(std::vector<T*>& list) {
  T* const first = list.front();
  list.erase(list.begin());
  return first;
}

}  // namespace

ThreadPool::ThreadPool(Options options, ReactorList& reactors, engine::Engine& engine,
                       const Log& log)
    : name_(std::move(options.name)),
      spare_time_(options.spare_time),
      environment_{engine,
                   options.context,
                   *options.settings,
                   std::move(options.protocols),
                   options.slow_log,
                   *options.transactions,
                   log,
                   {}},
      reactors_(reactors),
      waits_left_(most_waits(options.max_threads, reactors.size())),
      max_threads_(options.max_threads),
      most_waits_(waits_left_) {
  reserve(reactors.size(), options.max_threads);
}

// So that no call allocates: an element is in each list at most once.
void ThreadPool::reserve(size_t reactors, uint32_t max_threads) {
  const MutexLock lock(mutex_);
  without_leader_.reserve(reactors);
  without_watcher_.reserve(reactors);
  standing_by_.reserve(max_threads);
}

void ThreadPool::lead_all() {
  for (const std::unique_ptr<Reactor>& reactor : reactors_) {
    if (reactor->needs_leader() && !reactor->is_led()) want_leader(*reactor);
  }
  const MutexLock lock(mutex_);
  while (alive_ < first_threads() && !stopping()) make_thread(nullptr);
}

void ThreadPool::set_max_threads(uint32_t max_threads) {
  const MutexLock lock(mutex_);
  max_threads_ = max_threads;
  const int64_t most = most_waits(max_threads, led_reactors());
  waits_left_.fetch_add(most - std::exchange(most_waits_, most), std::memory_order_relaxed);
  for (Standby* const standby : standing_by_) standby->called.notify_one();
}

// How many reactors have a leader or should have one.
size_t ThreadPool::led_reactors() const {
  return static_cast<size_t>(std::count_if(
      reactors_.begin(), reactors_.end(),
      [](const std::unique_ptr<Reactor>& reactor) { return reactor->needs_leader(); }));
}

void ThreadPool::start(const StartGate& gate) {
  for (const std::unique_ptr<Reactor>& reactor : reactors_) want_leader(*reactor);
  const MutexLock lock(mutex_);
  while (places_.size() < first_threads()) make_thread(&gate);
}

size_t ThreadPool::first_threads() const {
  return std::min<size_t>(led_reactors() + 1, max_threads_);
}

// A place whose thread has ended, or a new place.
ThreadPool::Place& ThreadPool::free_place() {
  for (const std::unique_ptr<Place>& place : places_) {
    if (!place->ended) continue;
    // The thread has nothing left to do but to return.
    if (place->thread.joinable()) place->thread.join();
    return *place;
  }
  places_.push_back(
      std::make_unique<Place>(name_ + std::to_string(places_.size()), environment_, *this));
  return *places_.back();
}

// When it throws, nothing has changed.
void ThreadPool::make_thread(const StartGate* gate) {
  Place& place = free_place();
  place.thread = start_thread(place.executor.name(), [this, gate, &place] {
    if (gate == nullptr || gate->wait()) place.executor.run();
    leave(place);
  });
  Standby& standby = place.standby;
  place.ended = standby.retired = standby.started = standby.is_called = false;
  ++alive_;
  ++starting_;
}

void ThreadPool::grow() {
  const MutexLock lock(mutex_);
  if (!standing_by_.empty() || starting_ != 0 || stopping()) return;
  const bool has_place =
      alive_ < max_threads_ &&
      (places_.size() < max_threads_ ||
       std::any_of(places_.begin(), places_.end(),
                   [](const std::unique_ptr<Place>& place) { return place->ended; }));
  if (has_place) make_thread(nullptr);
}

// When a thread ends although it is needed, one reactor has no leader for good, unless other
// threads stand by.
void ThreadPool::leave(Place& place) {
  const MutexLock leaving(leave_mutex_);
  MutexLock lock(mutex_);
  if (place.standby.retired) {
    place.ended = true;
    return;
  }
  if (!place.standby.started) --starting_;
  if (--alive_ == 0) {
    lock.unlock();
    for (const std::unique_ptr<Reactor>& reactor : reactors_) reactor->shut();
  } else if (alive_ < led_reactors()) {
    // A reactor whose leader waits stays: that leader has connections in its batch and comes back.
    const auto found = std::find_if(without_leader_.begin(), without_leader_.end(),
                                    [](const Reactor* reactor) { return !reactor->is_led(); });
    if (found == without_leader_.end()) return;
    Reactor* const reactor = *found;
    without_leader_.erase(found);
    lock.unlock();
    reactor->shut();
  }
}

void ThreadPool::request_stop() {
  stop_.store(true, std::memory_order_relaxed);
  const MutexLock lock(mutex_);
  for (const std::unique_ptr<Place>& place : places_) place->standby.called.notify_one();
  for (const std::unique_ptr<Reactor>& reactor : reactors_) reactor->wake();
}

void ThreadPool::join() {
  for (size_t i = 0;; ++i) {
    std::thread thread;
    {
      const MutexLock lock(mutex_);
      if (i == places_.size()) break;
      thread.swap(places_[i]->thread);
    }
    if (thread.joinable()) thread.join();
  }
  for (const std::unique_ptr<Reactor>& reactor : reactors_) reactor->shut();
}

void ThreadPool::want_leader(Reactor& reactor) {
  Standby* next = nullptr;
  {
    const MutexLock lock(mutex_);
    const auto end = without_leader_.end();
    if (std::find(without_leader_.begin(), end, &reactor) != end) return;
    without_leader_.push_back(&reactor);
    next = take_standby();
  }
  if (next != nullptr) next->called.notify_one();
}

void ThreadPool::want_watcher(Reactor& reactor) {
  Standby* next = nullptr;
  {
    const MutexLock lock(mutex_);
    without_watcher_.push_back(&reactor);
    next = take_standby();
  }
  if (next != nullptr) next->called.notify_one();
}

bool ThreadPool::begin_wait() {
  int64_t left = waits_left_.load(std::memory_order_relaxed);
  while (left > 0) {
    if (waits_left_.compare_exchange_weak(left, left - 1, std::memory_order_relaxed)) return true;
  }
  return false;
}

void ThreadPool::end_wait() {
  waits_left_.fetch_add(1, std::memory_order_relaxed);
  for (const std::unique_ptr<Reactor>& reactor : reactors_) reactor->try_parked();
}

// The one to be called, or null. It is called when the mutex is free: else it would at once wait for
// that.
ThreadPool::Standby* ThreadPool::take_standby() {
  if (standing_by_.empty()) return nullptr;
  Standby* const next = standing_by_.back();
  standing_by_.pop_back();
  return next;
}

void ThreadPool::call(Standby& standby) {
  const MutexLock lock(mutex_);
  standby.is_called = true;
  standby.called.notify_one();
}

ThreadPool::Call ThreadPool::wait_for_call(Standby& standby, bool holds_tables) {
  MutexLock lock(mutex_);
  if (!std::exchange(standby.started, true)) --starting_;
  for (;;) {
    if (!without_leader_.empty()) {
      return {Call::kLead, take_first(without_leader_)};
    }
    if (!without_watcher_.empty()) return {Call::kWatch, take_first(without_watcher_)};
    if (std::exchange(standby.is_called, false) || stopping()) return {};
    standing_by_.push_back(&standby);
    bool was_called = true;
    if (holds_tables) {
      was_called = standby.called.wait_for(lock, kHoldTables);
    } else if (alive_ > first_threads()) {
      was_called = standby.called.wait_for(lock, spare_time_);
    } else {
      standby.called.wait(lock);
    }
    std::erase(standing_by_, &standby);
    const bool is_wanted = !without_leader_.empty() || !without_watcher_.empty();
    if (was_called || is_wanted || standby.is_called) continue;
    if (holds_tables) return {};
    if (!is_spare()) continue;
    standby.retired = true;
    --alive_;
    return {Call::kEnd};
  }
}

// Whether a thread that stood by may end.
bool ThreadPool::is_spare() const {
  return alive_ > first_threads() && !standing_by_.empty() && !stopping();
}

void ThreadPool::pause(Standby& standby, std::chrono::milliseconds time) {
  MutexLock lock(mutex_);
  const auto end = std::chrono::steady_clock::now() + time;
  while (!standby.is_called && !stopping()) {
    if (!standby.called.wait_until(lock, end)) break;
  }
  standby.is_called = false;
}

void ThreadPool::interrupt(uint64_t id) {
  std::vector<Executor*> executors;
  {
    const MutexLock lock(mutex_);
    for (const std::unique_ptr<Place>& place : places_) executors.push_back(&place->executor);
  }
  // An interrupted session calls the pool.
  for (Executor* executor : executors) executor->interrupt(id);
}

void ThreadPool::add_to(Statistics& sum) const {
  const MutexLock lock(mutex_);
  for (const std::unique_ptr<Place>& place : places_) place->executor.add_to(sum);
  sum.threads += alive_;
}

// Places stay, so the mutex, which waits of leaders need, is not held while they are added up.
void ThreadPool::add_to(LatencyStatus& sum) const {
  std::vector<const Executor*> executors;
  {
    const MutexLock lock(mutex_);
    for (const std::unique_ptr<Place>& place : places_) executors.push_back(&place->executor);
  }
  for (const Executor* executor : executors) executor->add_to(sum);
}

}  // namespace hs::server
