// What reactors and executors ask of the pool that brings them together.
#pragma once

#include <chrono>
#include <condition_variable>

namespace hs::server {

class Reactor;

class Dispatcher {
 public:
  // Any thread, also inside the engine: calls an executor, at once or as soon as one stands by.
  virtual void want_leader(Reactor& reactor) = 0;
  // Calls one that stands by, if any, to look after the reactor's leader.
  virtual void want_watcher(Reactor& reactor) = 0;

  // Whether one more thread may wait for a lock in the engine; it calls end_wait() then. So many
  // may that others are left to lead the reactors. Any thread.
  virtual bool begin_wait() = 0;
  virtual void end_wait() = 0;

  // Where one executor stands by. Guarded by the dispatcher.
  struct Standby {
    std::condition_variable called;
    bool is_called = false;  // for something else than a reactor
    bool started = false;    // it has stood by once
    bool retired = false;    // its thread ends, or has ended, since it was not needed
  };
  struct Call {
    enum What { kNothing, kLead, kWatch, kEnd } what = kNothing;
    Reactor* reactor = nullptr;
  };

  // Stands by, on the executor's thread. kNothing: it was called for something else, or has held
  // tables for long enough.
  virtual Call wait_for_call(Standby& standby, bool holds_tables) = 0;
  // Stands by for `time` at most, for nothing but call().
  virtual void pause(Standby& standby, std::chrono::milliseconds time) = 0;
  // Any thread: ends wait_for_call() or pause() there, now or the next one.
  virtual void call(Standby& standby) = 0;
  // Makes another thread if none stands by. Throws std::exception when it cannot.
  virtual void grow() = 0;

  virtual bool stopping() const = 0;

 protected:
  ~Dispatcher() = default;
};

}  // namespace hs::server
