// One thread that executes requests: its session, and its batch. It leads a reactor, or stands by
// until a reactor wants a leader.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/engine.h"
#include "exec/context.h"
#include "server/activity.h"
#include "server/batch.h"
#include "server/config.h"
#include "server/counters.h"
#include "server/dispatcher.h"
#include "server/leader.h"
#include "server/reactor.h"
#include "server/seldom.h"
#include "server/settings.h"
#include "server/statistics.h"

namespace hs::server {

class Executor final : public Leader, private Outlet {
 public:
  // What all executors of a group share.
  struct Environment {
    engine::Engine& engine;
    const exec::Context context;  // each executor's begins as this one
    const SharedSettings& settings;
    const std::vector<const protocol::Protocol*> protocols;  // of all their clients
    SlowLog* const slow_log;                                 // null: there is none
    Transactions& transactions;
    const Log log;
    Seldom about_foreigners;
  };

  // `name`: of the thread, also in the server's process list; at most 15 bytes. All arguments must
  // outlive the executor. `standby` is its place with the dispatcher.
  Executor(std::string name, Environment& environment, Dispatcher& dispatcher,
           Dispatcher::Standby& standby)
      : name_(std::move(name)),
        environment_(environment),
        dispatcher_(dispatcher),
        standby_(standby),
        settings_(environment.settings),
        context_(environment.context) {
    context_.limits = settings_->limits;
  }

  const std::string& name() const { return name_; }

  // The work of the thread. Returns when the dispatcher stops or the session is told to stop.
  void run();

  // Any thread: makes the executor look at should_stop().
  void wake();
  void add_to(Statistics& sum) const;
  void add_to(LatencyStatus& sum) const;
  // Any thread: interrupts the session if it waits or works for long for the connection with this
  // id.
  void interrupt(uint64_t id);

  engine::Session& session() override { return *session_; }
  Batch& batch() override { return *batch_; }
  Counters& counters() override { return counters_; }
  Dispatcher& dispatcher() override { return dispatcher_; }
  bool should_stop() const override;
  void renew_settings() override {
    if (settings_.renew()) take_settings();
  }
  void complain(std::string_view what) noexcept override { complain(what, {}); }
  void complain_of_foreigner(std::string_view address) noexcept override;

 private:
  void take_settings();
  void serve();
  void lead(Reactor& reactor);
  void watch(Reactor& reactor);
  void release_tables();
  void prepare_successor() noexcept;
  void step_aside(Peer* peer) override;
  bool send(Peer& peer) override;
  bool begin_wait(Peer& peer) override;
  void end_wait() override;
  void end_interruptible() override { set_interruptible(0); }
  engine::SessionEvents session_events() override { return events(this); }
  void work_with(engine::Session* session) override;
  void make_way() override;
  void set_interruptible(uint64_t id);
  static engine::SessionEvents events(Executor* executor);
  void complain(std::string_view what, std::string_view detail) noexcept;
  void report(std::string_view what, std::string_view detail = {}) const noexcept;

  const std::string name_;
  Environment& environment_;
  Dispatcher& dispatcher_;
  Dispatcher::Standby& standby_;
  Counters counters_;
  SettingsCopy settings_;
  exec::Context context_;
  std::unique_ptr<engine::Session> session_;
  std::optional<Batch> batch_;
  std::atomic<Reactor*> reactor_{nullptr};  // the one that it leads, or whose batch it finishes
  int waits_ = 0;                           // waits of the session that have not ended; they nest
  int64_t last_complaint_ms_ = 0;

  Mutex interrupt_mutex_;
  // The connection whose request waits or works for long; 0: none.
  uint64_t interruptible_ HS_GUARDED_BY(interrupt_mutex_) = 0;
  // The session of a transaction that is in the thread; null: the executor's own works.
  engine::Session* entered_ HS_GUARDED_BY(interrupt_mutex_) = nullptr;
  // The session whose request was interrupted; null: none.
  engine::Session* interrupted_ HS_GUARDED_BY(interrupt_mutex_) = nullptr;
};

}  // namespace hs::server
