// hs_sync_delay: a disk that takes longer. Preloaded into a server, it makes each fsync and
// fdatasync that succeeds return later, as on a disk whose syncs take that much more time:
//
//   LD_PRELOAD=…/hs_sync_delay.so HS_SYNC_DELAY_MS=0.25 mariadbd …
//
// HS_SYNC_DELAY_MS: milliseconds, 0 to 10000, with a fraction or without. Nothing is delayed when it
// is unset, or is no such number. The thread sleeps until the delay has passed since the real call
// returned, and uses no CPU time meanwhile. Calls of several threads are delayed at the same time.
// Only the process that loaded the library is delayed, not one that it forks. Results and errno are
// those of the real calls. For benchmarks and tests.
#include <dlfcn.h>
#include <sys/prctl.h>
#include <sys/types.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <ctime>

namespace {

using Sync = int (*)(int);

constexpr double kMostMs = 10'000;
constexpr int64_t kSecondNs = 1'000'000'000;

int64_t delay_ns = 0;
pid_t process = 0;

Sync real(const char* name) { return reinterpret_cast<Sync>(::dlsym(RTLD_NEXT, name)); }

[[gnu::constructor]] void read_environment() {
  process = ::getpid();
  const char* const text = std::getenv("HS_SYNC_DELAY_MS");
  if (text == nullptr) return;
  char* end = nullptr;
  const double ms = std::strtod(text, &end);
  if (end != text && *end == '\0' && ms > 0 && ms <= kMostMs)
    delay_ns = static_cast<int64_t>(ms * 1e6);
}

void sleep_for_delay() {
  timespec until;
  ::clock_gettime(CLOCK_MONOTONIC, &until);
  const int64_t ns = until.tv_nsec + delay_ns;
  until.tv_sec += ns / kSecondNs;
  until.tv_nsec = ns % kSecondNs;
  // By default Linux may wake a thread 50 µs late.
  const int slack = ::prctl(PR_GET_TIMERSLACK);
  ::prctl(PR_SET_TIMERSLACK, 1UL);
  while (::clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, nullptr) == EINTR) {
  }
  if (slack > 0) ::prctl(PR_SET_TIMERSLACK, static_cast<unsigned long>(slack));
}

int delayed(Sync sync, int descriptor) {
  const int result = sync(descriptor);
  if (result != 0 || delay_ns == 0 || ::getpid() != process) return result;
  const int saved = errno;
  sleep_for_delay();
  errno = saved;
  return result;
}

}  // namespace

extern "C" {

[[gnu::visibility("default")]] int fsync(int descriptor) {
  static const Sync sync = real("fsync");
  return delayed(sync, descriptor);
}

[[gnu::visibility("default")]] int fdatasync(int descriptor) {
  static const Sync sync = real("fdatasync");
  return delayed(sync, descriptor);
}
}
