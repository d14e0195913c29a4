// Values and rows of the C++ client; included by handlersocket2.hpp.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <handlersocket2/error.hpp>
#include <initializer_list>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace hs {

// Of BINARY, VARBINARY, BLOB, BIT and GEOMETRY columns, and of all columns of a raw table.
struct Bytes {
  std::string data;
  bool operator==(const Bytes& other) const { return data == other.data; }
};

// NULL is std::monostate. Integers of unsigned columns are std::uint64_t. DECIMAL, dates and times are
// text, as SQL writes them.
using Value =
    std::variant<std::monostate, bool, std::int64_t, std::uint64_t, double, std::string, Bytes>;
// A value for each column of the index, or for its first ones.
using Key = std::vector<Value>;

inline bool is_null(const Value& value) { return std::holds_alternative<std::monostate>(value); }

// The value as a number, a text or bytes of the program's choice: an integer also as a floating-point number
// that has it exactly, 0 and 1 also as bool. Throws ValueError where it is NULL, of another kind, or out of
// range.
template <typename T>
T as(const Value& value) {
  if constexpr (std::is_same_v<T, Bytes>) {
    if (const auto* same = std::get_if<T>(&value)) return *same;
  } else if constexpr (std::is_same_v<T, bool>) {
    if (const auto* same = std::get_if<T>(&value)) return *same;
    if (std::holds_alternative<std::int64_t>(value) || std::holds_alternative<std::uint64_t>(value))
      if (const auto number = as<std::uint64_t>(value); number <= 1) return number == 1;
  } else if constexpr (std::is_integral_v<T>) {
    using Limits = std::numeric_limits<T>;
    if (const auto* i = std::get_if<std::int64_t>(&value))
      if (*i < 0 ? std::is_signed_v<T> && *i >= static_cast<std::int64_t>(Limits::min())
                 : static_cast<std::uint64_t>(*i) <= static_cast<std::uint64_t>(Limits::max()))
        return static_cast<T>(*i);
    if (const auto* u = std::get_if<std::uint64_t>(&value))
      if (*u <= static_cast<std::uint64_t>(Limits::max())) return static_cast<T>(*u);
  } else if constexpr (std::is_floating_point_v<T>) {
    if (const auto* number = std::get_if<double>(&value)) return static_cast<T>(*number);
    constexpr std::int64_t exact = std::int64_t{1} << std::min(std::numeric_limits<T>::digits, 62);
    if (const auto* i = std::get_if<std::int64_t>(&value))
      if (*i >= -exact && *i <= exact) return static_cast<T>(*i);
    if (const auto* u = std::get_if<std::uint64_t>(&value))
      if (*u <= static_cast<std::uint64_t>(exact)) return static_cast<T>(*u);
  } else {
    if (const auto* text = std::get_if<std::string>(&value)) return T(*text);
    if (const auto* bytes = std::get_if<Bytes>(&value)) return T(bytes->data);
  }
  refuse("a value is NULL, or of another kind than the program wants");
}

// A row: values by the names of their columns, in an order.
class Row {
 public:
  using Field = std::pair<std::string, Value>;
  Row() = default;
  Row(std::initializer_list<Field> fields) : fields_(fields) {}

  // The value of a column; the row gets the column when it has it not.
  Value& operator[](std::string_view name) {
    if (Value* known = find(name)) return *known;
    return fields_.emplace_back(std::string(name), Value()).second;
  }
  // Throws std::out_of_range.
  const Value& at(std::string_view name) const {
    if (const Value* known = find(name)) return *known;
    throw std::out_of_range("the row has no column " + std::string(name));
  }
  template <typename T>
  T get(std::string_view name) const {
    return as<T>(at(name));
  }
  const Value* find(std::string_view name) const {
    auto at = std::find_if(begin(), end(), [&](const Field& field) { return field.first == name; });
    return at != end() ? &at->second : nullptr;
  }
  Value* find(std::string_view name) {
    return const_cast<Value*>(static_cast<const Row*>(this)->find(name));
  }
  bool has(std::string_view name) const { return find(name) != nullptr; }
  std::vector<Field>::const_iterator begin() const { return fields_.begin(); }
  std::vector<Field>::const_iterator end() const { return fields_.end(); }
  std::size_t size() const { return fields_.size(); }
  bool empty() const { return fields_.empty(); }
  void reserve(std::size_t count) { fields_.reserve(count); }
  void add(std::string name, Value value) {
    fields_.emplace_back(std::move(name), std::move(value));
  }
  // The same columns with the same values, in any order.
  bool operator==(const Row& other) const {
    return size() == other.size() && std::all_of(begin(), end(), [&](const Field& field) {
             const Value* there = other.find(field.first);
             return there != nullptr && *there == field.second;
           });
  }
  bool operator!=(const Row& other) const { return !(*this == other); }

 private:
  std::vector<Field> fields_;
};

namespace detail {

// Some elements without memory of their own.
template <typename T, std::size_t few>
class Small {
 public:
  explicit Small(std::size_t count) : size_(count) {
    if (count > few) more_.reset(new T[count]);
  }
  Small(const Small&) = delete;
  T* data() { return more_ ? more_.get() : few_; }
  const T* data() const { return more_ ? more_.get() : few_; }
  T& operator[](std::size_t i) { return data()[i]; }
  const T& operator[](std::size_t i) const { return data()[i]; }
  std::size_t size() const { return size_; }

