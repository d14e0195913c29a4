// A mutex, its lock and a condition, as the standard library has them, that clang can check: data
// says by which mutex it is guarded, a function which one its caller holds, and what breaks that is
// an error (-Wthread-safety, in `./test lint`). Other compilers see the standard ones.
//
//   Mutex mutex_;
//   size_t count_ HS_GUARDED_BY(mutex_) = 0;
//   void grow() HS_REQUIRES(mutex_);
//
//   const MutexLock lock(mutex_);
//   while (count_ == 0) changed_.wait(lock);
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>

#ifdef __clang__
#define HS_THREAD_SAFETY(attribute) __attribute__((attribute))
#else
#define HS_THREAD_SAFETY(attribute)
#endif

// Of data: read and written only by a thread that has locked the mutex.
#define HS_GUARDED_BY(mutex) HS_THREAD_SAFETY(guarded_by(mutex))
// Of a function: its caller has locked the mutex, or has not and must not have.
#define HS_REQUIRES(...) HS_THREAD_SAFETY(requires_capability(__VA_ARGS__))
#define HS_EXCLUDES(...) HS_THREAD_SAFETY(locks_excluded(__VA_ARGS__))
// Of a function that breaks the rule for a reason that is given beside it.
#define HS_NO_THREAD_SAFETY_ANALYSIS HS_THREAD_SAFETY(no_thread_safety_analysis)

namespace hs {

class HS_THREAD_SAFETY(capability("mutex")) Mutex {
 public:
  Mutex() = default;
  Mutex(const Mutex&) = delete;
  Mutex& operator=(const Mutex&) = delete;

  void lock() HS_THREAD_SAFETY(acquire_capability()) { mutex_.lock(); }
  void unlock() HS_THREAD_SAFETY(release_capability()) { mutex_.unlock(); }

 private:
  friend class MutexLock;
  std::mutex mutex_;
};

// Locks from here to the end of the scope, or to unlock().
class HS_THREAD_SAFETY(scoped_lockable) MutexLock {
 public:
  explicit MutexLock(Mutex& mutex) HS_THREAD_SAFETY(acquire_capability(mutex))
      : lock_(mutex.mutex_) {}
  MutexLock(const MutexLock&) = delete;
  MutexLock& operator=(const MutexLock&) = delete;
  ~MutexLock() HS_THREAD_SAFETY(release_capability()) = default;

  void lock() HS_THREAD_SAFETY(acquire_capability()) { lock_.lock(); }
  void unlock() HS_THREAD_SAFETY(release_capability()) { lock_.unlock(); }

 private:
  friend class Condition;
  std::unique_lock<std::mutex> lock_;
};

// As std::condition_variable. Every wait() may return for no reason, so look again in a loop: what
// a predicate in a lambda touches is not seen as guarded.
class Condition {
 public:
  void notify_one() { condition_.notify_one(); }
  void notify_all() { condition_.notify_all(); }
  void wait(MutexLock& lock) { condition_.wait(lock.lock_); }
  // False: the time is over, which is not to say that nothing else has happened.
  bool wait_for(MutexLock& lock, std::chrono::milliseconds time) {
    return condition_.wait_for(lock.lock_, time) == std::cv_status::no_timeout;
  }
  // False: the time has come, which is not to say that nothing else has happened.
  template <class TimePoint>
  bool wait_until(MutexLock& lock, const TimePoint& time) {
    return condition_.wait_until(lock.lock_, time) == std::cv_status::no_timeout;
  }

 private:
  std::condition_variable condition_;
};

}  // namespace hs
