// Commands that write, append to and delete rows as strings.
#include <algorithm>

#include "protocol/resp/expiry_option.h"
#include "protocol/resp/families.h"

namespace hs::protocol::resp {
namespace {

// Writes one key. Where the table has no other unique index than the key's, an upsert is exact.
// Elsewhere it might change the row that another unique index finds, so the row of the key is updated,
// and inserted if it is not there.
class Writer {
 public:
  enum class When : uint8_t { kAlways, kAbsent, kPresent };

  // The columns of `table` that are written: its key, its value and, if `with_expiry`, when it
  // expires.
  void set_table(const mapping::Mapping& table, bool with_expiry) {
    table_ = &table;
    columns_.assign(table.key.begin(), table.key.end());
    columns_.insert(columns_.end(), table.value.begin(), table.value.end());
    has_expiry_ = with_expiry && table.ttl.has_value();
    if (has_expiry_) columns_.push_back(*table.ttl);
  }
  std::span<const uint16_t> insert_columns() const { return columns_; }
  std::span<const uint16_t> update_columns() const {
    return std::span(columns_).subspan(table_->key.size());
  }
  bool upserts() const { return !table_->has_other_unique; }
  bool has_expiry() const { return has_expiry_; }

  // False: the text has not as many parts as the value has columns.
  bool set_values(std::span<const Value> key, std::string_view text) {
    if (!mapping::split_value(*table_, text, &value_)) return false;
    values_.assign(key.begin(), key.end());
    values_.insert(values_.end(), value_.begin(), value_.end());
    if (has_expiry_) values_.push_back(Value::null());
    return true;
  }
  std::span<const Value> insert_values() const { return values_; }
  std::span<const Value> update_values() const {
    return std::span(values_).subspan(table_->key.size());
  }

 private:
  const mapping::Mapping* table_ = nullptr;
  bool has_expiry_ = false;
  std::vector<uint16_t> columns_;
  std::vector<Value> values_, value_;
};

std::string no_value_text(const mapping::Mapping& table) {
  if (table.value.empty()) return "ERR the table has no column for a value";
  return "ERR the value has not as many parts as the table has columns for it: " +
         std::to_string(table.value.size()) + ", with '" + table.value_separator + "' between them";
}

constexpr std::string_view kNoExpiry =
    "ERR the table has no column by which its rows expire (ttl= in its COMMENT)";

// SET in all its forms, and its older relatives.
class Set : public OneKeyCommand {
 protected:
  using When = Writer::When;
  using Unit = ExpiryOption::Unit;

  void take_options() override {
    value_ = argument(2);
    when_ = When::kAlways;
    gets_ = keeps_expiry_ = false;
    expiry_.reset();
    for (size_t at = 3; at < count_of_arguments() && !is_refused(); ++at) take_option(at);
    if (keeps_expiry_ && expiry_) refuse(kSyntax);
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
    const std::optional<Unit> unit = is_word(at, "EX")     ? std::optional(Unit::kSeconds)
                                     : is_word(at, "PX")   ? std::optional(Unit::kMilliseconds)
                                     : is_word(at, "EXAT") ? std::optional(Unit::kAtSeconds)
                                     : is_word(at, "PXAT") ? std::optional(Unit::kAtMilliseconds)
                                                           : std::nullopt;
    if (!unit || expiry_ || at + 1 == count_of_arguments()) return refuse(kSyntax);
    set_expiry(*unit, ++at);
  }

  void set_expiry(Unit unit, size_t at) {
    int64_t number = 0;
    if (!take_integer(at, &number)) return;
    expiry_ = {unit, number};
    if (number <= 0 || !expiry_->at_s(INT64_C(1) << 42)) {
      refuse("ERR invalid expire time in '" + lower(argument(0)) + "' command");
    }
  }

  Access row_access() const override { return Access::kPut; }

