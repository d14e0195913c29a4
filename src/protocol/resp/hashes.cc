// Rows as hashes: each column that SELECT * shows is a field. A column that is NULL is a field that
// is not there.
#include <algorithm>
#include <utility>

#include "protocol/resp/families.h"
#include "protocol/resp/framing.h"

namespace hs::protocol::resp {
namespace {

// The columns that are fields, in the table's order.
std::vector<uint16_t> fields_of(const mapping::Mapping& table) {
  std::vector<uint16_t> fields;
  for (size_t i = 0; i < table.columns.size(); ++i) {
    if (!table.columns[i].is_hidden) fields.push_back(static_cast<uint16_t>(i));
  }
  return fields;
}

std::optional<uint16_t> field_of(const mapping::Mapping& table, std::string_view name) {
  const std::optional<uint16_t> column = table.find(name);
  return column && !table.columns[*column].is_hidden ? column : std::nullopt;
}

bool is_key(const mapping::Mapping& table, uint16_t column) {
  return std::ranges::find(table.key, column) != table.key.end();
}

// Reads some columns of one row.
class HashRead : public OneKeyCommand {
 protected:
  Access row_access() const override { return Access::kRead; }
  void prepare_row() override {
    columns_.clear();
    if (!exists_) return;
    choose();
    // Whether the row is there must be found out even if no field is.
    (void)target(table(), columns_.empty() ? std::span<const uint16_t>(table().key) : columns_);
  }
  // Sets columns_.
  virtual void choose() = 0;
  bool next_request(Request& request) override {
    if (!exists_ || step_++ != 0) return false;
    find(request, 0);
    return true;
  }
  bool row(std::span<const Value> values) override {
    has_row_ = true;
    if (columns_.empty()) values = {};
    return found(values);
  }
  // values[i] is of columns_[i].
  virtual bool found(std::span<const Value> values) = 0;
  virtual void missing() = 0;
  void reply() override {
    if (!has_row_) missing();
  }

  std::vector<uint16_t> columns_;
};

// Those that are named from the third argument on: the place of each in columns_, or none.
class HashFields : public HashRead {
 protected:
  void choose() override {
    places_.clear();
    for (size_t at = 2; at < count_of_arguments(); ++at) {
      const std::optional<uint16_t> column = field_of(table(), argument(at));
      places_.push_back(column ? std::optional(columns_.size()) : std::nullopt);
      if (column) columns_.push_back(*column);
    }
  }
  Value value_of(std::span<const Value> values, size_t field) const {
    return places_[field] ? values[*places_[field]] : Value::null();
  }

  std::vector<std::optional<size_t>> places_;
};

class HashGet : public HashFields {
  bool found(std::span<const Value> values) override {
    write(value_of(values, 0));
    return true;
  }
  void missing() override { write(Value::null()); }

