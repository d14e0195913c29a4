#include "server/login_pool.h"

#include <new>

#include "exec/login.h"
#include "server/thread.h"

namespace hs::server {

LoginPool::LoginPool(const Options& options, engine::Engine& engine)
    : options_(options), engine_(engine) {}

LoginPool::~LoginPool() {
  request_stop();
  join();
}

void LoginPool::make_threads(const StartGate& gate) {
  for (unsigned number = 1; number <= options_.threads; ++number) {
    threads_.push_back(start_thread("hs-login-" + std::to_string(number), [&gate, this] {
      if (gate.wait()) run();
    }));
  }
}

bool LoginPool::submit(Peer& peer, LoginReceiver& receiver) {
  const MutexLock lock(mutex_);
  if (!stopping_ && waiting_.size() < options_.most_waiting) {
    try {
      waiting_.push_back({&peer, &receiver, Clock::now()});
      changed_.notify_one();
      return true;
    } catch (const std::bad_alloc&) {
    }
  }
  ++refused_;
  peer.client.login()->refuse(ErrorCode::kTooManyLogins);
  return false;
}

void LoginPool::request_stop() {
  const MutexLock lock(mutex_);
  stopping_ = true;
  changed_.notify_all();
}

void LoginPool::join() {
  for (std::thread& thread : threads_) {
    if (thread.joinable()) thread.join();
  }
  const MutexLock lock(mutex_);
  for (std::deque<Job>* jobs : {&waiting_, &delayed_}) {
    for (const Job& job : *jobs) {
      if (jobs == &waiting_) job.peer->client.login()->refuse(ErrorCode::kShutdown);
      job.receiver->take_back(*job.peer);
    }
    jobs->clear();
  }
}

void LoginPool::run() {
  Job job{};
  while (take_job(&job)) carry_out(job);
}

// Waits for a login, and gives peers back meanwhile whose delay is over. False: the pool stops.
bool LoginPool::take_job(Job* job) {
  MutexLock lock(mutex_);
  for (;;) {
    if (stopping_) return false;
    if (!delayed_.empty() && delayed_.front().time <= Clock::now()) {
      const Job due = delayed_.front();
      delayed_.pop_front();
      lock.unlock();
      due.receiver->take_back(*due.peer);
      lock.lock();
    } else if (!waiting_.empty()) {
      *job = waiting_.front();
      waiting_.pop_front();
      return true;
    } else if (!delayed_.empty()) {
      const Clock::time_point due = delayed_.front().time;
      changed_.wait_until(lock, due);
    } else {
      changed_.wait(lock);
    }
  }
}

void LoginPool::carry_out(const Job& job) {
  exec::Login& login = *job.peer->client.login();
  const bool late = Clock::now() - job.time > options_.longest_wait;
  if (late) {
    login.refuse(ErrorCode::kTooManyLogins);
  } else {
    login.carry_out(engine_);
  }
  const bool failed = login.has_failed();
  {
    const MutexLock lock(mutex_);
    if (late) {
      ++refused_;
    } else {
      ++(failed ? failed_ : logins_);
    }
    if (failed) {
      try {
        delayed_.push_back({job.peer, job.receiver, Clock::now() + options_.failure_delay});
        return;
      } catch (const std::bad_alloc&) {
      }
    }
  }
  job.receiver->take_back(*job.peer);
}

void LoginPool::add_to(Statistics& sum) const {
  const MutexLock lock(mutex_);
  sum.logins += logins_;
  sum.logins_failed += failed_;
  sum.logins_refused += refused_;
}

}  // namespace hs::server
