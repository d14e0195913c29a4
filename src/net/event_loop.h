// Moves bytes between the connections of one loop and their buffers. The only place that waits for
// clients.
//
// The interface tells what was done (bytes are in input()), not what could be done ("the socket is
// readable"), so that io_uring fits behind it as well as epoll.
//
//   loop:   wait()  ->  the owner uses input(), fills output()  ->  send() each  ->  wait() ...
//
// All functions but adopt(), wake() and the counters are for one thread at a time, the loop's. That
// may be another thread each time, if the one before has synchronized with it. An error of a
// connection closes that connection and is not reported otherwise.
#pragma once

#include <sys/epoll.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/counter.h"
#include "base/limits.h"
#include "base/mutex.h"
#include "net/connection.h"
#include "net/handshake_queue.h"
#include "net/spin.h"
#include "net/tls_context.h"
#include "net/wakeup.h"

namespace hs::net {

class EventLoop {
 public:
  // What may change while the loop runs.
  struct Tuning {
    size_t read_size = kReadSize;                 // bytes read from one connection in one wait()
    uint32_t high_water = Limits{}.max_buffered;  // of each connection's output, in bytes
    int64_t idle_timeout_ms = 300'000;  // a connection is closed after this long without traffic
    // Closed when a TLS handshake takes longer than this since the client's first byte, or when a
    // newcomer is not welcome() so long after it came.
    int64_t login_timeout_ms = 10'000;
    int64_t spin_ns = 0;  // how long to look for events before sleeping, while that pays (see Spin)
  };
  struct Options : Tuning {
    TlsContext* tls = nullptr;         // null: there is no TLS; must outlive the loop
    int64_t strangers_ns = 2'000'000;  // of work in one serve_strangers()
    std::function<int64_t()> now_ms = monotonic_ms;
    std::function<int64_t()> now_ns = monotonic_ns;
  };
  struct Counters {
    Counter adopted;  // counted before anybody can be served
    Counter bytes_received;
    Counter bytes_sent;
    Counter timed_out;
    Counter login_timed_out;  // see Tuning::login_timeout_ms
    Counter tls_accepts;      // handshakes that succeeded
    Counter tls_failed;       // connections that began TLS and never got there
  };

  static constexpr std::chrono::nanoseconds kForever = std::chrono::nanoseconds::max();
  static constexpr size_t kMaxEvents = 1024;  // connections that one wait() serves

  // Null, with errno set, when the process is out of descriptors.
  static std::unique_ptr<EventLoop> create(Options options);
  ~EventLoop();  // as shut()

  // Any thread: hands over a client's transport and the new object for its connection.
  // False after shut(): both stay the caller's. May throw std::bad_alloc: both stay the caller's,
  // too.
  bool adopt(std::unique_ptr<Connection>& connection, Transport& transport);
  // Any thread, at any time while the loop exists: ends the current wait(), or else the next one.
  void wake();
  // Any thread: how many connections there are, including those that were handed over and that
  // wait() has not seen yet.
  uint32_t connections() const { return connections_.load(std::memory_order_relaxed); }
  const Counters& counters() const { return counters_; }

  // Another high water mark holds for a connection from its next output on. May throw
  // std::bad_alloc: nothing has changed then.
  void tune(const Tuning& tuning);

  // Waits until something happens, at most `timeout` (kForever: no bound), and does all input and
  // output that is possible without waiting, but for strangers. Appends to `ready` each connection
  // that has new input, has reached the end of it, or whose output fell below the high water mark. It
  // appends each once and at most kMaxEvents; reserve that much, and it does not allocate. Destroys
  // connections that were closed before. Closes connections that were idle for too long. False:
  // nothing happened.
  bool wait(std::chrono::nanoseconds timeout, std::vector<Connection*>& ready);

  // A stranger is a client that is not known yet: it may begin TLS, its handshake is under way, or
  // it is a newcomer that is not welcome() yet. Thousands of them may come at once, and a handshake
  // costs a thousand times what a short request does. So wait() only notes that strangers have
  // sent something, once. Do not let it wait long while strangers_wait().
  bool strangers_wait() const { return strangers_have_sent_ || !handshakes_.empty(); }
  // Works for strangers for about Options::strangers_ns: reads what they have sent, and goes on with
  // handshakes, hosts in turns. Appends to `ready` as wait() does.
  void serve_strangers(std::vector<Connection*>& ready) {
    if (strangers_wait()) work_for_strangers(ready);
  }

  // Sends the output in one call to the system. Later waits send what the client does not take now.
  // Does nothing when there is no output.
  void send(Connection& connection);

