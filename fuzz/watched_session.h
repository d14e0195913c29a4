// Sessions that compare the tables before and after every call that may change them.
//
// The tables in memory let only one session have changes that are not committed, and show them to
// all others.
#pragma once

#include <algorithm>
#include <cctype>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "require.h"
#include "tables.h"
#include "testing/fixtures/forwarding_session.h"

namespace hs::fuzz {

class WatchedSession;

// What all sessions have in common.
struct Watched {
  const testing::FakeEngine& engine;
  Snapshot committed;                      // the tables as a rollback must leave them
  const WatchedSession* writer = nullptr;  // has changes that are not committed
};

class WatchedSession final : public server::ForwardingSession {
 public:
  // `watched` must outlive it.
  WatchedSession(std::unique_ptr<engine::Session> inner, engine::Mode mode, bool tables_close,
                 Watched& watched)
      : ForwardingSession(std::move(inner)),
        mode_(mode),
        tables_close_(tables_close),
        watched_(watched) {}

  bool is_open(const engine::IndexSpecPtr& spec) const override {
    return (!tables_close_ || ++asked_ % 3 != 0) && ForwardingSession::is_open(spec);
  }

  Result<void> begin_request(engine::Cursor& cursor, engine::Access access,
                             engine::Rows rows) override {
    require(mode_ == engine::Mode::kReadWrite || access == engine::Access::kRead,
            "the read port asks for no change");
    before_ = now();
    reads_ = access == engine::Access::kRead;
    return ForwardingSession::begin_request(cursor, access, rows);
  }

  Result<void> end_request() override {
    Result<void> ended = ForwardingSession::end_request();
    if (reads_) require(now() == before_, "a find changes nothing");
    if (!ended && !transaction_lost()) undone();
    note_changes();
    return ended;
  }

  void undo_request() override {
    if (!has_planted_bug()) {
      ForwardingSession::undo_request();
    } else if (!transaction_lost()) {
      (void)ForwardingSession::end_request();  // a failing request keeps its changes
    }
    if (!transaction_lost()) undone();
    note_changes();
  }

  Result<void> set_savepoint(std::string_view name) override {
    Result<void> done = ForwardingSession::set_savepoint(name);
    if (!done) return done;
    forget(name);
    savepoints_.push_back({in_small(name), {}});
    if (watched_.writer == this) savepoints_.back().tables = now();
    return done;
  }

  Result<void> roll_back_to(std::string_view name) override {
    Result<void> done = ForwardingSession::roll_back_to(name);
    const auto found = find(name);
    require(static_cast<bool>(done) == (found != savepoints_.end()), "a savepoint is known");
    if (!done) return done;
    note_changes();
    if (found->tables) {
      require(now() == *found->tables, "a rollback leaves what was there at the savepoint");
    } else if (watched_.writer == nullptr) {
      require(now() == watched_.committed, "a rollback to the beginning leaves what was committed");
    }
    savepoints_.erase(found + 1, savepoints_.end());
    return done;
  }

  Result<void> commit() override {
    const bool changes = has_uncommitted_changes();
    require(!changes || mode_ == engine::Mode::kReadWrite, "the read port commits nothing");
    Result<void> done = ForwardingSession::commit();
    if (!done) return done;
    savepoints_.clear();
    note_changes();
    if (changes) {
      watched_.committed = now();
    } else if (watched_.writer == nullptr) {
      require(now() == watched_.committed, "a commit of nothing changes nothing");
    }
    return done;
  }

  // A transaction that is lost was rolled back already. The thread that ends it is another one, which
  // looks at nothing.
  void leave() override {
    ended_ = transaction_lost();
    if (ended_) note_changes();
    ForwardingSession::leave();
  }

  void rollback() override {
    ForwardingSession::rollback();
    savepoints_.clear();
    if (std::exchange(ended_, false)) return;
    note_changes();
    if (watched_.writer == nullptr) {
      require(now() == watched_.committed, "a rollback leaves what was committed");
    }
  }

 private:
  struct Savepoint {
    std::string name;
    std::optional<Snapshot> tables;  // none: the session had changed nothing
  };

  Snapshot now() const { return snapshot(watched_.engine); }
  void undone() { require(now() == before_, "a request that fails changes nothing"); }

  void note_changes() {
    const bool changes = !transaction_lost() && has_uncommitted_changes();
    if (changes) {
      require(watched_.writer == nullptr || watched_.writer == this, "one session changes rows");
      watched_.writer = this;
    } else if (watched_.writer == this) {
      watched_.writer = nullptr;
    }
  }

  static std::string in_small(std::string_view name) {
    std::string small(name);
    std::transform(small.begin(), small.end(), small.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return small;
  }
  std::vector<Savepoint>::iterator find(std::string_view name) {
    return std::find_if(savepoints_.begin(), savepoints_.end(),
                        [&](const Savepoint& one) { return one.name == in_small(name); });
  }
  void forget(std::string_view name) {
    if (const auto found = find(name); found != savepoints_.end()) savepoints_.erase(found);
  }

  const engine::Mode mode_;
  const bool tables_close_;
  Watched& watched_;
  Snapshot before_;
  std::vector<Savepoint> savepoints_;
  bool reads_ = false;
  bool ended_ = false;
  mutable unsigned asked_ = 0;
};

// Makes the sessions of transactions.
class WatchedEngine final : public engine::Engine {
 public:
  WatchedEngine(engine::Engine& inner, bool tables_close, Watched& watched)
      : inner_(inner), tables_close_(tables_close), watched_(watched) {}

  std::unique_ptr<engine::Session> make_session(engine::Mode mode, std::string_view name) override {
    return std::make_unique<WatchedSession>(inner_.make_session(mode, name), mode, tables_close_,
                                            watched_);
  }
  bool wait_until_ready() override { return inner_.wait_until_ready(); }

 private:
  engine::Engine& inner_;
  const bool tables_close_;
  Watched& watched_;
};

}  // namespace hs::fuzz
