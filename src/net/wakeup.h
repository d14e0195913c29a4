// Ends a thread's wait in epoll or poll from another thread (an eventfd).
#pragma once

#include <sys/eventfd.h>
#include <unistd.h>

#include <cstdint>

#include "net/file_descriptor.h"

namespace hs::net {

class Wakeup {
 public:
  // operator bool is false when the process is out of descriptors; no other function may be called
  // then.
  Wakeup() : event_(::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)) {}
  explicit operator bool() const { return static_cast<bool>(event_); }

  // Readable from notify() until drain().
  int fd() const { return event_.get(); }

  // Any thread. Never blocks: a counter that is full is readable already.
  void notify() {
    const uint64_t one = 1;
    [[maybe_unused]] const ssize_t written = ::write(event_.get(), &one, sizeof one);
  }
  void drain() {
    uint64_t count;
    [[maybe_unused]] const ssize_t taken = ::read(event_.get(), &count, sizeof count);
  }

 private:
  FileDescriptor event_;
};

}  // namespace hs::net
