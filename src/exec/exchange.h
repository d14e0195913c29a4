// Where a login that is under way on a thread meets its client, of which the database wants to know
// more.
//
//   the login's thread   open() -> wait_for()
//   any other thread     answer() or give_up(), which end the wait
//
// The first of these two counts. What is given to the client before, and what it has answered, may
// be written and read without a further lock.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

#include "base/mutex.h"

namespace hs::exec {

class Exchange {
 public:
  enum class End : uint8_t {
    kAnswered,
    // The login is given up, and there are no further questions:
    kLeft,     // the client has gone, or begun another login
    kLate,     // it has not answered in time
    kCrowded,  // another login was given the thread
    kStopped,  // no more logins are carried out
  };

  // A question is open. No other one is.
  void open();
  // None: the time is over, and the question is still open.
  std::optional<End> wait_for(std::chrono::milliseconds time);

  // Any thread, also when no question is open; these then do nothing.
  bool answer() { return end(End::kAnswered); }
  bool give_up(End why) { return end(why); }
  bool is_open() const;

  // None: the login was not given up.
  std::optional<End> given_up() const;

 private:
  bool end(End how);

  mutable Mutex mutex_;
  Condition ended_;
  bool is_open_ HS_GUARDED_BY(mutex_) = false;
  std::optional<End> end_ HS_GUARDED_BY(mutex_);
};

}  // namespace hs::exec
