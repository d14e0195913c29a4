// A session that compares the tables before and after every call that may change them.
#pragma once

#include <memory>
#include <utility>

#include "require.h"
#include "tables.h"
#include "testing/fixtures/forwarding_session.h"

namespace hs::fuzz {

class WatchedSession final : public server::ForwardingSession {
 public:
  // `committed`: the tables as a rollback must leave them; shared by all sessions.
  WatchedSession(std::unique_ptr<engine::Session> inner, const testing::FakeEngine& engine,
                 engine::Mode mode, bool tables_close, Snapshot& committed)
      : ForwardingSession(std::move(inner)),
        engine_(engine),
        mode_(mode),
        tables_close_(tables_close),
        committed_(committed) {}

  bool is_open(const engine::IndexSpecPtr& spec) const override {
    return (!tables_close_ || ++asked_ % 3 != 0) && ForwardingSession::is_open(spec);
  }

  Result<void> begin_request(engine::Cursor& cursor, engine::Access access,
                             engine::Rows rows) override {
    require(mode_ == engine::Mode::kReadWrite || access == engine::Access::kRead,
            "the read port asks for no change");
    before_ = snapshot(engine_);
    reads_ = access == engine::Access::kRead;
    return ForwardingSession::begin_request(cursor, access, rows);
  }

  Result<void> end_request() override {
    Result<void> ended = ForwardingSession::end_request();
    if (reads_) require(snapshot(engine_) == before_, "a find changes nothing");
    if (!ended && !transaction_lost()) undone();
    return ended;
  }

  void undo_request() override {
#ifdef HS_FUZZ_CANARY
    // The planted bug: a failing request keeps its changes.
    (void)ForwardingSession::end_request();
#else
    ForwardingSession::undo_request();
#endif
    if (!transaction_lost()) undone();
  }

  Result<void> commit() override {
    Result<void> done = ForwardingSession::commit();
    if (!done) return done;
    if (mode_ == engine::Mode::kReadOnly) {
      require(snapshot(engine_) == committed_, "the read port commits nothing");
    }
    committed_ = snapshot(engine_);
    return done;
  }

  void rollback() override {
    ForwardingSession::rollback();
    require(snapshot(engine_) == committed_, "a rollback leaves what was committed");
  }

 private:
  void undone() { require(snapshot(engine_) == before_, "a request that fails changes nothing"); }

  const testing::FakeEngine& engine_;
  const engine::Mode mode_;
  const bool tables_close_;
  Snapshot& committed_;
  Snapshot before_;
  bool reads_ = false;
  mutable unsigned asked_ = 0;
};

}  // namespace hs::fuzz
