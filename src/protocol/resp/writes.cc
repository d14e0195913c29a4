// Commands that write rows as strings.
#include <array>
#include <utility>

#include "protocol/resp/expiry_option.h"
#include "protocol/resp/families.h"
#include "protocol/resp/row_writer.h"

namespace hs::protocol::resp {
namespace {

// The values of the table's value columns. False: the text has not as many parts.
bool take_value(const mapping::Mapping& table, std::string_view text, std::vector<Value>* values) {
  return !table.value.empty() && !table.has_computed_value &&
         mapping::split_value(table, text, values);
}

std::string no_value_text(const mapping::Mapping& table) {
  if (table.value.empty()) return "ERR the table has no column for a value";
  if (table.has_computed_value) return "ERR the table's value is computed";
  return "ERR the value has not as many parts as the table has columns for it: " +
         std::to_string(table.value.size()) + ", with '" + table.value_separator + "' between them";
}

// SET in all its forms, and its older relatives.
class Set : public ExpiringCommand {
 protected:
  enum class When : uint8_t { kAlways, kAbsent, kPresent };

  void take_options() override {
    value_ = argument(2);
    when_ = When::kAlways;
    gets_ = keeps_expiry_ = false;
    forget_expiry();
    for (size_t at = 3; at < count_of_arguments() && !is_refused(); ++at) take_option(at);
    if (keeps_expiry_ && has_expiry()) refuse(kSyntax);
    if (!is_refused()) set_expiry();
  }

  void take_option(size_t& at) {
    const auto set_when = [&](When when) {
      if (when_ != When::kAlways && when_ != when) return refuse(kSyntax);
      when_ = when;
    };
    if (is_word(at, "NX")) return set_when(When::kAbsent);
    if (is_word(at, "XX")) return set_when(When::kPresent);
    if (is_word(at, "GET")) {
      gets_ = true;
      return;
    }
    if (is_word(at, "KEEPTTL")) {
      keeps_expiry_ = true;
      return;
    }
    if (!take_expiry_word(at)) refuse(kSyntax);
  }

  void set_expiry() { expiry_ = has_expiry() ? take_expiry() : std::nullopt; }

  Access row_access() const override { return Access::kPut; }
  bool shows_rows() const override { return gets_; }

  void prepare_row() override {
    if (!exists_) return refuse_key(keys_.front());
    if (!take_value(table(), value_, &value_parts_)) return refuse(no_value_text(table()));
    if (expiry_ && !table().ttl) return refuse(kNoExpiry);
    writer_.set_table(table(), table().value, !keeps_expiry_);
    writer_.set_values(value_parts_, parts_);
    at_s_ = expiry_ ? expiry_->at_s(facts_.now_ms()) : std::nullopt;
    if (expiry_ && !at_s_) return refuse_expiry();
    inserts_ = when_ != When::kPresent;
    updates_ = when_ == When::kPresent || (when_ == When::kAlways && !writer_.upserts());
    looks_ = when_ == When::kAbsent && !writer_.upserts();
    if (looks_) look_target_ = target(table(), gets_ ? table().value : table().key);
    if (updates_) update_target_ = target(table(), writer_.changed());
    if (inserts_) insert_target_ = target(table(), writer_.of_row());
    begin_row();
  }

  void begin_row() {
    is_set_ = has_row_ = has_tried_update_ = has_looked_ = has_tried_insert_ = false;
    old_.reset();
  }

  bool next_request(Request& request) override {
    if (is_set_ || has_row_) return false;
    if (looks_ && !has_looked_) {
      has_looked_ = true;
      find(request, look_target_);
      return true;
    }
    if (updates_ && !has_tried_update_) {
      has_tried_update_ = true;
      modify(request, update_target_, Modification::kUpdate, {});
      writer_.update(request, at_s_);
      request.return_old = gets_;
      return true;
    }
    if (!inserts_ || has_tried_insert_) return false;
    has_tried_insert_ = true;
    request.index_id = insert_target_;
    writer_.insert(request,
                   !writer_.upserts()       ? OnDuplicate::kFail
                   : when_ == When::kAbsent ? OnDuplicate::kIgnore
                                            : OnDuplicate::kUpdate,
                   at_s_);
    request.return_old = gets_ && writer_.upserts();
    return true;
  }

  void failed(const Error& error) override {
    const bool was_plain = has_tried_insert_ && !writer_.upserts();
    if (!was_plain || !begins_again(error)) return OneKeyCommand::failed(error);
    begin_row();
  }

