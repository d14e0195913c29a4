#include "server/thread_pool.h"

#include <algorithm>
#include <exception>
#include <utility>

#include "server/thread.h"

namespace hs::server {
namespace {

// Half of the threads that are not needed to lead a reactor.
uint32_t most_waits(uint32_t threads, size_t reactors) {
  return threads > reactors ? (threads - static_cast<uint32_t>(reactors) + 1) / 2 : 0;
}

template <class T>
T* take_first(std::vector<T*>& list) {
  T* const first = list.front();
  list.erase(list.begin());
  return first;
}

}  // namespace

ThreadPool::ThreadPool(Options options, std::vector<std::unique_ptr<Reactor>>& reactors,
                       engine::Engine& engine, const Log& log)
    : options_(std::move(options)),
      reactors_(reactors),
      engine_(engine),
      log_(log),
      waits_left_(most_waits(options_.max_threads, reactors.size())) {
  // So that a call allocates nothing: each is in a list once at most.
  without_leader_.reserve(reactors.size());
  without_watcher_.reserve(reactors.size());
  standing_by_.reserve(options_.max_threads);
}

void ThreadPool::start(const StartGate& gate) {
  for (const std::unique_ptr<Reactor>& reactor : reactors_) want_leader(*reactor);
  const std::lock_guard lock(mutex_);
  while (executors_.size() < first_threads()) make_thread(&gate);
}

size_t ThreadPool::first_threads() const {
  return std::min<size_t>(reactors_.size() + 1, options_.max_threads);
}

// Guarded by mutex_. An executor without a thread.
Executor& ThreadPool::free_place() {
  for (const std::unique_ptr<Executor>& executor : executors_) {
    if (!executor->ended_) continue;
    // It has nothing left to do but to return.
    if (executor->thread_.joinable()) executor->thread_.join();
    return *executor;
  }
  executors_.push_back(
      std::make_unique<Executor>(options_.name + std::to_string(executors_.size()), *this));
  executors_.back()->ended_ = true;
  return *executors_.back();
}

// Guarded by mutex_. Strong guarantee.
void ThreadPool::make_thread(const StartGate* gate) {
  Executor& executor = free_place();
  executor.thread_ = start_thread(executor.name(), [this, gate, &executor] {
    if (gate == nullptr || gate->wait()) executor.run();
    leave(executor);
  });
  executor.ended_ = executor.retired_ = executor.started_ = executor.is_called_ = false;
  ++alive_;
  ++starting_;
}

void ThreadPool::grow() {
  const std::lock_guard lock(mutex_);
  if (!standing_by_.empty() || starting_ != 0 || stopping()) return;
  const bool has_place =
      executors_.size() < options_.max_threads ||
      std::any_of(executors_.begin(), executors_.end(),
                  [](const std::unique_ptr<Executor>& executor) { return executor->ended_; });
  if (has_place) make_thread(nullptr);
}

// Who cannot serve leaves one reactor without a leader for good, unless others stand by.
void ThreadPool::leave(Executor& executor) {
  const std::lock_guard leaving(leave_mutex_);
  std::unique_lock lock(mutex_);
  if (executor.retired_) {
    executor.ended_ = true;
    return;
  }
  if (!executor.started_) --starting_;
  if (--alive_ == 0) {
    lock.unlock();
    for (const std::unique_ptr<Reactor>& reactor : reactors_) reactor->shut();
  } else if (alive_ < reactors_.size()) {
    // Not one whose leader waits: its batch has the connections, and it comes back to lead.
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
  const std::lock_guard lock(mutex_);
  for (const std::unique_ptr<Executor>& executor : executors_) executor->called_.notify_one();
  for (const std::unique_ptr<Reactor>& reactor : reactors_) reactor->wake();
}

void ThreadPool::join() {
  for (size_t i = 0;; ++i) {
    std::thread thread;
    {
      const std::lock_guard lock(mutex_);
      if (i == executors_.size()) break;
      thread.swap(executors_[i]->thread_);
    }
    if (thread.joinable()) thread.join();
  }
  for (const std::unique_ptr<Reactor>& reactor : reactors_) reactor->shut();
}

void ThreadPool::want_leader(Reactor& reactor) {
  const std::lock_guard lock(mutex_);
  if (std::exchange(reactor.wants_leader_, true)) return;
  without_leader_.push_back(&reactor);
  call_next();
}

void ThreadPool::want_watcher(Reactor& reactor) {
  const std::lock_guard lock(mutex_);
  without_watcher_.push_back(&reactor);
  call_next();
}

bool ThreadPool::begin_wait() {
  uint32_t left = waits_left_.load(std::memory_order_relaxed);
  while (left != 0) {
    if (waits_left_.compare_exchange_weak(left, left - 1, std::memory_order_relaxed)) return true;
  }
  return false;
}

void ThreadPool::end_wait() {
  waits_left_.fetch_add(1, std::memory_order_relaxed);
  for (const std::unique_ptr<Reactor>& reactor : reactors_) reactor->try_parked();
}

void ThreadPool::call_next() {
  if (standing_by_.empty()) return;
  standing_by_.back()->called_.notify_one();
  standing_by_.pop_back();
}

void ThreadPool::call(Executor& executor) {
  const std::lock_guard lock(mutex_);
  executor.is_called_ = true;
  executor.called_.notify_one();
}

ThreadPool::Call ThreadPool::wait_for_call(Executor& executor, bool holds_tables) {
  std::unique_lock lock(mutex_);
  if (!std::exchange(executor.started_, true)) --starting_;
  for (;;) {
    if (!without_leader_.empty()) {
      Reactor* const reactor = take_first(without_leader_);
      reactor->wants_leader_ = false;
      return {Call::kLead, reactor};
    }
    if (!without_watcher_.empty()) return {Call::kWatch, take_first(without_watcher_)};
    if (std::exchange(executor.is_called_, false) || stopping()) return {};
    standing_by_.push_back(&executor);
    std::cv_status waited = std::cv_status::no_timeout;
    if (holds_tables) {
      waited = executor.called_.wait_for(lock, std::chrono::milliseconds(Reactor::kHoldTablesMs));
    } else if (alive_ > first_threads()) {
      waited = executor.called_.wait_for(lock, options_.spare_time);
    } else {
      executor.called_.wait(lock);
    }
    std::erase(standing_by_, &executor);
    const bool is_wanted = !without_leader_.empty() || !without_watcher_.empty();
    if (waited == std::cv_status::no_timeout || is_wanted || executor.is_called_) continue;
    if (holds_tables) return {};
    if (!is_spare()) continue;
    executor.retired_ = true;
    --alive_;
    return {Call::kEnd};
  }
}

// Guarded by mutex_. Whether one that stood by may end.
bool ThreadPool::is_spare() const {
  return alive_ > first_threads() && !standing_by_.empty() && !stopping();
}

void ThreadPool::pause(Executor& executor, std::chrono::milliseconds time) {
  std::unique_lock lock(mutex_);
  executor.called_.wait_for(lock, time, [&] { return executor.is_called_ || stopping(); });
  executor.is_called_ = false;
}

void ThreadPool::add_to(Statistics& sum) const {
  const std::lock_guard lock(mutex_);
  for (const std::unique_ptr<Executor>& executor : executors_) executor->add_to(sum);
  sum.threads += alive_;
}

}  // namespace hs::server
