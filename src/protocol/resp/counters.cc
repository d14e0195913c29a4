// Commands that count on a column: INCR and HINCRBY, and their relatives.
//
// Numbers are counted by the engine, where they are, as SQL counts: the text of a FLOAT is rounded, and
// no number of this machine has the digits of a DECIMAL. A column of text is read and locked, counted
// as Redis counts, and set.
#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "protocol/resp/families.h"
#include "protocol/resp/framing.h"
#include "protocol/resp/numbers.h"
#include "protocol/resp/row_writer.h"

namespace hs::protocol::resp {
namespace {

using mapping::ColumnKind;

constexpr std::string_view kOverflow = "ERR increment or decrement would overflow";
constexpr int kOutOfRange = 1264;      // SQL's numbers: a value is out of its column's range,
constexpr int kDataOutOfRange = 1690;  // and so is the value of an expression

bool is_number(const mapping::ColumnShape& column) {
  return column.kind == ColumnKind::kInteger || column.kind == ColumnKind::kDecimal ||
         column.kind == ColumnKind::kReal;
}

// Whether it is an integer that no value of Redis can be.
bool is_beyond(std::string_view sum) {
  if (sum.starts_with('-')) sum.remove_prefix(1);
  return !sum.empty() && sum.find_first_not_of("0123456789") == std::string_view::npos;
}

// Where the number is.
enum class Place : uint8_t { kValue, kField };

// A column that is NULL, and the one of a row that is not there, begins at 0.
class Count : public OneKeyCommand {
 protected:
  explicit Count(Place place) : place_(place) {}

  const Place place_;

  Access row_access() const final { return Access::kPut; }
  // What a client is told whose column is none.
  virtual std::string_view not_a_number() const = 0;

  void prepare_row() final {
    if (!exists_) return refuse_key(keys_.front());
    const std::optional<uint16_t> column = choose();
    if (!column) return;
    column_ = *column;
    if (counts_integers() && table().columns[column_].has_fraction) return refuse(not_a_number());
    counts_there_ = is_number(table().columns[column_]);
    writer_.set_table(table(), column_span(), false);
    if (!counts_there_) look_target_ = target(table(), column_span());
    set_target_ = target(table(), writer_.changed());
    insert_target_ = target(table(), writer_.of_row());
    begin_row();
  }

  bool next_request(Request& request) final {
    const bool has_gone = step_ > kWrite && has_row_ && !is_written_;
    if (has_gone && begins_again_as_expired()) begin_row();
    const int step = step_++;
    if (step == kCount) {
      begin_counting(request);
      return true;
    }
    if (step != kWrite || is_refused()) return false;
    const bool is_counted = has_row_ && counts_there_ && !is_null_;
    if (is_counted) return false;
    if (!has_row_ || is_null_) text_ = first_text(counts_there_);
    value_[0] = Value::of(text_);
    writer_.set_values(value_, parts_);
    if (has_row_) {
      modify(request, set_target_, Modification::kUpdate, {});
      writer_.update(request);
      request.return_new = true;
    } else {
      request.index_id = insert_target_;
      writer_.insert(request, OnDuplicate::kFail);
      request.return_new = true;
      is_inserting_ = true;
    }
    return true;
  }

  bool row(std::span<const Value> values) final {
    const Value& value = values.front();
    if (step_ > kWrite) {
      is_written_ = true;
      take_sum(value);
      return true;
    }
    has_row_ = true;
    is_null_ = value.is_null();
    if (is_null_) return true;
    counts_there_ ? take_sum(value) : add_to(value.text());
    return true;
  }

  void failed(const Error& error) final {
    if (is_inserting_ && begins_again(error)) return begin_row();
    const bool is_overflow = error.code == ErrorCode::kSql &&
                             (error.number == kOutOfRange || error.number == kDataOutOfRange);
    const bool is_too_long = counts_integers() && error.code == ErrorCode::kNumber;
    if (is_overflow || is_too_long) return refuse(kOverflow);
    // Only an amount of INCRBYFLOAT is left to be one of too many digits.
    if (error.code == ErrorCode::kNumber) {
      return refuse("ERR the increment is too large, or has too many digits, for the column");
    }
    if (error.code == ErrorCode::kNotANumber) return refuse(not_a_number());
    OneKeyCommand::failed(error);
  }

  // Whether a column with a fraction cannot be counted on. It must not be found out by counting: not every
  // table takes it back.
  virtual bool counts_integers() const = 0;
  virtual std::string_view amount_text() const = 0;
  virtual Modification modification() const = 0;
  // With what a column begins, that is a number or text.
  virtual std::string first_text(bool is_number) const = 0;
  // Of a column of text: sets text_ to the sum, or refuses.
  virtual void add_to(std::string_view old) = 0;
  // What the column has now.
  virtual void take_sum(const Value& value) = 0;

  std::string text_;

 private:
  static constexpr int kCount = 0, kWrite = 1;

  void begin_row() {
    step_ = kCount;
    has_row_ = is_null_ = is_inserting_ = is_written_ = false;
  }

  void begin_counting(Request& request) {
    if (!counts_there_) return find(request, look_target_);
    value_[0] = Value::of(amount_text());
    writer_.set_values(value_, parts_);
    modify(request, set_target_, modification(), {});
    writer_.update(request);
    request.sets_last = writer_.sets_version();
    request.counts_integers = counts_integers();
    request.return_new = true;
  }

  std::optional<uint16_t> choose() {
    if (place_ == Place::kValue) {
      if (table().value.size() == 1 && !table().has_computed_value) return table().value.front();
      refuse(table().has_computed_value ? "ERR the table's value is computed"
                                        : "ERR the table has not one column for the value");
      return std::nullopt;
    }
    return settable_field(argument(2));
  }