  void prepare_row() override {
    if (!exists_) return refuse_key(keys_.front());
    is_set_ = has_tried_update_ = has_looked_ = has_tried_insert_ = false;
    old_.reset();
    writer_.set_table(table(), !keeps_expiry_);
    if (table().value.empty() || !writer_.set_values(parts_, value_)) {
      return refuse(no_value_text(table()));
    }
    if (expiry_ && !table().ttl) return refuse(kNoExpiry);
    at_s_ = expiry_ ? expiry_->at_s(facts_.now_ms()) : std::nullopt;
    inserts_ = when_ != When::kPresent;
    updates_ = when_ == When::kPresent || (when_ == When::kAlways && !writer_.upserts());
    looks_ = when_ == When::kAbsent && !writer_.upserts();
    if (looks_) look_target_ = target(table(), gets_ ? table().value : table().key);
    if (updates_) update_target_ = target(table(), writer_.update_columns());
    if (inserts_) insert_target_ = target(table(), writer_.insert_columns());
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
      modify(request, update_target_, Modification::kUpdate, writer_.update_values());
      request.return_old = gets_;
      set_moment(request, writer_.update_values().size());
      return true;
    }
    if (!inserts_ || has_tried_insert_) return false;
    has_tried_insert_ = true;
    insert(request);
    return true;
  }

  void insert(Request& request) {
    request.verb = Verb::kInsert;
    request.index_id = insert_target_;
    request.values = writer_.insert_values();
    request.key_count = static_cast<uint32_t>(request.values.size());
    request.on_duplicate = !writer_.upserts()       ? OnDuplicate::kFail
                           : when_ == When::kAbsent ? OnDuplicate::kIgnore
                                                    : OnDuplicate::kUpdate;
    request.return_old = gets_ && writer_.upserts();
    set_moment(request, request.values.size());
  }

  void set_moment(Request& request, size_t values) const {
    if (writer_.has_expiry()) request.expiry = {values - 1, at_s_};
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
    const size_t begin = has_tried_insert_ && !looks_ ? table().key.size() : 0;
    const auto value = values.subspan(begin, table().value.size());
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
  When when_ = When::kAlways;
  bool gets_ = false, keeps_expiry_ = false;
  std::optional<ExpiryOption> expiry_;

  Writer writer_;
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
  explicit SetEx(Unit unit) : unit_(unit) {}

 private:
  void take_options() override {
    value_ = argument(3);
    set_expiry(unit_, 2);
  }
  const Unit unit_;
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
    updates_ = is_done_ = false;
    writers_.clear();
    for (size_t i = 0; i < keys_.size(); ++i) {
      if (!locate(i)) return refuse_key(keys_[i]);
      if (writer_of(table_of(i)) != nullptr) continue;
      writers_.emplace_back(&table_of(i), std::make_unique<Writer>())
          .second->set_table(table_of(i), true);
    }
    for (auto& [table, writer] : writers_) {
      (void)target(*table, writer->insert_columns());
      if (!writer->upserts()) (void)target(*table, writer->update_columns());
    }
  }

  bool next_request(Request& request) override {
    if (updates_ && !is_done_) {
      updates_ = false;
      insert(request);
      ++at_;
      return true;
    }
    if (updates_) {
      updates_ = false;
      ++at_;
    }
    if (at_ == keys_.size()) return false;
    (void)locate(at_);
    Writer& writer = *writer_of(table_of(at_));
    if (table_of(at_).value.empty() || !writer.set_values(parts_, argument(2 + 2 * at_))) {
      refuse(no_value_text(table_of(at_)));
      return false;
    }
    if (writer.upserts()) {
      insert(request);
      ++at_;
      return true;
    }
    updates_ = true;
    is_done_ = false;
    modify(request, target(table_of(at_), writer.update_columns()), Modification::kUpdate,
           writer.update_values());
    if (writer.has_expiry()) request.expiry = {writer.update_values().size() - 1, std::nullopt};
    return true;
  }

  void insert(Request& request) {
    const Writer& writer = *writer_of(table_of(at_));
    request.verb = Verb::kInsert;
    request.index_id = target(table_of(at_), writer.insert_columns());
    request.values = writer.insert_values();
    request.key_count = static_cast<uint32_t>(request.values.size());
    request.on_duplicate = writer.upserts() ? OnDuplicate::kUpdate : OnDuplicate::kFail;
    if (writer.has_expiry()) request.expiry = {request.values.size() - 1, std::nullopt};
  }

  void count(uint64_t number) override { is_done_ = number != 0; }
  void reply() override { out_->ok(); }