  // Of an insert: what it did. Of an update: how many rows.
  void count(uint64_t number) override { note(number); }
  bool row(std::span<const Value> values) override {
    if (has_tried_insert_ && !gets_) {  // with the id that was generated
      note(values[0].text() == "0" ? 0 : 1);
      return true;
    }
    has_row_ = true;
    if (!gets_) return true;
    const auto value = values.first(table().value.size());
    old_is_null_ = value.size() == 1 && value.front().is_null();
    old_ = join_value(value, table().value_separator);
    return true;
  }
  void take_back_row() override {
    has_row_ = false;
    old_.reset();
  }
  void end_rows() override {
    if (has_tried_insert_) {
      // With the old row, or none: an insert that ignores has done nothing if there was one.
      if (gets_) is_set_ = when_ != When::kAbsent || !has_row_;
    } else if (has_tried_update_) {
      is_set_ = has_row_;
    }
  }

  void reply() override {
    if (gets_) {
      if (old_ && !old_is_null_) return out_->bulk(*old_);
      return out_->null();
    }
    is_set_ ? out_->ok() : out_->null();
  }

  void note(uint64_t outcome) {
    // An upsert that finds the row as it shall be has set it, and so has a plain insert. Only an insert
    // that ignores tells by its outcome.
    const bool may_ignore = has_tried_insert_ && writer_.upserts() && when_ == When::kAbsent;
    is_set_ = (has_tried_insert_ && !may_ignore) || outcome != 0;
  }

  std::string_view value_;
  std::vector<Value> value_parts_;
  When when_ = When::kAlways;
  bool gets_ = false, keeps_expiry_ = false;
  std::optional<ExpiryOption> expiry_;

  RowWriter writer_;
  std::optional<int64_t> at_s_;
  bool inserts_ = false, updates_ = false, looks_ = false;
  uint32_t insert_target_ = 0, update_target_ = 0, look_target_ = 0;
  bool has_looked_ = false, has_tried_update_ = false, has_tried_insert_ = false;
  bool is_set_ = false;
  bool old_is_null_ = false;
  std::optional<std::string> old_;
};

class SetEx final : public Set {
 public:
  explicit SetEx(ExpiryOption::Unit unit) : unit_(unit) {}

 private:
  void take_options() override {
    value_ = argument(3);
    give_expiry(unit_, 2);
    set_expiry();
  }
  const ExpiryOption::Unit unit_;
};

class SetNx final : public Set {
  void take_options() override {
    value_ = argument(2);
    when_ = When::kAbsent;
  }
  void reply() override { out_->integer(int64_t{is_set_}); }
};

class GetSet final : public Set {
  void take_options() override {
    value_ = argument(2);
    gets_ = true;
  }
};

// MSET: all rows or none.
class MultiSet final : public RespCommand {
  void take() override {
    if (count_of_arguments() % 2 == 0) {
      return refuse("ERR wrong number of arguments for '" + lower(argument(0)) + "' command");
    }
    for (size_t i = 1; i < count_of_arguments(); i += 2) keys_.push_back(argument(i));
  }
  Access row_access() const override { return Access::kPut; }

  void prepare() override {
    at_ = 0;
    step_ = 0;
    is_done_ = false;
    writers_.clear();
    values_.clear();
    taken_ = 0;
    for (size_t i = 0; i < keys_.size(); ++i) {
      if (!locate(i)) return refuse_key(keys_[i]);
      // Before the first row is written: not every table takes it back.
      if (!take_value(table_of(i), argument(2 + 2 * i), &value_parts_)) {
        return refuse(no_value_text(table_of(i)));
      }
      values_.insert(values_.end(), value_parts_.begin(), value_parts_.end());
      if (writer_of(table_of(i)) != nullptr) continue;
      RowWriter& writer =
          *writers_.emplace_back(&table_of(i), std::make_unique<RowWriter>()).second;
      writer.set_table(table_of(i), table_of(i).value, true);
    }
    for (auto& [table, writer] : writers_) {
      (void)target(*table, writer->of_row());
      if (!writer->upserts()) (void)target(*table, writer->changed());
    }
  }

