#include "interrupt.h"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <ctime>

#include "status.h"

namespace hs::tool {
namespace {

constexpr time_t patience = 1;  // seconds in which a command may end by itself
volatile std::sig_atomic_t is_noted = 0, is_running = 0;
volatile time_t noted_at = 0;

time_t now() {
  timespec time = {};
  (void)::clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec;
}

void note(int) {
  if (is_noted == 0) {
    noted_at = now();
  } else if (is_running != 0 && now() > noted_at + patience) {
    ::_exit(interrupted);
  }
  is_noted = 1;
}

}  // namespace

void catch_interrupts() {
  struct sigaction action = {};
  action.sa_handler = note;
  (void)::sigaction(SIGINT, &action, nullptr);
}

Interruptible::Interruptible() {
  is_noted = 0;
  is_running = 1;
}

Interruptible::~Interruptible() { is_running = 0; }

bool is_interrupted() { return is_noted != 0; }

void forget_interrupt() { is_noted = 0; }

void throw_if_interrupted() {
  if (is_interrupted()) throw Interrupted();
}

void pause(double seconds) {
  constexpr double step = 0.1;  // a Ctrl-C in front of a long one would come too early for it
  for (; seconds > 0 && !is_interrupted(); seconds -= step) {
    (void)::poll(nullptr, 0, static_cast<int>(std::min(seconds, step) * 1000));
  }
}

}  // namespace hs::tool
