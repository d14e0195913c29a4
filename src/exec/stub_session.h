// For tests: a session with one cursor over as many empty rows as wanted, which allocates nothing.
#pragma once

#include <cstdint>
#include <string_view>

#include "engine/port.h"

namespace hs::exec {

class StubCursor : public engine::Cursor {
 public:
  uint64_t rows = 0;
  std::string_view position_text;
  bool (*row_is_there)(uint64_t nth) = [](uint64_t) { return true; };  // for seek_position()
  uint64_t updated = 0;
  uint64_t passing_stops_after = ~uint64_t{0};  // rows for which passes() may be true

  size_t key_parts() const override { return 2; }
  size_t columns() const override { return 0; }
  bool is_countable(size_t) const override { return true; }
  Result<bool> seek(KeyOperator, std::span<const Value>) override {
    at_ = 0;
    return next();
  }
  Result<bool> next() override { return at_++ < rows; }
  Result<std::span<const Value>> row() override { return std::span<const Value>(); }
  size_t filters = 0;  // that it has
  Result<void> set_filters(std::span<const Filter> given) override {
    filters = given.size();
    return {};
  }
  bool passes(size_t) override { return at_ % 2 == 0 && passed_++ < passing_stops_after; }
  std::string_view position() override { return position_text; }
  Result<bool> seek_position(std::string_view) override { return row_is_there(sought_++); }
  Result<Inserted> insert(std::span<const Value>) override { return Inserted{}; }
  Result<void> update(std::span<const Assignment>) override {
    ++updated;
    return {};
  }
  Result<void> erase() override { return {}; }

 private:
  uint64_t at_ = 0;
  uint64_t passed_ = 0;
  uint64_t sought_ = 0;
};

class StubSession : public engine::Session {
 public:
  StubCursor rows;
  bool undone = false;

  Result<void> open(const engine::IndexSpecPtr&) override { return {}; }
  Result<engine::Cursor*> cursor(const engine::IndexSpecPtr&) override {
    return static_cast<engine::Cursor*>(&rows);
  }
  bool is_open(const engine::IndexSpecPtr&) const override { return true; }
  bool can_undo(const engine::IndexSpecPtr&) const override { return true; }
  Result<void> begin_request(engine::Cursor&, engine::Access, engine::Rows) override { return {}; }
  Result<void> end_request() override { return {}; }
  void undo_request() override { undone = true; }
  bool must_wait() const override { return false; }
  uint32_t patience_ms() const override { return 0; }
  void begin_waiting(uint32_t) override {}
  void end_waiting() override {}
  bool transaction_lost() const override { return false; }
  Result<void> commit() override { return {}; }
  void rollback() override {}
  bool has_uncommitted_changes() const override { return false; }
  bool after_batch() override { return false; }
  bool is_waited_for() const override { return false; }
  void release() override {}
  bool should_stop() const override { return false; }
};

}  // namespace hs::exec
