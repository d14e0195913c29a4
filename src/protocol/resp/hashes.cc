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
  void take_options() override { take_fields(count_of_arguments() - 2); }
  void choose() override {
    places_.clear();
    for (size_t at = 2; at < count_of_arguments(); ++at) {
      const std::optional<uint16_t> column = field(argument(at));
      places_.push_back(std::nullopt);
      if (!column) continue;
      const auto known = std::ranges::find(columns_, *column);
      places_.back() = static_cast<size_t>(known - columns_.begin());
      if (known == columns_.end()) columns_.push_back(*column);
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
  bool shows_rows() const override { return false; }
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
    uint64_t cursor = 0;
    if (!parse_cursor(argument(2), &cursor)) refuse(kNoCursor);
  }
  // False: refused, which Redis does only where there is a hash.
  bool take_words() {
    pattern_ = "*";
    for (size_t at = 3; at < count_of_arguments(); at += 2) {
      const bool has_value = at + 1 < count_of_arguments();
      int64_t number = 1;
      if (has_value && is_word(at, "MATCH")) {
        pattern_ = argument(at + 1);
      } else if (has_value && is_word(at, "COUNT")) {
        if (!take_integer(at + 1, &number)) return false;
      } else {
        number = 0;  // this is no option
      }
      if (number >= 1) continue;
      refuse(kSyntax);
      return false;
    }
    return true;
  }
  bool found(std::span<const Value> values) override {
    if (!take_words()) return true;
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

}  // namespace hs::protocol::resp
