// The connections that there are, for the operator: what each has done so far, and a way to end
// one.
//
// A connection's counters are part of it, and are written by the one thread that it belongs to at a
// time. Any thread reads them meanwhile, without stopping that thread. The mutex here is taken when
// a connection comes and goes, and when what is known of its client changes.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/counter.h"
#include "base/mutex.h"
#include "engine/engine.h"

namespace hs::server {

class Connections;
class Reactor;
struct Peer;

// What is known of a client. A text that is empty is not known, or there is none.
struct ConnectionInfo {
  std::string user;              // the account's user name, once the client has logged in
  std::string host;              // address and port of the client; "localhost" on a Unix socket
  std::string program;           // what the client calls itself
  std::string_view tls_version;  // "TLSv1.3"; lives as long as the process, as the cipher
  std::string_view tls_cipher;
};

// A connection at one moment.
struct ConnectionStatus {
  uint64_t id = 0;
  std::string endpoint;
  engine::Mode mode = engine::Mode::kReadOnly;
  ConnectionInfo info;
  std::string_view state;  // a literal
  uint64_t open_indexes = 0;
  uint64_t requests = 0;  // answered
  uint64_t errors = 0;    // of these
  uint64_t bytes_received = 0;
  uint64_t bytes_sent = 0;
  int64_t age_ms = 0;
  int64_t idle_ms = 0;  // since the client last sent something
};

// The part of a connection that others look at. It leaves the list when it is destroyed.
class ConnectionRecord {
 public:
  enum class State : uint8_t {
    kIdle,
    kInTransaction,   // idle otherwise
    kAuthenticating,  // has to, and has not yet
    kLoggingIn,       // with the threads for logins
    kExecuting,       // in a batch
    kWaiting,         // in a thread, for a lock
    kParked,          // for a lock, in no thread
    kAwaitingGtid,    // likewise for transactions of another server
    kClosing,         // has an answer to take, and then ends
  };

  // `peer`: the connection that this is a part of.
  explicit ConnectionRecord(Peer& peer) : peer_(peer) {}
  ~ConnectionRecord();
  ConnectionRecord(const ConnectionRecord&) = delete;
  ConnectionRecord& operator=(const ConnectionRecord&) = delete;

  // The connection's thread:
  void set_state(State state) { state_.store(state, std::memory_order_relaxed); }
  void set_open_indexes(uint64_t number) { open_indexes_.store(number, std::memory_order_relaxed); }
  void count_request(bool failed) {
    requests_.add(1);
    if (failed) errors_.add(1);
  }
  void count_error() { errors_.add(1); }
  // When the bytes came that are worked on, or that came last; in monotonic_ns().
  void set_arrival(int64_t now_ns) { arrived_ns_.store(now_ns, std::memory_order_relaxed); }
  int64_t arrived_ns() const { return arrived_ns_.load(std::memory_order_relaxed); }

  Peer& peer() const { return peer_; }

  // Any thread: the connection shall close as soon as its thread sees this.
  bool is_killed() const { return killed_.load(std::memory_order_relaxed); }
  // Any thread: what is known of its client. May throw std::bad_alloc.
  ConnectionInfo info() const;
  // Any thread: 0 while it is in no list. It does not change while the connection has a thread.
  uint64_t id() const { return id_; }

 private:
  friend class Connections;

  Peer& peer_;
  std::atomic<State> state_{State::kIdle};
  std::atomic<bool> killed_{false};
  std::atomic<uint64_t> open_indexes_{0};
  std::atomic<int64_t> arrived_ns_{0};
  Counter requests_;
  Counter errors_;

  // Guarded by the mutex of the list, but for id_ as said above.
  Connections* list_ = nullptr;
  uint64_t id_ = 0;
  const Reactor* reactor_ = nullptr;
  std::string_view endpoint_;
  engine::Mode mode_ = engine::Mode::kReadOnly;
  int64_t since_ns_ = 0;
  ConnectionInfo info_;
};

// Any thread. Must outlive its records.
class Connections {
 public:
  // Where a connection belongs.
  struct Home {
    const Reactor* reactor = nullptr;
    std::string_view endpoint;  // lives as long as the record
    engine::Mode mode = engine::Mode::kReadOnly;
  };

  // Gives the record a new id, which no connection has had before. May throw std::bad_alloc.
  void add(ConnectionRecord& record, const Home& home, ConnectionInfo info);
  void remove(ConnectionRecord& record);

  // On the connection's thread: changes what is known of its client.
  template <class Change>
  void describe(ConnectionRecord& record, Change change) {
    const MutexLock lock(mutex_);
    change(record.info_);
  }

  ConnectionInfo info_of(const ConnectionRecord& record) const;
  // All connections, in the order of their ids. Takes the mutex for a few of them at a time.
  std::vector<ConnectionStatus> list() const;

  // Marks the connection as killed. False: there is none.
  bool mark_killed(uint64_t id);
  // On the thread that leads the reactor: its connection with this id; null: it has none. Stays
  // valid until the reactor's loop waits.
  const ConnectionRecord* find(uint64_t id, const Reactor& reactor) const;
  // On the thread of the connection with this id: stays valid as long as that has it. Null: there is
  // none.
  const ConnectionRecord* find(uint64_t id) const;

 private:
  static ConnectionStatus status_of(const ConnectionRecord& record, int64_t now_ns);

  mutable Mutex mutex_;
  uint64_t last_id_ HS_GUARDED_BY(mutex_) = 0;
  std::map<uint64_t, ConnectionRecord*> records_ HS_GUARDED_BY(mutex_);
};

}  // namespace hs::server