 protected:
  virtual void write(const Value& value) {
    value.is_null() ? out_->null() : out_->bulk(value.text());
  }
};

class HashExists final : public HashGet {
  void write(const Value& value) override { out_->integer(int64_t{!value.is_null()}); }
};

class HashStringLength final : public HashGet {
  void write(const Value& value) override { out_->integer(uint64_t{value.size}); }
};

class HashMultiGet final : public HashFields {
  bool found(std::span<const Value> values) override {
    out_->array(places_.size());
    for (size_t i = 0; i < places_.size(); ++i) {
      const Value value = value_of(values, i);
      value.is_null() ? out_->null() : out_->bulk(value.text());
    }
    return true;
  }
  void missing() override {
    out_->array(count_of_arguments() - 2);
    for (size_t i = 2; i < count_of_arguments(); ++i) out_->null();
  }
};

class HashAll : public HashRead {
 protected:
  void choose() override { columns_ = fields_of(table()); }
  const std::string& name_of(size_t column) const { return table().columns[columns_[column]].name; }
  static size_t fields(std::span<const Value> values) {
    return static_cast<size_t>(
        std::ranges::count_if(values, [](const Value& value) { return !value.is_null(); }));
  }
  template <class Visit>
  static void each_field(std::span<const Value> values, Visit visit) {
    for (size_t i = 0; i < values.size(); ++i) {
      if (!values[i].is_null()) visit(i);
    }
  }
};

class HashGetAll final : public HashAll {
  bool found(std::span<const Value> values) override {
    out_->map(fields(values));
    each_field(values, [&](size_t i) {
      out_->bulk(name_of(i));
      out_->bulk(values[i].text());
    });
    return true;
  }
  void missing() override { out_->map(0); }
};

class HashKeys final : public HashAll {
  bool found(std::span<const Value> values) override {
    out_->array(fields(values));
    each_field(values, [&](size_t i) { out_->bulk(name_of(i)); });
    return true;
  }
  void missing() override { out_->array(0); }
};

class HashValues final : public HashAll {
  bool found(std::span<const Value> values) override {
    out_->array(fields(values));
    each_field(values, [&](size_t i) { out_->bulk(values[i].text()); });
    return true;
  }
  void missing() override { out_->array(0); }
};

class HashLength final : public HashAll {
  bool found(std::span<const Value> values) override {
    out_->integer(uint64_t{fields(values)});
    return true;
  }
  void missing() override { out_->integer(int64_t{0}); }
};

// All fields at once: a row has no more than a table has columns.
class HashScan final : public HashAll {
  void take_options() override {
    pattern_ = "*";
    int64_t cursor = 0;
    if (!parse_integer(argument(2), &cursor) || cursor < 0) return refuse("ERR invalid cursor");
    for (size_t at = 3; at < count_of_arguments(); at += 2) {
      if (at + 1 == count_of_arguments()) return refuse(kSyntax);
      int64_t number = 0;
      if (is_word(at, "MATCH")) {
        pattern_ = argument(at + 1);
      } else if (is_word(at, "COUNT")) {
        if (!take_integer(at + 1, &number)) return;
        if (number < 1) return refuse(kSyntax);
      } else {
        return refuse(kSyntax);
      }
    }
  }
  bool found(std::span<const Value> values) override {
    size_t fields = 0;
    each_field(values, [&](size_t i) { fields += is_like(name_of(i), pattern_) ? 1 : 0; });
    head(fields);
    each_field(values, [&](size_t i) {
      if (!is_like(name_of(i), pattern_)) return;
      out_->bulk(name_of(i));
      out_->bulk(values[i].text());
    });
    return true;
  }
  void missing() override { head(0); }
  void head(size_t fields) {
    out_->array(2);
    out_->bulk("0");
    out_->array(2 * fields);
  }

  std::string_view pattern_;
};

// Sets columns of one row, which is read and locked first. It is inserted if it is not there; what is
// not given then has its default.
class HashWrite : public OneKeyCommand {
 protected:
  Access row_access() const override { return Access::kPut; }
  void prepare_row() override {
    columns_.clear();
    values_.clear();
    if (!exists_) return no_table();
    if (!choose()) return;
    insert_columns_.assign(table().key.begin(), table().key.end());
    insert_columns_.insert(insert_columns_.end(), columns_.begin(), columns_.end());
    update_target_ = target(table(), columns_);
    insert_target_ = target(table(), insert_columns_);
  }
  virtual void no_table() { refuse_key(keys_.front()); }
  // Sets columns_ and values_. False: refused, or there is nothing to do.
  virtual bool choose() = 0;

