// What reactors and executors need from the pool that brings them together.
#pragma once

#include <chrono>

#include "base/mutex.h"

namespace hs::server {

class Reactor;

class Dispatcher {
 public:
  // Any thread, also from inside the engine: calls an executor to lead the reactor, at once or as
  // soon as one stands by.
  virtual void want_leader(Reactor& reactor) = 0;
  // Likewise: calls an executor that stands by, if any, to watch the reactor's leader.
  virtual void want_watcher(Reactor& reactor) = 0;

  // Any thread: whether one more thread may wait for a lock in the engine. True: it must call
  // end_wait() afterwards. Refuses when too few threads would be left to lead the reactors.
  virtual bool begin_wait() = 0;
  virtual void end_wait() = 0;

  // Where one executor stands by. Guarded by the dispatcher.
  struct Standby {
    Condition called;
    bool is_called = false;  // by call(), not for a reactor
    bool started = false;    // the executor has stood by once
    bool retired = false;    // its thread ends, or has ended, since it was not needed
  };
  struct Call {
    enum What { kNothing, kLead, kWatch, kEnd } what = kNothing;
    Reactor* reactor = nullptr;
  };

  // Stands by, on the executor's thread, until it is called. kNothing: by call(), or because it has
  // held tables for long enough.
  virtual Call wait_for_call(Standby& standby, bool holds_tables) = 0;
  // Stands by for `time` at most. Only call() ends it earlier.
  virtual void pause(Standby& standby, std::chrono::milliseconds time) = 0;
  // Any thread: ends the present wait_for_call() or pause() of that executor, or else its next one.
  virtual void call(Standby& standby) = 0;
  // Makes another thread if none stands by and there may be one more. Throws std::exception when it
  // cannot.
  virtual void grow() = 0;

  virtual bool stopping() const = 0;

 protected:
  ~Dispatcher() = default;
};

}  // namespace hs::server
