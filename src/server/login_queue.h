// The logins that wait for a thread, and those that threads carry out: which is next, and which
// gives way when too many wait. All clients of a Unix socket are of one host.
//
// No host locks out the others. The next login is one of the host that has the fewest
// under way; of several such hosts, the one that has waited for longest. A host has only as many
// under way as there are threads free. So one host can have half of the threads, the next one half of
// the rest, and so on, and there is a thread for the first login of a further one. When too many wait, the newest one of the host that has
// most of them gives way; of several such hosts, the newest one of all.
//
// Not thread-safe.
#pragma once

#include <chrono>
#include <cstddef>
#include <list>
#include <memory>
#include <string>

#include "exec/login.h"

namespace hs::server {

struct Peer;
class LoginReceiver;

struct LoginJob {
  Peer* peer = nullptr;
  LoginReceiver* receiver = nullptr;
  std::chrono::steady_clock::time_point time;  // when it came; in a delay: when it goes back
  std::shared_ptr<exec::Login> login;
  std::string host;  // of the client
};

// Jobs move between such lists without an allocation.
using LoginJobs = std::list<LoginJob>;

class LoginQueue {
 public:
  struct Limits {
    size_t most_under_way = 1;
    size_t most_waiting = 1;
  };
  explicit LoginQueue(const Limits& limits) : limits_(limits) {}

  // Takes the one job of the list. If there are too many now, returns the one that gives way, which
  // may be the same; otherwise nothing.
  LoginJobs add(LoginJobs job);

  // How many of those that wait may be taken now, at most; 0 if none may.
  size_t takeable() const;
  // The next one is under way until end(). Only if takeable(). The job stays where it is.
  LoginJob& take();
  void end(const LoginJob& job);

  // The one that has waited for longest; null: all that wait may be taken now.
  const LoginJob* oldest_kept() const;
  // Leaves none that waits and has come before this time.
  LoginJobs take_older_than(std::chrono::steady_clock::time_point time);

  // The one that is to be the next; null: none waits.
  const LoginJob* first_waiting() const;
  size_t under_way_of(const std::string& host) const;
  // Leaves none that waits.
  LoginJobs take_all_waiting();

 private:
  // The end of the list: none may be taken.
  LoginJobs::const_iterator next() const;
  size_t free() const { return limits_.most_under_way - under_way_.size(); }
  // Only those of hosts that have less than `fewest` under way.
  LoginJobs::const_iterator in_turn(size_t fewest) const;

  const Limits limits_;
  LoginJobs waiting_;  // the oldest first
  LoginJobs under_way_;
};

}  // namespace hs::server
