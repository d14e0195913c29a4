// Commands that set columns of rows, as fields of hashes.
#include <algorithm>
#include <utility>

#include "protocol/resp/families.h"
#include "protocol/resp/row_writer.h"

namespace hs::protocol::resp {
namespace {

// Sets columns of one row, which is read and locked first. It is inserted if it is not there; what is
// not given then has its default.
class HashWrite : public OneKeyCommand {
 protected:
  bool shows_rows() const override { return false; }
  Access row_access() const override { return Access::kPut; }
  void prepare_row() override {
    columns_.clear();
    values_.clear();
    if (!exists_) return no_table();
    if (!choose()) return;
    if (columns_.empty()) return;
    writer_.set_table(table(), columns_, false);
    look_target_ = target(table(), columns_);
    update_target_ = target(table(), writer_.changed());
    insert_target_ = target(table(), writer_.of_row());
  }
  virtual void no_table() { refuse_key(keys_.front()); }
  // Sets columns_ and values_. False: refused, or there is nothing to do.
  virtual bool choose() = 0;

  // False: refused, it is no column that can be set.
  bool add_column(std::string_view name, std::string_view value) {
    const std::optional<uint16_t> column = settable_field(name);
    if (!column) return false;
    const auto known = std::ranges::find(columns_, *column);
    if (known == columns_.end()) {
      columns_.push_back(*column);
      values_.push_back(Value::of(value));
    } else {  // the later one counts
      values_[static_cast<size_t>(known - columns_.begin())] = Value::of(value);
    }
    return true;
  }

  bool next_request(Request& request) override {
    if (step_ == 2 && has_row_ && !is_written_ && begins_again_as_expired()) step_ = 0;
    const int step = step_++;
    if (!exists_ || columns_.empty()) return false;
    if (step == 0) {
      has_row_ = is_written_ = false;
      forget();
      find(request, look_target_);
      return true;
    }
    if (step != 1 || is_refused() || !wants()) return false;
    writer_.set_values(values_, parts_);
    if (has_row_) {
      modify(request, update_target_, Modification::kUpdate, {});
      writer_.update(request);
    } else {
      request.index_id = insert_target_;
      writer_.insert(request, OnDuplicate::kFail);
    }
    return true;
  }
  // Whether the row is to be written, as it was.
  virtual bool wants() { return true; }

  bool row(std::span<const Value> values) override {
    if (step_ != 1) return true;
    has_row_ = true;
    look(values);
    return true;
  }
  void count(uint64_t number) override { is_written_ = number != 0; }
  void failed(const Error& error) override {
    const bool was_insert = step_ == 2 && !has_row_;
    if (!was_insert || !begins_again(error)) return OneKeyCommand::failed(error);
    step_ = 0;
  }

  // The row as it was: values[i] is of columns_[i].
  virtual void look(std::span<const Value> values) = 0;
  // It is looked at anew, and may not be there.
  virtual void forget() = 0;

  std::vector<uint16_t> columns_;
  std::vector<Value> values_;

 private:
  RowWriter writer_;
  bool is_written_ = false;
  uint32_t look_target_ = 0, update_target_ = 0, insert_target_ = 0;
};

class HashSet : public HashWrite {
 protected:
  void take_options() override {
    if (count_of_arguments() % 2 != 0) {
      return refuse("ERR wrong number of arguments for '" + lower(argument(0)) + "' command");
    }
    take_fields((count_of_arguments() - 2) / 2);
  }
  bool choose() override {
    forget();
    for (size_t at = 2; at < count_of_arguments(); at += 2) {
      if (!add_column(argument(at), argument(at + 1))) return false;
    }
    return true;
  }
  void look(std::span<const Value> values) override {
    were_there_ = static_cast<size_t>(
        std::ranges::count_if(values, [](const Value& value) { return !value.is_null(); }));
  }
  void forget() override { were_there_ = 0; }
  void reply() override { out_->integer(uint64_t{columns_.size() - were_there_}); }

  size_t were_there_ = 0;
};

class HashMultiSet final : public HashSet {
  void reply() override { out_->ok(); }
};

class HashSetNx final : public HashSet {
  bool wants() override { return were_there_ == 0; }
  void reply() override { out_->integer(int64_t{were_there_ == 0}); }
};

// The columns become NULL. The row stays, even when that was its last field.
class HashDelete final : public HashWrite {
  Access row_access() const override { return Access::kUpdate; }
  void take_options() override { take_fields(count_of_arguments() - 2); }
  void no_table() override { forget(); }
  bool choose() override {
    forget();
    for (size_t at = 2; at < count_of_arguments(); ++at) {
      const std::optional<uint16_t> column = field(argument(at));
      if (!column || std::ranges::find(columns_, *column) != columns_.end()) continue;
      const bool is_key = std::ranges::find(table().key, *column) != table().key.end();
      if (is_key || !table().columns[*column].is_nullable || table().columns[*column].is_computed) {
        refuse("ERR the column '" + table().columns[*column].name + "' cannot be NULL");
        return false;
      }
      columns_.push_back(*column);
      values_.push_back(Value::null());
    }
    return !columns_.empty();
  }
  bool wants() override { return has_row_ && deleted_ != 0; }
  void look(std::span<const Value> values) override {
    deleted_ = static_cast<size_t>(
        std::ranges::count_if(values, [](const Value& value) { return !value.is_null(); }));
  }
  void forget() override { deleted_ = 0; }
  void reply() override { out_->integer(uint64_t{deleted_}); }

  size_t deleted_ = 0;
};

}  // namespace

Made make_hash_set() { return std::make_unique<HashSet>(); }
Made make_hash_multi_set() { return std::make_unique<HashMultiSet>(); }
Made make_hash_set_nx() { return std::make_unique<HashSetNx>(); }
Made make_hash_delete() { return std::make_unique<HashDelete>(); }

}  // namespace hs::protocol::resp
