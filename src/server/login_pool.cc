#include "server/login_pool.h"

#include <algorithm>
#include <exception>
#include <new>
#include <utility>

#include "server/thread.h"

namespace hs::server {

using exec::Exchange;
using exec::Login;
using std::chrono::milliseconds;

namespace {

// How often a thread that waits for a client looks whether the database shuts down.
constexpr milliseconds kLookAround{100};

Login& login_of(const Peer& peer) { return *peer.client.login(); }

}  // namespace

// A login with which a thread is busy, and which may put questions to its client.
class LoginPool::Asking final : public engine::Dialogue {
 public:
  Asking(LoginPool& pool, const LoginJob& job) : pool_(pool), job_(job) {}

  Outcome ask(std::string_view method, std::string_view question, std::string* answer) override {
    if (!job_.login->takes(method)) return Outcome::kCannot;
    if (!begin(method, question)) return Outcome::kGivenUp;
    // From here on to its answer the client may go at any time.
    job_.receiver->take_back(*job_.peer);
    const Exchange::End end = wait();
    {
      const MutexLock lock(pool_.mutex_);
      std::erase(pool_.asking_, this);
    }
    if (end == Exchange::End::kAnswered) {
      answer->append(job_.login->credentials.secret);
      job_.login->credentials.forget_secret();
      return Outcome::kAnswered;
    }
    const bool is_clients_fault = end == Exchange::End::kLeft || end == Exchange::End::kLate;
    return is_clients_fault ? Outcome::kLeft : Outcome::kGivenUp;
  }

  const std::string& host() const { return job_.host; }
  Exchange& exchange() const { return job_.login->exchange; }

 private:
  bool begin(std::string_view method, std::string_view question) try {
    const MutexLock lock(pool_.mutex_);
    if (pool_.stopping_) return false;
    pool_.asking_.reserve(pool_.asking_.size() + 1);
    job_.login->ask(method, question);
    pool_.asking_.push_back(this);
    pool_.make_room();
    return true;
  } catch (const std::bad_alloc&) {
    return false;
  }

  Exchange::End wait() {
    const Clock::time_point until = Clock::now() + pool_.options_.longest_question;
    for (;;) {
      if (const auto end = exchange().wait_for(kLookAround)) return *end;
      if (pool_.engine_.is_stopping()) {
        exchange().give_up(Exchange::End::kStopped);
      } else if (Clock::now() >= until) {
        exchange().give_up(Exchange::End::kLate);
      }
    }
  }