 private:
  T few_[few];
  std::unique_ptr<T[]> more_;
  std::size_t size_;
};

struct Digits {
  char text[HS_NUMBER];
};

// Throws ValueError for what is no number of SQL.
inline hs_value encode(const Value& value, Digits* digits) {
  if (const auto* i = std::get_if<std::int64_t>(&value)) return hs_int64(*i, digits->text);
  if (const auto* s = std::get_if<std::string>(&value)) return hs_bytes(s->data(), s->size());
  if (const auto* u = std::get_if<std::uint64_t>(&value)) return hs_uint64(*u, digits->text);
  if (const auto* y = std::get_if<Bytes>(&value)) return hs_bytes(y->data.data(), y->data.size());
  if (const auto* b = std::get_if<bool>(&value)) return hs_bytes(*b ? "1" : "0", 1);
  if (std::holds_alternative<std::monostate>(value)) return hs_null();
  const double number = std::get<double>(value);
  if (!std::isfinite(number)) refuse("infinities and NaN cannot be sent");
  return hs_double(number, digits->text);
}

// A list of values as handlersocket2.h has it. Refers to the values.
class Values {
 public:
  explicit Values(const std::vector<Value>& values)
      : values_(values.size()), digits_(values.size()) {
    for (std::size_t i = 0; i < values.size(); i++) values_[i] = encode(values[i], &digits_[i]);
  }
  explicit Values(std::vector<Value>&&) = delete;  // it would be gone
  const hs_value* data() const { return values_.data(); }
  std::size_t size() const { return values_.size(); }

 private:
  Small<hs_value, 8> values_;
  Small<Digits, 8> digits_;
};

// A row in the same way.
class Fields {
 public:
  explicit Fields(const Row& row) : fields_(row.size()), digits_(row.size()) {
    std::size_t i = 0;
    for (const auto& [name, value] : row) {
      fields_[i] = {c_text(name), encode(value, &digits_[i])};
      i++;
    }
  }
  explicit Fields(Row&&) = delete;  // it would be gone
  const hs_field* data() const { return fields_.data(); }
  std::size_t size() const { return fields_.size(); }

 private:
  Small<hs_field, 16> fields_;
  Small<Digits, 16> digits_;
};

// Makes a value of what came. Throws ValueError where it is none of its column's type.
inline Value decode(hs_value value, const hs_column& column, bool raw) {
  if (value.data == nullptr) return {};
  std::int64_t integer = 0;
  std::uint64_t natural = 0;
  double real = 0;
  if (raw || column.kind == HS_KIND_BYTES) return Bytes{std::string(value.data, value.len)};
  if (column.kind == HS_KIND_INTEGER) {
    if (column.is_unsigned && hs_value_uint64(value, &natural) == 0) return natural;
    if (!column.is_unsigned && hs_value_int64(value, &integer) == 0) return integer;
    refuse(std::string("column ") + column.name + " has a value that is no integer");
  }
  if (column.kind == HS_KIND_FLOAT) {
    if (hs_value_double(value, &real) == 0) return real;
    refuse(std::string("column ") + column.name + " has a value that is no number");
  }
  return std::string(value.data, value.len);
}

template <typename T, void (*Free)(T*)>
struct Freed {
  void operator()(T* handle) const { Free(handle); }
};

}  // namespace detail

using ReplyHandle = std::unique_ptr<hs_reply, detail::Freed<hs_reply, hs_reply_free>>;
using BatchHandle = std::unique_ptr<hs_batch, detail::Freed<hs_batch, hs_batch_free>>;
using TableHandle = std::unique_ptr<hs_table, detail::Freed<hs_table, hs_table_free>>;

inline ReplyHandle new_reply() {
  ReplyHandle reply(hs_reply_new());
  if (!reply) throw std::bad_alloc();
  return reply;
}

namespace detail {

// A reply that this thread uses again and again, or a new one while that is in use.
class Reply {
 public:
  Reply() : reply_(kept() ? std::move(kept()) : new_reply()) {}
  ~Reply() {
    hs_reply_trim(reply_.get(), std::size_t{1} << 20);
    if (!kept()) kept() = std::move(reply_);
  }
  Reply(const Reply&) = delete;
  hs_reply* get() const { return reply_.get(); }

 private:
  static ReplyHandle& kept() {
    static thread_local ReplyHandle reply;
    return reply;
  }
  ReplyHandle reply_;
};

}  // namespace detail

// A row of an answer as it stands there, without copies: for as long as the function that gets it.
class RowView {
 public:
  RowView(const hs_reply* reply, std::size_t row) : reply_(reply), row_(row) {}
  std::size_t size() const { return hs_reply_columns(reply_); }
  bool is_null(std::size_t column) const { return value(column).data == nullptr; }
  std::string_view text(std::size_t column) const {
    const hs_value found = value(column);
    return std::string_view(found.data != nullptr ? found.data : "", found.len);
  }
  // Throws ValueError where it is NULL or no such number.
  std::int64_t int64(std::size_t column) const {
    return number<std::int64_t>(column, hs_value_int64);
  }
  std::uint64_t uint64(std::size_t column) const {
    return number<std::uint64_t>(column, hs_value_uint64);
  }
  double real(std::size_t column) const { return number<double>(column, hs_value_double); }

 private:
  hs_value value(std::size_t column) const { return hs_reply_value(reply_, row_, column); }
  template <typename T>
  T number(std::size_t column, int (*read)(hs_value, T*)) const {
    T out = 0;
    if (read(value(column), &out) != 0) refuse("a value is NULL, no number, or out of range");
    return out;
  }
  const hs_reply* reply_;
  std::size_t row_;
};

}  // namespace hs
