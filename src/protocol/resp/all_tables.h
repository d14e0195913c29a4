// What is the same for commands that go over all tables.
#pragma once

#include <algorithm>
#include <span>

#include "protocol/denied_error.h"
#include "protocol/resp/command.h"

namespace hs::protocol::resp {

class AllTables : public RespCommand {
 public:
  bool wants_all_tables() const override { return !is_refused(); }
  void cannot_open(const mapping::Mapping& table) final { culprit_ = &table; }

 protected:
  Access row_access() const override { return Access::kRead; }
  void prepare() override {
    at_ = 0;
    culprit_ = nullptr;
  }
  // All rows of a table in the order of its key. False: it is not known whether a text of the key means
  // the same row, and the same place in that order.
  static bool from_beginning(Request& request, const mapping::Mapping& table,
                             uint32_t target_number) {
    static constexpr Value kNull;
    const mapping::ColumnShape& first = table.columns[table.key[0]];
    const auto is_rounded = [&table](uint16_t column) { return table.columns[column].is_rounded; };
    if (first.kind == mapping::ColumnKind::kOther || std::ranges::any_of(table.key, is_rounded)) {
      return false;
    }
    request.index_id = target_number;
    // Without a bound: no value is known that is in front of all texts of every collation. But no key
    // means a row with NULL.
    const bool begins_with_nulls = first.is_nullable && !table.key_begins_descending;
    request.op = begins_with_nulls ? KeyOperator::kGreater : KeyOperator::kGreaterOrEqual;
    request.key = begins_with_nulls ? std::span(&kNull, 1) : std::span<const Value>();
    request.key_count = static_cast<uint32_t>(request.key.size());
    return true;
  }
  // A table that the account may not read is not there, nor is one that no command reaches, or whose keys
  // have no order.
  void failed(const Error& error) override {
    const bool is_denied = error.code == ErrorCode::kAccessDenied && !is_account_limit(error);
    if (is_denied || error.code == ErrorCode::kOpenTable ||
        error.code == ErrorCode::kUnsupportedTable || error.code == ErrorCode::kOperator) {
      return;
    }
    culprit_ = tables_[at_ - 1];
    RespCommand::failed(error);
  }
  // The client has named no table.
  std::string failure_text() const override {
    std::string text = RespCommand::failure_text();
    if (culprit_ == nullptr) return text;
    return text + " (the table is " + culprit_->database + '.' + culprit_->table + ')';
  }

  size_t at_ = 0;  // the next table

 private:
  const mapping::Mapping* culprit_ = nullptr;  // of what has failed; null: that is of no table
};

// Counts the rows of each.
class CountsRows : public AllTables {
 protected:
  void prepare() override {
    AllTables::prepare();
    rows_ = 0;
    for (const mapping::Mapping* table : tables_) (void)target(*table, table->key);
  }
  bool next_request(Request& request) override {
    while (at_ < tables_.size()) {
      const mapping::Mapping& table = *tables_[at_++];
      if (!from_beginning(request, table, target(table, table.key))) continue;
      request.verb = Verb::kCount;
      request.limit = 0;
      return true;
    }
    return false;
  }
  void count(uint64_t number) override { rows_ += number; }
  uint64_t rows() const { return rows_; }

 private:
  uint64_t rows_ = 0;
};

}  // namespace hs::protocol::resp
