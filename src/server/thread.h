// Starts a thread inside another program's process.
#pragma once

#include <pthread.h>
#include <signal.h>
#include <sys/prctl.h>

#include <string>
#include <thread>

namespace hs::server {

// Signals to the process are left to the program's own threads, so they are blocked here. Signals
// for a fault of the thread itself are not: the program's handlers report the crash. `name` has at
// most 15 bytes. Throws std::system_error.
template <class Work>
std::thread start_thread(std::string name, Work work) {
  sigset_t blocked;
  sigset_t before;
  ::sigfillset(&blocked);
  for (const int fault : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP, SIGSYS})
    ::sigdelset(&blocked, fault);
  ::pthread_sigmask(SIG_SETMASK, &blocked, &before);
  struct Restore {
    const sigset_t& mask;
    ~Restore() { ::pthread_sigmask(SIG_SETMASK, &mask, nullptr); }
  } const restore{before};
  return std::thread([name = std::move(name), work = std::move(work)] {
    ::pthread_setname_np(::pthread_self(), name.c_str());
    ::prctl(PR_SET_TIMERSLACK, 1000);  // else a wait of 20 µs takes 70
    work();
  });
}

}  // namespace hs::server