  bool next_request(Request& request) override {
    if (is_done_) {
      taken_ += table_of(at_).value.size();
      ++at_;
      step_ = 0;
      is_done_ = false;
      go_to_next_row();
    }
    if (at_ == keys_.size()) return false;
    const mapping::Mapping& table = table_of(at_);
    RowWriter& writer = *writer_of(table);
    if (step_ == 0) {
      (void)locate(at_);
      writer.set_values(std::span(values_).subspan(taken_, table.value.size()), parts_);
    }
    if (step_++ == 0 && !writer.upserts()) {
      modify(request, target(table, writer.changed()), Modification::kUpdate, {});
      writer.update(request);
      return true;
    }
    is_done_ = true;
    request.index_id = target(table, writer.of_row());
    writer.insert(request, writer.upserts() ? OnDuplicate::kUpdate : OnDuplicate::kFail);
    return true;
  }

  // The row was updated, if it was there.
  void count(uint64_t number) override { is_done_ |= number != 0; }
  void failed(const Error& error) override {
    const bool was_plain = is_done_ && !writer_of(table_of(at_))->upserts();
    if (!was_plain || !begins_again(error)) return RespCommand::failed(error);
    is_done_ = false;
    step_ = 0;
  }
  void reply() override { out_->ok(); }

  RowWriter* writer_of(const mapping::Mapping& table) {
    for (auto& [known, writer] : writers_) {
      if (known == &table) return writer.get();
    }
    return nullptr;
  }

  size_t at_ = 0;
  int step_ = 0;                             // of the row of at_
  bool is_done_ = false;                     // nothing is left to do with it
  std::vector<Value> value_parts_, values_;  // of one row, and of all
  size_t taken_ = 0;                         // of values_, by the rows in front of at_
  std::vector<std::pair<const mapping::Mapping*, std::unique_ptr<RowWriter>>> writers_;
};

// APPEND: the row is read and locked, and then written.
class Append final : public OneKeyCommand {
  bool shows_rows() const override { return false; }
  Access row_access() const override { return Access::kPut; }
  void prepare_row() override {
    if (!exists_) return refuse_key(keys_.front());
    if (table().value.size() != 1) {
      return refuse("ERR the table has not one column for the value");
    }
    if (table().has_computed_value) return refuse(no_value_text(table()));
    writer_.set_table(table(), table().value, false);
    look_target_ = target(table(), table().value);
    update_target_ = target(table(), writer_.changed());
    insert_target_ = target(table(), writer_.of_row());
  }
  bool next_request(Request& request) override {
    if (step_ == 2 && has_row_ && !is_written_ && begins_again_as_expired()) step_ = 0;
    const int step = step_++;
    if (step == 0) {
      value_.clear();
      has_row_ = is_written_ = false;
      find(request, look_target_);
      return true;
    }
    if (step != 1) return false;
    value_ += argument(2);
    const std::array<Value, 1> value = {Value::of(value_)};
    writer_.set_values(value, parts_);
    if (has_row_) {
      modify(request, update_target_, Modification::kUpdate, {});
      writer_.update(request);
    } else {
      request.index_id = insert_target_;
      writer_.insert(request, OnDuplicate::kFail);
    }
    request.return_new = true;
    return true;
  }
  bool row(std::span<const Value> values) override {
    if (step_ != 1) {
      is_written_ = true;
      size_ = values.front().size;
      return true;
    }
    has_row_ = true;
    value_ = values.front().text();
    return true;
  }
  void failed(const Error& error) override {
    const bool was_insert = step_ == 2 && !has_row_;
    if (!was_insert || !begins_again(error)) return OneKeyCommand::failed(error);
    step_ = 0;
  }
  // What is there then: a column may store less than it was given.
  void reply() override { out_->integer(size_); }

  RowWriter writer_;
  bool is_written_ = false;
  uint64_t size_ = 0;
  uint32_t look_target_ = 0, update_target_ = 0, insert_target_ = 0;
  std::string value_;
};

}  // namespace

Made make_set() { return std::make_unique<Set>(); }
Made make_set_ex() { return std::make_unique<SetEx>(ExpiryOption::Unit::kSeconds); }
Made make_pset_ex() { return std::make_unique<SetEx>(ExpiryOption::Unit::kMilliseconds); }
Made make_set_nx() { return std::make_unique<SetNx>(); }
Made make_get_set() { return std::make_unique<GetSet>(); }
Made make_multi_set() { return std::make_unique<MultiSet>(); }
Made make_append() { return std::make_unique<Append>(); }

}  // namespace hs::protocol::resp
