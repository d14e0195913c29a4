// The log of slow requests, in the form of the server's slow query log, in a file of its own.
//
// Threads that serve clients put entries into a bounded queue, and one thread of the log writes
// them. What finds no room in the queue, or comes faster than the log takes it, is dropped and
// counted: no client waits for a disk.
#pragma once

#include <atomic>
#include <cstdint>
#include <ctime>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "base/mutex.h"
#include "net/file_descriptor.h"
#include "server/config.h"
#include "server/request_kind.h"

namespace hs::server {

struct SlowRequest {
  uint64_t connection = 0;
  std::string user;  // empty: no account
  std::string host;  // with or without a port
  RequestKind kind = RequestKind::kOther;
  std::string database, table, index;  // empty: the request named no open index
  uint64_t rows = 0;                   // found or changed
  bool failed = false;
  bool in_transaction = false;
  int64_t took_ns = 0;    // from its arrival until it was executed
  int64_t waited_ns = 0;  // of that: for its turn, and for locks
};

class SlowLog {
 public:
  static constexpr size_t kMostQueued = 1024;
  static constexpr uint32_t kMostPerSecond = 1000;

  // Makes no thread and no file.
  SlowLog(const SlowLogConfig& config, const Log& log);
  ~SlowLog();  // writes what is queued

  // Makes the thread. Throws std::exception when it cannot.
  void start();

  // Any thread, as all that follow.

  // What is written from here on goes to this file: a regular one, which is made if it is not there,
  // or /dev/null or /dev/full. A file that holds anything else than a slow log is refused,
  // and in the working directory, which is the database's, every name that does not end in ".log".
  // False: it cannot be written, *error is one sentence, and nothing has changed. Does not wait for
  // a FIFO's reader or a terminal.
  bool set_file(const std::string& path, std::string* error);
  void set_on(bool on) { on_.store(on, std::memory_order_relaxed); }
  void set_threshold(int64_t ns) { threshold_ns_.store(ns, std::memory_order_relaxed); }
  bool is_on() const { return on_.load(std::memory_order_relaxed); }
  bool is_slow(int64_t took_ns) const {
    return took_ns >= threshold_ns_.load(std::memory_order_relaxed);
  }

  // Whether an entry would be taken now. Counts it, as taken or as dropped.
  bool takes_one();
  // Takes an entry for which takes_one() was true. May throw std::bad_alloc.
  void add(SlowRequest request);
  void drop() { dropped_.fetch_add(1, std::memory_order_relaxed); }

  uint64_t slow() const { return slow_.load(std::memory_order_relaxed); }  // dropped ones, too
  uint64_t dropped() const { return dropped_.load(std::memory_order_relaxed); }

 private:
  struct Entry {
    std::time_t when;
    SlowRequest request;
  };
  // A file of the log, and which one it is.
  struct File {
    net::FileDescriptor descriptor;
    uint64_t device = 0;
    uint64_t number = 0;
  };
  static bool open(const std::string& path, File* file, std::string* error);
  void run();
  void write(const std::vector<Entry>& entries);
  bool open_file();
  void complain(const std::string& what);

  const Log log_;
  const SlowLogConfig::Form form_;
  std::atomic<bool> on_;
  std::atomic<int64_t> threshold_ns_;
  std::atomic<uint64_t> slow_{0};
  std::atomic<uint64_t> dropped_{0};

  Mutex mutex_;
  Condition changed_;
  bool stop_ HS_GUARDED_BY(mutex_) = false;
  std::vector<Entry> queue_ HS_GUARDED_BY(mutex_);
  int64_t second_ HS_GUARDED_BY(mutex_) = 0;  // of the clock, in which so many were taken
  uint32_t taken_ HS_GUARDED_BY(mutex_) = 0;

  std::string path_ HS_GUARDED_BY(mutex_);
  std::optional<File> next_file_ HS_GUARDED_BY(mutex_);  // of set_file(), for the log's thread

  // The log's thread:
  File file_;
  int64_t looked_ms_ = 0;  // when the path was last compared with the file
  bool complained_ = false;
  std::thread thread_;
};

// The lines of one entry. `when`: at which the request ended.
std::string slow_log_text(const SlowRequest& request, std::time_t when,
                          SlowLogConfig::Form form = SlowLogConfig::Form::kMariadb);

}  // namespace hs::server