  std::span<const uint16_t> column_span() const { return {&column_, 1}; }

  uint16_t column_ = 0;
  bool counts_there_ = false;  // the column is a number
  bool is_null_ = false, is_inserting_ = false, is_written_ = false;
  std::array<Value, 1> value_{};
  RowWriter writer_;
  uint32_t look_target_ = 0, set_target_ = 0, insert_target_ = 0;
};

enum class CountBy : uint8_t { kOne, kMinusOne, kArgument, kMinusArgument };

class CountInteger final : public Count {
 public:
  CountInteger(Place place, CountBy by) : Count(place), by_(by) {}

 private:
  void take_options() override {
    amount_ = by_ == CountBy::kMinusOne ? -1 : 1;
    if (by_ == CountBy::kArgument || by_ == CountBy::kMinusArgument) {
      if (!take_integer(count_of_arguments() - 1, &amount_)) return;
      if (by_ == CountBy::kMinusArgument) {
        if (amount_ == INT64_MIN) return refuse("ERR decrement would overflow");
        amount_ = -amount_;
      }
    }
    amount_text_ = std::to_string(amount_);
  }
  std::string_view not_a_number() const override {
    return place_ == Place::kValue ? kNotAnInteger : "ERR hash value is not an integer";
  }
  bool counts_integers() const override { return true; }
  std::string_view amount_text() const override { return amount_text_; }
  Modification modification() const override { return Modification::kIncrement; }
  std::string first_text(bool) const override { return amount_text_; }
  void add_to(std::string_view old) override {
    int64_t number = 0;
    if (!parse_integer(old, &number)) return refuse(not_a_number());
    if (__builtin_add_overflow(number, amount_, &sum_)) return refuse(kOverflow);
    text_ = std::to_string(sum_);
  }
  void take_sum(const Value& value) override {
    // Those that a column with ZEROFILL has in front are no part of the number.
    std::string_view text = value.text();
    const size_t digits = text.find_first_not_of('0');
    if (!text.empty()) text.remove_prefix(std::min(digits, text.size() - 1));
    if (!parse_integer(text, &sum_)) refuse(is_beyond(text) ? kOverflow : not_a_number());
  }
  void reply() override { out_->integer(sum_); }

  const CountBy by_;
  int64_t amount_ = 1, sum_ = 0;
  std::string amount_text_;
};

// The reply is what the column has then.
class CountReal final : public Count {
 public:
  explicit CountReal(Place place) : Count(place) {}

 private:
  void take_options() override {
    const std::string_view text = arguments_.back();
    if (!parse_real(text, &amount_)) return refuse(kNotAFloat);
    if (std::isinf(amount_)) {
      return refuse(place_ == Place::kValue ? kNoNumber : "ERR value is NaN or Infinity");
    }
    const bool is_plain = text.find_first_not_of("+-.0123456789eE") == std::string_view::npos;
    amount_text_ =
        is_plain ? std::string(text.substr(text.starts_with('+') ? 1 : 0)) : write_real(amount_);
  }
  std::string_view not_a_number() const override {
    return place_ == Place::kValue ? kNotAFloat : "ERR hash value is not a float";
  }
  bool counts_integers() const override { return false; }
  std::string_view amount_text() const override { return amount_text_; }
  Modification modification() const override { return Modification::kAdd; }
  std::string first_text(bool is_number) const override {
    return is_number ? amount_text_ : write_real(amount_);
  }
  void add_to(std::string_view old) override {
    long double number = 0;
    if (!parse_real(old, &number)) return refuse(not_a_number());
    const long double sum = number + amount_;
    if (std::isnan(sum) || std::isinf(sum)) return refuse(kNoNumber);
    text_ = write_real(sum);
  }
  void take_sum(const Value& value) override { sum_ = value.text(); }
  void reply() override { out_->bulk(sum_); }

  static constexpr std::string_view kNoNumber = "ERR increment would produce NaN or Infinity";
  long double amount_ = 0;
  std::string amount_text_, sum_;
};

}  // namespace

bool parse_real(std::string_view text, long double* number) {
  if (text.empty() || text.front() == ' ' || text.find('\0') != std::string_view::npos)
    return false;
  constexpr size_t kLongest = 256;
  if (text.size() > kLongest) return false;
  const std::string copy(text);
  char* end = nullptr;
  errno = 0;
  *number = std::strtold(copy.c_str(), &end);
  return end == copy.c_str() + copy.size() && errno != ERANGE && !std::isnan(*number);
}

std::string write_real(long double number) {
  std::array<char, 5120> text;
  const int size = std::snprintf(text.data(), text.size(), "%.17Lf", number);
  std::string_view written(text.data(), static_cast<size_t>(size));
  while (written.ends_with('0')) written.remove_suffix(1);
  if (written.ends_with('.')) written.remove_suffix(1);
  return written == "-0" ? "0" : std::string(written);
}

Made make_incr() { return std::make_unique<CountInteger>(Place::kValue, CountBy::kOne); }
Made make_decr() { return std::make_unique<CountInteger>(Place::kValue, CountBy::kMinusOne); }
Made make_incr_by() { return std::make_unique<CountInteger>(Place::kValue, CountBy::kArgument); }
Made make_decr_by() {
  return std::make_unique<CountInteger>(Place::kValue, CountBy::kMinusArgument);
}
Made make_incr_by_float() { return std::make_unique<CountReal>(Place::kValue); }
Made make_hash_incr_by() {
  return std::make_unique<CountInteger>(Place::kField, CountBy::kArgument);
}
Made make_hash_incr_by_float() { return std::make_unique<CountReal>(Place::kField); }

}  // namespace hs::protocol::resp
