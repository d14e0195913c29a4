#include "sql_target.h"

#include <atomic>
#include <exception>
#include <mutex>
#include <thread>

#include "sql_connection.h"

namespace hs::bench {

namespace {

constexpr auto kProgressInterval = std::chrono::milliseconds(500);

// What the threads of one phase share. Thread t of T sends the requests t, t + T, t + 2T, …
struct Shared {
  const Keys& keys;
  const Phase& phase;
  size_t threads;
  Clock::time_point start;
  std::atomic<uint64_t> answers{0};
  std::atomic<bool> failed{false};
  std::mutex mutex;
  std::exception_ptr failure;  // under the mutex
  Tally tally;                 // under the mutex

  bool has(uint64_t request, Clock::time_point now) const {
    if (failed.load(std::memory_order_relaxed)) return false;
    if (phase.requests > 0) return request < phase.requests;
    return now < start + std::chrono::duration<double>(phase.seconds);
  }
};

void look_up(SqlConnection& connection, uint64_t first, Shared& shared) {
  Tally tally;
  std::string answer;
  Clock::time_point now = Clock::now();
  Clock::time_point next_progress = shared.start + kProgressInterval;
  const bool reports = first == 0 && shared.phase.progress;
  for (uint64_t request = first; shared.has(request, now); request += shared.threads) {
    const uint32_t key = shared.keys.at(shared.phase.first + request);
    const Clock::time_point sent = Clock::now();
    const bool right = connection.find(key, &answer);
    now = Clock::now();
    tally.latency.record(static_cast<uint64_t>((now - sent).count()));
    if (!right) tally.count_error(key, answer);
    shared.answers.fetch_add(1, std::memory_order_relaxed);
    if (reports && now >= next_progress) {
      next_progress = now + kProgressInterval;
      shared.phase.progress(shared.answers.load(std::memory_order_relaxed));
    }
  }
  const std::lock_guard lock(shared.mutex);
  shared.tally.merge(tally);
}

void serve(SqlConnection& connection, uint64_t first, Shared& shared) {
  ::mysql_thread_init();
  try {
    look_up(connection, first, shared);
  } catch (...) {
    const std::lock_guard lock(shared.mutex);
    shared.failed = true;
    shared.failure = std::current_exception();
  }
  ::mysql_thread_end();
}

}  // namespace

SqlTarget::SqlTarget(const Place& place, const SqlOptions& options, size_t connections) {
  ::mysql_library_init(0, nullptr, nullptr);
  for (size_t i = 0; i < connections; ++i) {
    connections_.push_back(std::make_unique<SqlConnection>(place, options));
  }
}

SqlTarget::~SqlTarget() {
  connections_.clear();
  ::mysql_library_end();
}

Tally SqlTarget::run(const Keys& keys, const Phase& phase) {
  Shared shared{.keys = keys,
                .phase = phase,
                .threads = connections_.size(),
                .start = Clock::now(),
                .mutex = {},
                .failure = {},
                .tally = {}};
  std::vector<std::jthread> threads;
  for (size_t i = 0; i < connections_.size(); ++i) {
    threads.emplace_back([this, i, &shared] { serve(*connections_[i], i, shared); });
  }
  threads.clear();  // joins
  if (shared.failure) std::rethrow_exception(shared.failure);
  shared.tally.seconds = std::chrono::duration<double>(Clock::now() - shared.start).count();
  return std::move(shared.tally);
}

}  // namespace hs::bench
