// A server on real sockets over the fake engine, which may fail or be held, for tests of it.
#pragma once

#include <gtest/gtest.h>
#include <pthread.h>
#include <signal.h>

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "server/forwarding_session.h"
#include "server/server.h"
#include "server/test_client.h"
#include "testing/fake_engine.h"
#include "testing/faulty_engine.h"

namespace hs::server {

// For Unix sockets; whoever asks for it removes it.
inline std::string make_directory() {
  char name[] = "/tmp/hs-server-XXXXXX";
  return ::mkdtemp(name);
}

// A session that keeps its tables after each batch, as a real one does.
class HoldingSession final : public ForwardingSession {
 public:
  HoldingSession(std::unique_ptr<engine::Session> inner, std::atomic<int>& held,
                 std::atomic<int>& released)
      : ForwardingSession(std::move(inner)), held_(held), released_(released) {}

  bool after_batch() override {
    ++held_;
    return true;
  }
  void release() override { ++released_; }

 private:
  std::atomic<int>& held_;
  std::atomic<int>& released_;
};

// An engine that is ready when the test says so, and tells which threads used it.
class GatedEngine : public engine::Engine {
 public:
  explicit GatedEngine(engine::Engine& inner) : inner_(inner) {}

  void close_gate() { state_ = kClosed; }
  void open_gate(bool ready) {
    state_ = ready ? kReady : kNever;
    state_.notify_all();
  }
  std::vector<std::string> sessions() {
    const std::lock_guard lock(mutex_);
    return sessions_;
  }
  bool signals_were_blocked() const { return signals_blocked_; }

  std::atomic<uint64_t> wanted{0};  // descriptors
  uint64_t wanted_descriptors() const override { return wanted; }

  std::atomic<int> held{0};      // calls of after_batch(), of all sessions
  std::atomic<int> released{0};  // calls of release()

  bool wait_until_ready() override {
    state_.wait(kClosed);
    return state_ == kReady && inner_.wait_until_ready();
  }
  std::unique_ptr<engine::Session> make_session(engine::Mode mode, std::string_view name,
                                                engine::SessionEvents events) override {
    char thread_name[16] = "";
    ::pthread_getname_np(::pthread_self(), thread_name, sizeof thread_name);
    sigset_t mask;
    ::pthread_sigmask(SIG_BLOCK, nullptr, &mask);
    const std::lock_guard lock(mutex_);
    if (!::sigismember(&mask, SIGTERM) || !::sigismember(&mask, SIGHUP)) signals_blocked_ = false;
    sessions_.push_back(name == thread_name ? std::string(name) : "differs");
    auto session = inner_.make_session(mode, name, events);
    if (session == nullptr) return nullptr;
    return std::make_unique<HoldingSession>(std::move(session), held, released);
  }

 private:
  enum State : int { kClosed, kReady, kNever };
  engine::Engine& inner_;
  std::atomic<int> state_{kReady};
  std::atomic<bool> signals_blocked_{true};
  std::mutex mutex_;
  std::vector<std::string> sessions_;
};

class ServerTest : public ::testing::Test {
 protected:
  ServerTest() : faulty_(fake_), engine_(faulty_) {
    fake_.create_table("d.t(k int, v text null; PRIMARY(k))");
    config_.read = {"0", 2};
    config_.write = {"0", 2};
    config_.backlog = 1000;
    config_.now_ns = [] { return now_ns_.fetch_add(step_ns_.load()); };
    now_ns_ = step_ns_ = 0;
    const std::lock_guard lock(logged_mutex_);
    logged_.clear();
  }
  ~ServerTest() override { engine_.open_gate(false); }

  void start() {
    std::string error;
    server_ = Server::start(config_, engine_, kLog, &error);
    ASSERT_NE(server_, nullptr) << error;
  }
  std::string start_error() {
    std::string error;
    return Server::start(config_, engine_, kLog, &error) == nullptr ? error : "none";
  }
  TestClient reader() { return TestClient::tcp(server_->read_port()); }
  TestClient writer() { return TestClient::tcp(server_->write_port()); }
  // Until all of the acceptors' work so far is done.
  void await_accepted(uint64_t connections) {
    while (server_->statistics().connections_accepted < connections) std::this_thread::yield();
  }
  void await_answered(uint64_t connections) {
    for (;;) {
      const Statistics now = server_->statistics();
      if (now.connections_accepted + now.connections_refused >= connections) return;
      std::this_thread::yield();
    }
  }
  void await_open(uint64_t connections) {
    while (server_->statistics().connections_open != connections) std::this_thread::yield();
  }

  static void log_line(std::string_view message) {
    const std::lock_guard lock(logged_mutex_);
    logged_ += std::string(message) + "\n";
  }
  static bool was_logged(std::string_view text) {
    const std::lock_guard lock(logged_mutex_);
    return logged_.find(text) != std::string::npos;
  }

  static size_t times_logged(std::string_view text) {
    const std::lock_guard lock(logged_mutex_);
    size_t times = 0;
    for (size_t at = logged_.find(text); at != std::string::npos; at = logged_.find(text, at + 1)) {
      ++times;
    }
    return times;
  }

  static constexpr Log kLog{log_line, log_line, log_line};
  static constexpr std::string_view kOpen = "P\t1\td\tt\tPRIMARY\tk,v\n";

  // The clock by which work is measured, and how far each look at it moves it: at first none takes
  // any time.
  static inline std::atomic<int64_t> now_ns_{0};
  static inline std::atomic<int64_t> step_ns_{0};

  testing::FakeEngine fake_;
  testing::FaultyEngine faulty_;
  GatedEngine engine_;
  Config config_;
  std::unique_ptr<Server> server_;

 private:
  static inline std::mutex logged_mutex_;
  static inline std::string logged_;
};

}  // namespace hs::server