  // False: refused, it is no column that can be set.
  bool add_column(std::string_view name, std::string_view value) {
    const std::optional<uint16_t> column = field_of(table(), name);
    if (!column) {
      constexpr size_t kMost = 128;
      refuse("ERR the table has no column '" + std::string(name.substr(0, kMost)) + "'");
      return false;
    }
    if (is_key(table(), *column)) {
      refuse("ERR the column '" + table().columns[*column].name + "' is of the key");
      return false;
    }
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
    const int step = step_++;
    if (!exists_ || columns_.empty()) return false;
    if (step == 0) {
      find(request, update_target_);
      return true;
    }
    if (step != 1 || is_refused() || !wants()) return false;
    if (has_row_) {
      modify(request, update_target_, Modification::kUpdate, values_);
      return true;
    }
    insert_values_.assign(parts_.begin(), parts_.end());
    insert_values_.insert(insert_values_.end(), values_.begin(), values_.end());
    request.verb = Verb::kInsert;
    request.index_id = insert_target_;
    request.values = insert_values_;
    request.key_count = static_cast<uint32_t>(insert_values_.size());
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
  // The row as it was: values[i] is of columns_[i].
  virtual void look(std::span<const Value> /*values*/) {}

  std::vector<uint16_t> columns_;
  std::vector<Value> values_;

 private:
  std::vector<uint16_t> insert_columns_;
  std::vector<Value> insert_values_;
  uint32_t insert_target_ = 0, update_target_ = 0;
};

class HashSet : public HashWrite {
 protected:
  void take_options() override {
    if (count_of_arguments() % 2 != 0) {
      refuse("ERR wrong number of arguments for '" + lower(argument(0)) + "' command");
    }
  }
  bool choose() override {
    were_there_ = 0;
    for (size_t at = 2; at < count_of_arguments(); at += 2) {
      if (!add_column(argument(at), argument(at + 1))) return false;
    }
    return true;
  }
  void look(std::span<const Value> values) override {
    were_there_ = static_cast<size_t>(
        std::ranges::count_if(values, [](const Value& value) { return !value.is_null(); }));
  }
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
  void no_table() override { deleted_ = 0; }
  bool choose() override {
    deleted_ = 0;
    for (size_t at = 2; at < count_of_arguments(); ++at) {
      const std::optional<uint16_t> column = field_of(table(), argument(at));
      if (!column || std::ranges::find(columns_, *column) != columns_.end()) continue;
      if (is_key(table(), *column) || !table().columns[*column].is_nullable) {
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
  void reply() override { out_->integer(uint64_t{has_row_ ? deleted_ : 0}); }

  size_t deleted_ = 0;
};

// A column that is NULL, or of a row that is not there, begins at 0.
class HashIncrBy final : public HashWrite {
  void take_options() override { (void)take_integer(3, &amount_); }
  bool choose() override {
    sum_ = amount_;
    return add_column(argument(2), argument(3));
  }
  bool wants() override {
    text_ = std::to_string(sum_);
    values_.front() = Value::of(text_);
    return true;
  }
  void look(std::span<const Value> values) override {
    int64_t number = 0;
    if (values.front().is_null()) return;
    if (!parse_integer(values.front().text(), &number)) {
      return refuse("ERR hash value is not an integer");
    }
    if (__builtin_add_overflow(number, amount_, &sum_)) {
      refuse("ERR increment or decrement would overflow");
    }
  }
  void reply() override { out_->integer(sum_); }

  int64_t amount_ = 0, sum_ = 0;
  std::string text_;
};

}  // namespace

Made make_hash_get() { return std::make_unique<HashGet>(); }
Made make_hash_multi_get() { return std::make_unique<HashMultiGet>(); }
Made make_hash_get_all() { return std::make_unique<HashGetAll>(); }
Made make_hash_keys() { return std::make_unique<HashKeys>(); }
Made make_hash_values() { return std::make_unique<HashValues>(); }
Made make_hash_length() { return std::make_unique<HashLength>(); }
Made make_hash_exists() { return std::make_unique<HashExists>(); }
Made make_hash_string_length() { return std::make_unique<HashStringLength>(); }
Made make_hash_scan() { return std::make_unique<HashScan>(); }
Made make_hash_set() { return std::make_unique<HashSet>(); }
Made make_hash_multi_set() { return std::make_unique<HashMultiSet>(); }
Made make_hash_set_nx() { return std::make_unique<HashSetNx>(); }
Made make_hash_delete() { return std::make_unique<HashDelete>(); }
Made make_hash_incr_by() { return std::make_unique<HashIncrBy>(); }

}  // namespace hs::protocol::resp
