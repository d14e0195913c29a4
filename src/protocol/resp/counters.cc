// Commands that count on a value: INCR and its relatives.
#include <array>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "protocol/resp/families.h"
#include "protocol/resp/framing.h"
#include "protocol/resp/numbers.h"

namespace hs::protocol::resp {
namespace {

constexpr std::string_view kOverflow = "ERR increment or decrement would overflow";
constexpr int kOutOfRange = 1264;      // SQL's numbers: a value is out of its column's range,
constexpr int kDataOutOfRange = 1690;  // and so is the value of an expression

// What a client is told when a sum could not be stored.
void refuse_sum(const Error& error, std::string* refusal) {
  const bool is_overflow = error.code == ErrorCode::kSql &&
                           (error.number == kOutOfRange || error.number == kDataOutOfRange);
  if (is_overflow) *refusal = kOverflow;
}

// Whether it is an integer that no column of Redis can hold.
bool is_beyond(std::string_view sum) {
  if (sum.starts_with('-')) sum.remove_prefix(1);
  return !sum.empty() && sum.find_first_not_of("0123456789") == std::string_view::npos;
}

// The row's column is counted on where it is. A row that is not there begins at 0.
class Count : public OneKeyCommand {
 public:
  enum class By : uint8_t { kOne, kMinusOne, kArgument, kMinusArgument };
  explicit Count(By by) : by_(by) {}

 private:
  void take_options() override {
    amount_ = by_ == By::kMinusOne ? -1 : 1;
    if (by_ == By::kOne || by_ == By::kMinusOne) return;
    if (!take_integer(2, &amount_)) return;
    if (by_ != By::kMinusArgument) return;
    if (amount_ == INT64_MIN) return refuse("ERR decrement would overflow");
    amount_ = -amount_;
  }
  Access row_access() const override { return Access::kUpdate; }

  void prepare_row() override {
    if (!exists_) return refuse_key(keys_.front());
    if (table().value.size() != 1) return refuse("ERR the table has not one column for the value");
    insert_columns_.assign(table().key.begin(), table().key.end());
    insert_columns_.push_back(table().value.front());
    update_target_ = target(table(), table().value);
    insert_target_ = target(table(), insert_columns_);
    text_ = std::to_string(amount_);
    value_[0] = Value::of(text_);
  }

  bool next_request(Request& request) override {
    const int step = step_++;
    if (step == 0) {
      modify(request, update_target_, Modification::kIncrement, value_);
      request.return_new = true;
      return true;
    }
    if (step != 1 || has_row_) return false;
    values_.assign(parts_.begin(), parts_.end());
    values_.push_back(value_[0]);
    request.verb = Verb::kInsert;
    request.index_id = insert_target_;
    request.values = values_;
    request.key_count = static_cast<uint32_t>(values_.size());
    sum_ = amount_;
    return true;
  }

  bool row(std::span<const Value> values) override {
    if (step_ != 1) return true;
    has_row_ = true;
    const std::string_view sum = values.front().text();
    if (!parse_integer(sum, &sum_)) refuse(is_beyond(sum) ? kOverflow : kNotAnInteger);
    return true;
  }
  void failed(const Error& error) override {
    refuse_sum(error, &refusal_);
    if (!is_refused()) OneKeyCommand::failed(error);
  }
  void reply() override { out_->integer(sum_); }

  const By by_;
  int64_t amount_ = 1, sum_ = 0;
  std::string text_;
  std::array<Value, 1> value_{};
  std::vector<Value> values_;
  std::vector<uint16_t> insert_columns_;
  uint32_t insert_target_ = 0, update_target_ = 0;
};

// The row is read and locked, and then set. The reply is what the column has then.
class CountByFloat final : public OneKeyCommand {
  void take_options() override {
    if (!parse_real(argument(2), &amount_)) refuse(kNotAFloat);
  }
  Access row_access() const override { return Access::kUpdate; }
  void prepare_row() override {
    if (!exists_) return refuse_key(keys_.front());
    if (table().value.size() != 1) return refuse("ERR the table has not one column for the value");
    insert_columns_.assign(table().key.begin(), table().key.end());
    insert_columns_.push_back(table().value.front());
    update_target_ = target(table(), table().value);
    insert_target_ = target(table(), insert_columns_);
    sum_ = amount_;
  }
  bool next_request(Request& request) override {
    const int step = step_++;
    if (step == 0) {
      find(request, update_target_);
      return true;
    }
    if (step != 1 || is_refused()) return false;
    if (std::isnan(sum_) || std::isinf(sum_)) {
      refuse("ERR increment would produce NaN or Infinity");
      return false;
    }
    text_ = write_real(sum_);
    values_.clear();
    if (has_row_) {
      values_.push_back(Value::of(text_));
      modify(request, update_target_, Modification::kUpdate, values_);
      request.return_new = true;
      return true;
    }
    values_.assign(parts_.begin(), parts_.end());
    values_.push_back(Value::of(text_));
    request.verb = Verb::kInsert;
    request.index_id = insert_target_;
    request.values = values_;
    request.key_count = static_cast<uint32_t>(values_.size());
    return true;
  }
  bool row(std::span<const Value> values) override {
    if (step_ == 2) {
      if (has_row_) text_ = values.front().text();
      return true;
    }
    has_row_ = true;
    long double number = 0;
    if (!values.front().is_null() && !parse_real(values.front().text(), &number)) {
      refuse(kNotAFloat);
    }
    sum_ = number + amount_;
    return true;
  }
  void reply() override { out_->bulk(text_); }

  long double amount_ = 0, sum_ = 0;
  std::string text_;
  std::vector<Value> values_;
  std::vector<uint16_t> insert_columns_;
  uint32_t insert_target_ = 0, update_target_ = 0;
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

Made make_incr() { return std::make_unique<Count>(Count::By::kOne); }
Made make_decr() { return std::make_unique<Count>(Count::By::kMinusOne); }
Made make_incr_by() { return std::make_unique<Count>(Count::By::kArgument); }
Made make_decr_by() { return std::make_unique<Count>(Count::By::kMinusArgument); }
Made make_incr_by_float() { return std::make_unique<CountByFloat>(); }

}  // namespace hs::protocol::resp