  // For a detached connection, on its owner's thread: sends all output. Waits up to `patience_ms`
  // each time for the client to take some of it. False: the client has gone.
  static bool push(Connection& connection, int patience_ms);

  // Drops the input, takes no more, and closes once the output is sent. A client that may still be
  // sending gets time to read that output first.
  void finish(Connection& connection);

  // Leaves the connection to its owner, on whatever thread; also one that was set aside. Until attach() the loop neither reads
  // nor sends, does not shrink the buffers, and does not close the connection, not even in shut().
  // Must not be called for a closed one.
  void detach(Connection& connection);
  // As detach(), but for a connection that is not used until detach() or attach(): it is closed when
  // its client has gone. A client that has only ended its own output may still read. That is seen by
  // Connection::client_has_ended().
  void set_aside(Connection& connection);
  // The client of a newcomer has authenticated. The connection may be detached.
  void welcome(Connection& connection);
  // Takes a detached connection back.
  void attach(Connection& connection);

  // Overwrites what the loop has read last, and its traces: a client has shown a secret. What it has read from clients
  // that are not known yet, or that did not live to send the rest of a request, it has overwritten by
  // itself.
  void forget_received();

  // Closes now, dropping input and output.
  void close(Connection& connection);

  // Closes and destroys every connection that is not detached, and takes no new ones. May be called
  // again for connections that were attached since.
  void shut();

 private:
  using ConnectionList = IntrusiveList<Connection, ActivityTag>;

  explicit EventLoop(Options options);

  int await_events(std::chrono::nanoseconds timeout);
  int look(std::chrono::nanoseconds patience);
  void admit();
  void serve(Connection& connection, uint32_t events, std::vector<Connection*>& ready);
  void receive(Connection& connection, std::vector<Connection*>& ready);
  ssize_t read(Connection& connection);
  void forget_received(ssize_t size);
  bool take(Connection& connection, std::string_view bytes);
  bool take_sealed(Connection& connection, std::string_view bytes);
  // Strangers, in event_loop_strangers.cc:
  void work_for_strangers(std::vector<Connection*>& ready);
  void look_at_strangers(std::vector<Connection*>& ready);
  bool meet(Connection& connection);
  void move_if_known(Connection& connection);
  void queue_handshake(Connection& connection);
  void serve_handshake(Connection& connection, uint32_t events);
  bool receive_handshake(Connection& connection);
  bool shake_hands(Connection& connection);
  void refuse_tls(Connection& connection);
  void fail(Connection& connection);
  void discard(Connection& connection);
  bool flush(Connection& connection);
  void end(Connection& connection);
  void update_interest(Connection& connection);
  void touch(Connection& connection);
  void silence(Connection& connection);
  void look_aside(Connection& connection, uint32_t events);
  void set_interest(Connection& connection, uint32_t events);
  // The epoll that it is registered with.
  int home_of(const Connection& connection) const {
    return (connection.is_stranger_ ? strangers_ : epoll_).get();
  }
  static uint32_t wanted_events(const Connection& connection);
  void sweep();
  void sweep_strangers();
  std::chrono::nanoseconds bounded(std::chrono::nanoseconds timeout) const;
  void destroy_closed();

  Options options_;
  FileDescriptor epoll_;
  FileDescriptor strangers_;  // an epoll of theirs, which reports to epoll_, once
  bool strangers_have_sent_ = false;
  Spin spin_;
  Wakeup wakeup_;
  Counters counters_;
  int64_t now_ = 0;  // time of the last wait(), in ms
  std::unique_ptr<char[]> received_;
  // How much of it may have something in it. To overwrite the rest, too, would take memory for all of it.
  size_t most_received_ = 0;
  std::array<epoll_event, kMaxEvents> events_;

  // Every connection that is not detached is in exactly one of these, oldest activity first.
  ConnectionList active_;
  ConnectionList quiet_;        // no traffic for kQuietMs; their buffers are small
  ConnectionList handshaking_;  // oldest beginning first
  ConnectionList lingering_;
  ConnectionList closed_;
  // Also those that are detached, in the order in which they came.
  IntrusiveList<Connection, NewcomerTag> newcomers_;
  HandshakeQueue handshakes_;  // those of handshaking_ that have sent something

  std::atomic<uint32_t> connections_{0};
  Mutex mutex_;
  std::vector<std::unique_ptr<Connection>> adopted_ HS_GUARDED_BY(mutex_);
  bool shut_ HS_GUARDED_BY(mutex_) = false;
};

}  // namespace hs::net
