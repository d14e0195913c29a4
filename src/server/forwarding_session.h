// A session that passes every call on: tests derive from it to change one of them.
#pragma once

#include <memory>
#include <utility>

#include "engine/port.h"

namespace hs::server {

class ForwardingSession : public engine::Session {
 public:
  explicit ForwardingSession(std::unique_ptr<engine::Session> inner) : inner_(std::move(inner)) {}

  Result<void> open(const engine::IndexSpecPtr& spec) override { return inner_->open(spec); }
  Result<engine::Cursor*> cursor(const engine::IndexSpecPtr& spec) override {
    return inner_->cursor(spec);
  }
  bool is_open(const engine::IndexSpecPtr& spec) const override { return inner_->is_open(spec); }
  bool can_undo(const engine::IndexSpecPtr& spec) const override { return inner_->can_undo(spec); }
  Result<void> begin_request(engine::Cursor& cursor, engine::Access access,
                             engine::Rows rows) override {
    return inner_->begin_request(cursor, access, rows);
  }
  Result<void> end_request() override { return inner_->end_request(); }
  void undo_request() override { inner_->undo_request(); }
  bool must_wait() const override { return inner_->must_wait(); }
  uint32_t patience_ms() const override { return inner_->patience_ms(); }
  void begin_waiting(uint32_t most_ms) override { inner_->begin_waiting(most_ms); }
  void end_waiting() override { inner_->end_waiting(); }
  bool transaction_lost() const override { return inner_->transaction_lost(); }
  Result<void> commit() override { return inner_->commit(); }
  void rollback() override { inner_->rollback(); }
  bool has_uncommitted_changes() const override { return inner_->has_uncommitted_changes(); }
  bool after_batch() override { return inner_->after_batch(); }
  bool is_waited_for() const override { return inner_->is_waited_for(); }
  void release() override { inner_->release(); }
  void takes_long() override { inner_->takes_long(); }
  bool should_stop() const override { return inner_->should_stop(); }

 private:
  const std::unique_ptr<engine::Session> inner_;
};

}  // namespace hs::server
