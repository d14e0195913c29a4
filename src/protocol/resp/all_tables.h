// What is the same for commands that go over all tables.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "protocol/resp/bounds.h"
#include "protocol/resp/command.h"

namespace hs::protocol::resp {

class AllTables : public RespCommand {
 public:
  bool wants_all_tables() const override { return !is_refused(); }

 protected:
  Access row_access() const override { return Access::kRead; }
  // Before the first row of a table. False: it is not known what is in front of all its keys.
  bool from_beginning(Request& request, const mapping::Mapping& table, uint32_t target_number) {
    std::optional<std::string> first =
        first_of(table.columns[table.key[0]].kind, table.key_begins_descending);
    if (!first) return false;
    first_text_ = *std::move(first);
    first_.assign(1, Value::of(first_text_));
    request.index_id = target_number;
    request.op = KeyOperator::kGreaterOrEqual;  // in the order of the index
    request.key = first_;
    request.key_count = 1;
    return true;
  }
  // A table that the account may not read is not there.
  void failed(const Error& error) override {
    if (error.code == ErrorCode::kAccessDenied || error.code == ErrorCode::kOpenTable) return;
    if (error.code == ErrorCode::kOperator) return;  // nor one whose keys have no order
    RespCommand::failed(error);
  }

 private:
  std::string first_text_;
  std::vector<Value> first_;
};

// Counts the rows of each.
class CountsRows : public AllTables {
 protected:
  void prepare() override {
    at_ = 0;
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
  size_t at_ = 0;
  uint64_t rows_ = 0;
};

}  // namespace hs::protocol::resp
