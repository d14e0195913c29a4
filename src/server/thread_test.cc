#include "server/thread.h"

#include <gtest/gtest.h>

namespace hs::server {
namespace {

sigset_t mask_of_this_thread() {
  sigset_t mask;
  ::pthread_sigmask(SIG_BLOCK, nullptr, &mask);
  return mask;
}

TEST(Thread, BlocksTheSignalsOfTheProcessButNotThoseOfItsOwnFaults) {
  const sigset_t before = mask_of_this_thread();
  sigset_t mask;
  start_thread("hs-test", [&mask] { mask = mask_of_this_thread(); }).join();
  for (const int signal : {SIGTERM, SIGHUP, SIGINT, SIGUSR1, SIGALRM, SIGCHLD, SIGPIPE})
    EXPECT_TRUE(::sigismember(&mask, signal)) << signal;
  for (const int fault : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP, SIGSYS})
    EXPECT_FALSE(::sigismember(&mask, fault)) << fault;
  const sigset_t after = mask_of_this_thread();
  for (int signal = 1; signal < SIGRTMIN; ++signal)
    EXPECT_EQ(::sigismember(&before, signal), ::sigismember(&after, signal)) << signal;
}

}  // namespace
}  // namespace hs::server
