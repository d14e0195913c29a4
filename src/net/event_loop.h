// Moves bytes between one loop's connections and their buffers: the only place that waits for
// clients.
//
// The interface tells what is done, not what could be done (bytes are in input(), not "the socket
// is readable"), so that io_uring fits behind it as well as the epoll that is there now.
//
//   loop:   wait()  ->  the owner uses input(), fills output()  ->  send() each  ->  wait() ...
//
// All but adopt(), wake() and the counters is for one thread at a time, the loop's; it may be
// another one each time, if the one before has synchronized with it. Errors of a connection close
// that connection and are not reported otherwise.
#pragma once

#include <sys/epoll.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "base/clock.h"
#include "base/counter.h"
#include "base/limits.h"
#include "net/connection.h"
#include "net/spin.h"
#include "net/wakeup.h"

namespace hs::net {

class EventLoop {
 public:
  struct Options {
    size_t read_size = kReadSize;                 // bytes read from one connection in one wait()
    uint32_t high_water = Limits{}.max_buffered;  // of each connection's output, in bytes
    int64_t idle_timeout_ms = 300'000;  // a connection without traffic is closed after that
    int64_t spin_ns = 0;  // how long to look for events before sleeping, while that pays
    std::function<int64_t()> now_ms = monotonic_ms;
  };
  struct Counters {
    Counter bytes_received;
    Counter bytes_sent;
    Counter timed_out;
  };

  static constexpr int kForever = -1;
  static constexpr size_t kMaxEvents = 1024;  // connections that one wait() serves

  // Null, with errno set, when the process is out of descriptors.
  static std::unique_ptr<EventLoop> create(Options options);
  ~EventLoop();  // as shut()

  // Any thread: hands a connected, non-blocking socket over, and the new object for its connection.
  // False, and both stay the caller's, after shut(). May throw std::bad_alloc, likewise.
  bool adopt(std::unique_ptr<Connection>& connection, FileDescriptor& socket);
  // Any thread, at any time while the loop exists: ends the wait() of now or the next one.
  void wake();
  // Any thread: the connections there are, those handed over and not yet seen by wait() included.
  uint32_t connections() const { return connections_.load(std::memory_order_relaxed); }
  const Counters& counters() const { return counters_; }

  // Waits until something happened, at most `timeout_ms` (kForever: no bound), and does all input
  // and output that is possible without waiting. Appends to `ready`, once each and at most
  // kMaxEvents, the connections that have new input, have reached the end of it, or whose output
  // fell below the high water mark; reserve that much for it not to allocate. Destroys connections
  // that were closed before. Closes those that were idle for too long. False: nothing happened.
  bool wait(int timeout_ms, std::vector<Connection*>& ready);

  // Sends the output, in one call to the system; what the client does not take now is sent by later
  // waits. Nothing to send: does nothing.
  void send(Connection& connection);

  // Of a detached connection, on its owner's thread: sends the output, waiting at most so long at a
  // time for the client to take some of it. False: the client has gone.
  static bool push(Connection& connection, int patience_ms);

  // Drops the input, takes no more, and closes once the output is out. If the client may still be
  // sending, it gets time to read that output first.
  void finish(Connection& connection);

  // Leaves the connection to its owner, on whatever thread: until attach() the loop neither reads,
  // sends, shrinks its buffers nor closes it, not even in shut(). Not for a closed one.
  void detach(Connection& connection);
  // Takes it back.
  void attach(Connection& connection);

  // Closes now, dropping input and output.
  void close(Connection& connection);

  // Closes and destroys every connection but the detached ones, and takes no new ones. May be
  // called again, for those that were attached since.
  void shut();

 private:
  using ConnectionList = IntrusiveList<Connection, ActivityTag>;

  explicit EventLoop(Options options);

  int await_events(int timeout_ms);
  void admit();
  void serve(Connection& connection, uint32_t events, std::vector<Connection*>& ready);
  void receive(Connection& connection, std::vector<Connection*>& ready);
  void discard(Connection& connection);
  bool flush(Connection& connection);
  void end(Connection& connection);
  void update_interest(Connection& connection);
  void touch(Connection& connection);
  void silence(Connection& connection);
  static uint32_t wanted_events(const Connection& connection);
  void sweep();
  int bounded_timeout(int timeout_ms) const;
  void destroy_closed();

  Options options_;
  FileDescriptor epoll_;
  Spin spin_;
  Wakeup wakeup_;
  Counters counters_;
  int64_t now_ = 0;  // of the last wait()
  std::unique_ptr<char[]> received_;
  std::array<epoll_event, kMaxEvents> events_;

  // Every connection that is not detached is in exactly one of these, oldest activity first.
  ConnectionList active_;
  ConnectionList quiet_;  // no traffic of late; their buffers are small
  ConnectionList lingering_;
  ConnectionList closed_;

  std::atomic<uint32_t> connections_{0};
  std::mutex mutex_;
  std::vector<std::unique_ptr<Connection>> adopted_;  // guarded by mutex_
  bool shut_ = false;                                 // guarded by mutex_
};

}  // namespace hs::net
