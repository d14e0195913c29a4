// Accepts the connections of one listener and hands them on. Has no thread of its own: run() is the
// work of its caller's.
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
    // A new connection, non-blocking. All handlers are called on the thread of run() and must not
    // throw.
    std::function<void(FileDescriptor)> accepted;
    // A connection that took the last descriptor of the process. To be told so, and closed.
    std::function<void(FileDescriptor)> refused;
    // A message for the operator, sent once for as long as its cause lasts.
    std::function<void(std::string_view)> warning;
  };

  // `listener` must outlive the acceptor. Check operator bool: false when the process is out of
  // descriptors.
  Acceptor(const Listener& listener, Handlers handlers);
  explicit operator bool() const { return stop_ && spare_; }

  // Accepts until stop(), and then those that wait. Clients for which there is no descriptor are refused. While the system
  // can do nothing at all (it is out of memory), clients wait in its queue.
  void run();

  // Any thread, before or during run(), which then returns soon.
  void stop() { stop_.notify(); }

 private:
  // False: the system could not go on.
  bool accept_waiting(const FileDescriptor& listening);
  void accept_the_last();
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
