// What may change while the server runs, and how a change reaches the threads that serve.
//
// A change is published as a whole, with a version. Each thread has a copy of its own, and compares
// the version once in each round: one load. So all requests of a batch see the same settings.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/limits.h"
#include "base/mutex.h"

namespace hs::server {

struct Settings {
  Limits limits;
  uint32_t idle_timeout_s = 300;  // a connection is closed after this long without traffic
  uint32_t login_timeout_s = 10;  // to finish a TLS handshake, and to authenticate, where one must
  uint32_t max_transactions = 100;  // open on all connections of one mode
  // For so long a transaction may be idle, or hold off DDL.
  uint32_t transaction_timeout_s = 10;
  uint32_t spin_us = 50;  // how long a reactor looks for requests before it sleeps
  uint32_t sndbuf = 0;    // bytes of each new connection's socket, 0 = the system's
  uint32_t rcvbuf = 0;    // likewise
  uint32_t readsize = 0;  // bytes read from one connection in one cycle, 0 = kReadSize
};

// The present settings. Any thread, all functions.
class SharedSettings {
 public:
  explicit SharedSettings(const Settings& settings) : settings_(settings) {}
  SharedSettings(const SharedSettings&) = delete;
  SharedSettings& operator=(const SharedSettings&) = delete;

  void change(const Settings& settings) {
    const MutexLock lock(mutex_);
    settings_ = settings;
    version_.fetch_add(1, std::memory_order_release);
  }
  Settings get() const {
    const MutexLock lock(mutex_);
    return settings_;
  }
  // Changes with each change, and never back.
  uint64_t version() const { return version_.load(std::memory_order_acquire); }

 private:
  mutable Mutex mutex_;
  Settings settings_ HS_GUARDED_BY(mutex_);
  // Away from the mutex, which is taken for each new connection.
  alignas(64) std::atomic<uint64_t> version_{0};
};

// One thread's copy.
class SettingsCopy {
 public:
  // `shared` must outlive the copy.
  explicit SettingsCopy(const SharedSettings& shared)
      : shared_(shared), version_(shared.version()), settings_(shared.get()) {}

  // Takes the present settings. False: they are those that it has.
  bool renew() {
    const uint64_t version = shared_.version();
    if (version == version_) return false;
    // Read before the settings, which may be newer: then the next call takes them once more.
    version_ = version;
    settings_ = shared_.get();
    return true;
  }
  const Settings& operator*() const { return settings_; }
  const Settings* operator->() const { return &settings_; }

 private:
  const SharedSettings& shared_;
  uint64_t version_;
  Settings settings_;
};

}  // namespace hs::server