  LoginPool& pool_;
  const LoginJob& job_;
};

LoginPool::LoginPool(const Options& options, engine::Engine& engine)
    : options_(options),
      engine_(engine),
      queues_{LoginQueue({options.most_at_once, options.most_waiting}),
              LoginQueue({options.most_held, options.most_waiting})} {}

LoginPool::~LoginPool() {
  request_stop();
  join();
}

void LoginPool::make_threads(const StartGate& gate) {
  const MutexLock lock(mutex_);
  for (unsigned number = 1; number <= options_.threads; ++number) {
    Worker& worker = *workers_.emplace_back(std::make_unique<Worker>());
    worker.thread = start_thread("hs-login-" + std::to_string(number), [&gate, &worker, this] {
      if (gate.wait()) run(worker);
    });
    ++threads_;
    ++idle_;
  }
}

bool LoginPool::submit(Peer& peer, LoginReceiver& receiver) {
  Login& login = login_of(peer);
  if (login.is_under_way()) return go_on(peer, receiver);
  const bool is_held = login.credentials.proof == engine::Credentials::Proof::kDialogue;
  const Kind kind = is_held && !login.is_decoy ? kHeld : kOrdinary;
  LoginJobs job;
  try {
    job.push_back({&peer, &receiver, Clock::now(), peer.client.shared_login(), peer.host()});
  } catch (const std::bad_alloc&) {
  }
  const MutexLock lock(mutex_);
  if (!stopping_ && !job.empty()) {
    LoginJobs crowded = queues_[kind].add(std::move(job));
    const bool is_in = crowded.empty() || crowded.front().peer != &peer;
    if (is_in) {
      refuse(std::move(crowded));
      if (kind == kHeld) make_room();
      call_threads();
      return true;
    }
  }
  ++refused_;
  login.refuse(stopping_ ? ErrorCode::kShutdown : ErrorCode::kTooManyLogins);
  return false;
}

// Too many wait, or have waited for too long. A thread gives their peers back.
void LoginPool::refuse(LoginJobs jobs) {
  for (LoginJob& job : jobs) {
    job.login->refuse(ErrorCode::kTooManyLogins);
    job.login.reset();
    job.time = {};  // its delay is over
    ++refused_;
  }
  delayed_.splice(delayed_.begin(), jobs);
}

// The peer has the answer to a question.
bool LoginPool::go_on(Peer& peer, LoginReceiver& receiver) {
  Login& login = login_of(peer);
  if (login.exchange.answer()) return true;
  switch (login.exchange.given_up().value_or(Exchange::End::kLate)) {
    case Exchange::End::kCrowded:
      login.refuse(ErrorCode::kTooManyLogins);
      return false;
    case Exchange::End::kStopped:
      login.refuse(ErrorCode::kShutdown);
      return false;
    case Exchange::End::kAnswered:
    case Exchange::End::kLeft:
    case Exchange::End::kLate:
      break;
  }
  login.refuse(ErrorCode::kUnauthorized);
  const MutexLock lock(mutex_);
  if (stopping_) return false;
  if (!delay({&peer, &receiver, {}, nullptr, {}})) return false;
  call_threads();
  return true;
}

// The thread of a held login is needed for one that waits, if none may be had. No host's gives way to
// one of a host that has as many under way. Those that have given way count until their threads end
// them.
void LoginPool::make_room() {
  const LoginQueue& queue = queues_[kHeld];
  const LoginJob* const waiting = queue.first_waiting();
  if (waiting == nullptr || queue.takeable() > 0) return;
  const auto rank = [&queue](const Asking* one) { return queue.under_way_of(one->host()); };
  while (!asking_.empty()) {
    auto victim = asking_.begin();
    for (auto one = asking_.begin(); one != asking_.end(); ++one) {
      if (rank(*one) > rank(*victim)) victim = one;
    }
    const std::string& host = (*victim)->host();
    if (host != waiting->host && rank(*victim) <= queue.under_way_of(waiting->host)) return;
    const bool ended = (*victim)->exchange().give_up(Exchange::End::kCrowded);
    asking_.erase(victim);
    if (ended) return;
  }
}

void LoginPool::request_stop() {
  const MutexLock lock(mutex_);
  stopping_ = true;
  for (Asking* asking : asking_) asking->exchange().give_up(Exchange::End::kStopped);
  changed_.notify_all();
}

void LoginPool::join() {
  std::vector<std::unique_ptr<Worker>> workers;
  {
    const MutexLock lock(mutex_);
    workers.swap(workers_);
  }
  for (const auto& worker : workers) {
    if (worker->thread.joinable()) worker->thread.join();
  }
  const MutexLock lock(mutex_);
  for (LoginQueue& queue : queues_) {
    for (const LoginJob& job : queue.take_all_waiting()) {
      job.login->refuse(ErrorCode::kShutdown);
      job.receiver->take_back(*job.peer);
    }
  }
  for (const LoginJob& job : delayed_) job.receiver->take_back(*job.peer);
  delayed_.clear();
}

// Of which a login may be taken now. Null: there is none.
LoginQueue* LoginPool::queue_in_turn() {
  for (LoginQueue& queue : queues_) {
    if (queue.takeable() > 0) return &queue;
  }
  return nullptr;
}

void LoginPool::refuse_late() {
  const Clock::time_point latest = Clock::now() - options_.longest_wait;
  for (LoginQueue& queue : queues_) refuse(queue.take_older_than(latest));
}

// When a thread has to look again, though nothing is called for: for a peer whose delay is over, or
// for a login that has waited for too long. The end of time: never.
LoginPool::Clock::time_point LoginPool::next_moment() const {
  auto moment = delayed_.empty() ? Clock::time_point::max() : delayed_.front().time;
  for (const LoginQueue& queue : queues_) {
    const LoginJob* const oldest = queue.oldest_kept();
    if (oldest != nullptr) moment = std::min(moment, oldest->time + options_.longest_wait);
  }
  return moment;
}

// Gives peers back whose delay is over, and carries out logins, until the pool stops or the thread
// has been idle for too long.
void LoginPool::run(Worker& worker) {
  MutexLock lock(mutex_);
  --idle_;
  Clock::time_point idle_since = Clock::now();
  while (!stopping_) {
    refuse_late();
    if (!delayed_.empty() && delayed_.front().time <= Clock::now()) {
      LoginJobs due;
      due.splice(due.begin(), delayed_, delayed_.begin());
      lock.unlock();
      due.front().receiver->take_back(*due.front().peer);
      lock.lock();
    } else if (LoginQueue* const queue = queue_in_turn()) {
      LoginJob& job = queue->take();
      call_threads();
      lock.unlock();
      carry_out(job);
      job.login.reset();  // outside the mutex: this may be its last user
      lock.lock();
      queue->end(job);
      idle_since = Clock::now();
    } else if (!idle(idle_since, lock)) {
      break;
    }
  }
  --threads_;
  worker.has_ended = true;
}

// Whether one thread more is there than was needed lately. Each is needed now and then, since the
// logins go from one to the next.
bool LoginPool::is_surplus(Clock::time_point now) {
  if (now >= period_end_) {
    period_end_ = now + options_.longest_idle;
    surplus_ = std::exchange(least_idle_, idle_);
  }
  if (surplus_ == 0) return false;
  --surplus_;
  return true;
}

// Waits for something to do. False: for too long, or there are more threads than are needed.
bool LoginPool::idle(const Clock::time_point& since, MutexLock& lock) {
  constexpr Clock::time_point kNever = Clock::time_point::max();
  const Clock::time_point moment = next_moment();
  const bool is_only_one = idle_ == 0 && moment != kNever;
  const bool may_end = threads_ > options_.threads && !is_only_one;
  const Clock::time_point end = since + options_.longest_idle;
  const Clock::time_point now = Clock::now();
  if (may_end && (is_surplus(now) || now >= end)) return false;
  ++idle_;
  const Clock::time_point until = may_end ? std::min(moment, end) : moment;
  if (until == kNever) {
    changed_.wait(lock);
  } else {
    changed_.wait_until(lock, until);
  }
  least_idle_ = std::min(least_idle_, --idle_);
  return true;
}

// Sees to it that there is a thread for each login that may be carried out, and one for the peers
// that are kept back and the logins that wait.
void LoginPool::call_threads() {
  size_t wanted = next_moment() == Clock::time_point::max() ? 0 : 1;
  for (const LoginQueue& queue : queues_) wanted += queue.takeable();
  if (wanted == 0) return;
  changed_.notify_one();
  while (idle_ < wanted && threads_ < options_.most_at_once + options_.most_held + 1) {
    if (!add_thread()) return;
  }
}

// False: what waits is done by the other threads, later.
bool LoginPool::add_thread() try {
  auto place = std::find_if(workers_.begin(), workers_.end(),
                            [](const auto& worker) { return worker->has_ended; });
  if (place == workers_.end()) {
    workers_.reserve(workers_.size() + 1);
    workers_.push_back(std::make_unique<Worker>());
    workers_.back()->has_ended = true;
    place = workers_.end() - 1;
  }
  Worker& worker = **place;
  if (worker.thread.joinable()) worker.thread.join();  // it is past its last use of the mutex
  const auto number = place - workers_.begin() + 1;
  worker.thread =
      start_thread("hs-login-" + std::to_string(number), [&worker, this] { run(worker); });
  worker.has_ended = false;
  ++threads_;
  ++idle_;
  return true;
} catch (const std::exception&) {
  return false;
}

// False: there is no memory for it.
bool LoginPool::delay(LoginJob job) try {
  job.time = Clock::now() + options_.failure_delay;
  delayed_.push_back(std::move(job));
  return true;
} catch (const std::bad_alloc&) {
  return false;
}

void LoginPool::carry_out(const LoginJob& job) {
  Login& login = *job.login;
  Asking asking(*this, job);
  if (!login.carry_out(engine_, &asking)) {
    const bool crowded = login.exchange.given_up() == Exchange::End::kCrowded;
    const MutexLock lock(mutex_);
    ++(crowded ? refused_ : failed_);
    return;
  }
  const bool failed = login.has_failed();
  {
    const MutexLock lock(mutex_);
    if (!login.wants_decoy()) ++(failed ? failed_ : logins_);
    if (failed && delay({job.peer, job.receiver, {}, nullptr, {}})) return;
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