  Writer* writer_of(const mapping::Mapping& table) {
    for (auto& [known, writer] : writers_) {
      if (known == &table) return writer.get();
    }
    return nullptr;
  }

  size_t at_ = 0;
  bool updates_ = false;  // the row of at_ is being updated, and inserted if it is not there
  bool is_done_ = false;
  std::vector<std::pair<const mapping::Mapping*, std::unique_ptr<Writer>>> writers_;
};

// DEL and UNLINK.
class Delete final : public RespCommand {
  void take() override { keys_.assign(arguments_.begin() + 1, arguments_.end()); }
  Access row_access() const override { return Access::kDelete; }
  void prepare() override {
    at_ = 0;
    deleted_ = 0;
    for (const mapping::Mapping* table : tables_) {
      if (table != nullptr) (void)target(*table, table->key);
    }
  }
  bool next_request(Request& request) override {
    while (at_ < keys_.size() && !locate(at_)) ++at_;
    if (at_ == keys_.size()) return false;
    const mapping::Mapping& table = table_of(at_++);
    modify(request, target(table, table.key), Modification::kDelete, {});
    return true;
  }
  void count(uint64_t number) override { deleted_ += number; }
  void reply() override { out_->integer(deleted_); }

  size_t at_ = 0;
  uint64_t deleted_ = 0;
};

class GetDelete final : public OneKeyCommand {
  Access row_access() const override { return Access::kDelete; }
  void prepare_row() override {
    old_.reset();
    if (exists_) (void)target(table(), table().value);
  }
  bool next_request(Request& request) override {
    if (!exists_ || step_++ != 0) return false;
    modify(request, 0, Modification::kDelete, {});
    request.return_old = true;
    return true;
  }
  bool row(std::span<const Value> values) override {
    if (values.size() != 1 || !values.front().is_null()) {
      old_ = join_value(values, table().value_separator);
    }
    return true;
  }
  void take_back_row() override { old_.reset(); }
  void reply() override { old_ ? out_->bulk(*old_) : out_->null(); }

  std::optional<std::string> old_;
};

// APPEND: the row is read and locked, and then written.
class Append final : public OneKeyCommand {
  Access row_access() const override { return Access::kPut; }
  void prepare_row() override {
    if (!exists_) return refuse_key(keys_.front());
    if (table().value.size() != 1) {
      return refuse("ERR the table has not one column for the value");
    }
    writer_.set_table(table(), false);
    update_target_ = target(table(), table().value);
    insert_target_ = target(table(), writer_.insert_columns());
  }
  bool next_request(Request& request) override {
    const int step = step_++;
    if (step == 0) {
      find(request, update_target_);
      return true;
    }
    if (step != 1) return false;
    if (!has_row_) value_.clear();
    value_ += argument(2);
    (void)writer_.set_values(parts_, value_);
    if (has_row_) {
      modify(request, update_target_, Modification::kUpdate, writer_.update_values());
      return true;
    }
    request.verb = Verb::kInsert;
    request.index_id = insert_target_;
    request.values = writer_.insert_values();
    request.key_count = static_cast<uint32_t>(request.values.size());
    return true;
  }
  bool row(std::span<const Value> values) override {
    if (step_ != 1) return true;
    has_row_ = true;
    value_ = values.front().text();
    return true;
  }
  void reply() override { out_->integer(uint64_t{value_.size()}); }

  Writer writer_;
  uint32_t insert_target_ = 0, update_target_ = 0;
  std::string value_;
};

}  // namespace

Made make_set() { return std::make_unique<Set>(); }
Made make_set_ex() { return std::make_unique<SetEx>(ExpiryOption::Unit::kSeconds); }
Made make_pset_ex() { return std::make_unique<SetEx>(ExpiryOption::Unit::kMilliseconds); }
Made make_set_nx() { return std::make_unique<SetNx>(); }
Made make_get_set() { return std::make_unique<GetSet>(); }
Made make_multi_set() { return std::make_unique<MultiSet>(); }
Made make_delete() { return std::make_unique<Delete>(); }
Made make_get_delete() { return std::make_unique<GetDelete>(); }
Made make_append() { return std::make_unique<Append>(); }

}  // namespace hs::protocol::resp
