// Accepts the connections of one listener and hands them on. Has no thread of its own: run() is the
// work of one.
#pragma once

#include <poll.h>

#include <functional>
#include <string_view>
#include <vector>

#include "net/file_descriptor.h"
#include "net/listener.h"
#include "net/wakeup.h"

namespace hs::net {

class Acceptor {
 public:
  struct Handlers {
    // A new connection, non-blocking. On the thread of run(), as all of these; must not throw.
    std::function<void(FileDescriptor)> accepted;
    // One that was accepted with the last descriptor of the process, to be told so and closed.
    std::function<void(FileDescriptor)> refused;
    // Something the operator should know, said once for as long as it lasts. Must not throw.
    std::function<void(std::string_view)> warning;
  };

  // `listener` must outlive the acceptor. Check operator bool: false when the process is out of
  // descriptors.
  Acceptor(const Listener& listener, Handlers handlers);
  explicit operator bool() const { return stop_ && spare_; }

  // Accepts until stop(). Those for whom there is no descriptor are refused. Where the system can
  // do nothing at all now (it is out of memory), clients wait in its queue.
  void run();

  // Any thread; before or during run(), which then returns soon.
  void stop() { stop_.notify(); }

 private:
  // False: the system could not go on.
  bool accept_waiting(const FileDescriptor& listening);
  bool refuse_one(const FileDescriptor& listening);
  bool stopped(int wait_ms);
  void warn(int error);

  const Listener& listener_;
  const Handlers handlers_;
  Wakeup stop_;
  FileDescriptor spare_;         // given up for a moment to refuse a client
  std::vector<pollfd> watched_;  // the listening sockets, then stop_
  bool warned_ = false;
};

}  // namespace hs::net
