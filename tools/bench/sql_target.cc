#include "sql_target.h"

#include <sys/prctl.h>

#include <atomic>
#include <exception>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include "schedule.h"
#include "sql_connection.h"

namespace hs::bench {

namespace {

// What the threads of one phase share. Any thread that is free takes the next request.
struct Shared {
  Shared(const Workload& the_workload, const Phase& the_phase)
      : workload(the_workload), phase(the_phase), requests(phase.requests), start(Clock::now()) {
    if (phase.rate == 0) return;
    schedule.emplace(start, phase.rate);
    requests = Schedule::requests(phase);
  }

  bool has(uint64_t request, Clock::time_point now) const {
    if (failed.load(std::memory_order_relaxed)) return false;
    if (requests > 0) return request < requests;
    return now < start + std::chrono::duration<double>(phase.seconds);
  }

  const Workload& workload;
  const Phase& phase;
  uint64_t requests;  // 0: until the time is over
  const Clock::time_point start;
  std::optional<Schedule> schedule;
  std::atomic<uint64_t> next{0};
  std::atomic<uint64_t> answers{0};
  std::atomic<uint64_t> errors{0};
  std::atomic<bool> failed{false};
  std::mutex mutex;
  std::exception_ptr failure;  // under the mutex
  Tally tally;                 // under the mutex
};

// One thread's part of a phase.
class Worker {
 public:
  Worker(SqlConnection& connection, Shared& shared, bool reports)
      : connection_(connection), shared_(shared), reports_(reports && shared.phase.progress) {}

  void run() {
    ::prctl(PR_SET_TIMERSLACK, 1UL);  // otherwise requests of a schedule leave 50 us late
    Clock::time_point now = Clock::now();
    for (uint64_t i; shared_.has(i = shared_.next.fetch_add(1), now);) {
      Clock::time_point at = now;
      if (shared_.schedule) {
        at = shared_.schedule->at(i);
        std::this_thread::sleep_until(at);
      }
      execute(shared_.workload.request(shared_.phase.first + i), at);
      now = Clock::now();
      report(now);
    }
    const std::lock_guard lock(shared_.mutex);
    shared_.tally.merge(tally_);
  }

 private:
  void execute(const Request& request, Clock::time_point at) {
    const uint64_t rows = connection_.execute(request, &error_);
    tally_.latency.record(static_cast<uint64_t>((Clock::now() - at).count()));
    tally_.rows += rows;
    shared_.answers.fetch_add(1, std::memory_order_relaxed);
    if (rows > 0) return;
    tally_.count_error(request.key, error_);
    shared_.errors.fetch_add(1, std::memory_order_relaxed);
  }

  void report(Clock::time_point now) {
    if (!reports_ || now < next_progress_) return;
    next_progress_ = now + kProgressInterval;
    shared_.phase.progress({shared_.answers.load(std::memory_order_relaxed),
                            shared_.errors.load(std::memory_order_relaxed),
                            std::chrono::duration<double>(now - shared_.start).count()});
  }

  SqlConnection& connection_;
  Shared& shared_;
  const bool reports_;
  Clock::time_point next_progress_ = shared_.start + kProgressInterval;
  std::string error_;
  Tally tally_;
};

void serve(SqlConnection& connection, Shared& shared, bool reports) {
  ::mysql_thread_init();
  try {
    Worker(connection, shared, reports).run();
  } catch (...) {
    const std::lock_guard lock(shared.mutex);
    shared.failed = true;
    shared.failure = std::current_exception();
  }
  ::mysql_thread_end();
}

}  // namespace

SqlTarget::SqlTarget(const Place& place, const Workload& workload, const SqlOptions& options,
                     size_t connections)
    : workload_(workload) {
  ::mysql_library_init(0, nullptr, nullptr);
  for (size_t i = 0; i < connections; ++i) {
    if (options.prepared) {
      connections_.push_back(std::make_unique<SqlPreparedConnection>(place, workload, options));
    } else {
      connections_.push_back(std::make_unique<SqlTextConnection>(place, workload, options));
    }
  }
}

SqlTarget::~SqlTarget() {
  connections_.clear();
  ::mysql_library_end();
}

Tally SqlTarget::run(const Phase& phase) {
  Shared shared(workload_, phase);
  std::vector<std::jthread> threads;
  for (size_t i = 0; i < connections_.size(); ++i) {
    threads.emplace_back([this, i, &shared] { serve(*connections_[i], shared, i == 0); });
  }
  threads.clear();  // joins
  if (shared.failure) std::rethrow_exception(shared.failure);
  shared.tally.seconds = std::chrono::duration<double>(Clock::now() - shared.start).count();
  return std::move(shared.tally);
}

}  // namespace hs::bench
