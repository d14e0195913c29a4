#include "exec/increment.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numeric>

namespace hs::exec {
namespace {

using Counting = engine::Cursor::Counting;

// From here on the text of a DOUBLE has an exponent.
constexpr double kLongReal = 1e15;

std::optional<ErrorCode> check_integer(std::string_view sum) {
  int64_t number = 0;
  const char* const end = sum.data() + sum.size();
  const auto read = std::from_chars(sum.data(), end, number);
  if (read.ptr != end) return ErrorCode::kNotANumber;
  return read.ec == std::errc() ? std::nullopt : std::optional(ErrorCode::kNumber);
}

bool is_integer(double number) {
  return std::trunc(number) == number && std::fabs(number) < kLongReal;
}

int sign_of(double number) { return number < 0 ? -1 : static_cast<int>(number > 0); }

}  // namespace

Result<void> Increment::prepare(Modification modification, std::span<const std::string> columns,
                                std::span<const Value> operands) {
  const bool subtracts = modification == Modification::kDecrement;
  may_cross_zero_ = !subtracts;
  scratch_.counts.clear();
  for (size_t i = 0; i < operands.size(); ++i) {
    if (!operands[i].is_null() && cursor_.counting(i) == Counting::kNot)
      return ErrorCode::kNotANumber;
  }
  for (size_t i = 0; i < operands.size(); ++i) {
    if (operands[i].is_null()) continue;
    Scratch::Count& count = scratch_.counts.emplace_back();
    count.column = i;
    count.is_real = cursor_.counting(i) == Counting::kReal;
    const std::string_view text = operands[i].text();
    if (modification == Modification::kAdd && count.is_real) {
      const char* const end = text.data() + text.size();
      const auto read = std::from_chars(text.data(), end, count.real_amount);
      if (read.ec != std::errc() || read.ptr != end) return ErrorCode::kNumber;
      continue;
    }
    std::optional<Amount> amount =
        modification == Modification::kAdd ? parse_decimal_amount(text) : parse_amount(text);
    if (!amount) return ErrorCode::kNumber;
    if (subtracts) amount->negative = !amount->negative;
    count.amount = *amount;
    count.real_amount = to_real(*amount);
  }
  find_repeated(columns);
  return {};
}

void Increment::find_repeated(std::span<const std::string> columns) {
  std::vector<Scratch::Count>& counts = scratch_.counts;
  if (counts.size() < 2) return;
  const auto name = [&](size_t i) -> const std::string& { return columns[counts[i].column]; };
  std::vector<size_t>& order = scratch_.counts_by_name;
  order.resize(counts.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    const int compared = name(a).compare(name(b));
    return compared != 0 ? compared < 0 : a < b;
  });
  for (size_t i = 1; i < order.size(); ++i) {
    if (name(order[i]) == name(order[i - 1])) counts[order[i]].previous = order[i - 1];
  }
}

Result<bool> Increment::compute(std::span<const Value> row) {
  std::vector<engine::Cursor::Assignment>& assignments = scratch_.assignments;
  std::string& sums = scratch_.sums;
  assignments.clear();
  sums.clear();
  bool crosses_zero = false;
  for (Scratch::Count& count : scratch_.counts) {
    if (row[count.column].is_null()) continue;
    Result<Signs> signs =
        count.is_real ? add_to_real(count) : add_to_text(count, row[count.column].text());
    if (!signs) return std::move(signs.error());
    crosses_zero |= signs->cross_zero();
    engine::Cursor::Assignment& assignment = assignments.emplace_back();
    assignment.column = count.column;
    assignment.value = {nullptr, count.size};
    assignment.is_sum = true;
    if (count.is_real) assignment.addend = count.real_amount;
  }
  // Appending moves the sums, so their addresses are taken only now.
  const char* sum = sums.data();
  for (engine::Cursor::Assignment& assignment : assignments) {
    assignment.value.data = sum;
    sum += assignment.value.size;
  }
  return may_cross_zero_ || !crosses_zero;
}

Result<Signs> Increment::add_to_text(Scratch::Count& count, std::string_view old) {
  std::string& sums = scratch_.sums;
  if (count.previous) {
    const Scratch::Count& previous = scratch_.counts[*count.previous];
    old = std::string_view(sums).substr(previous.begin, previous.size);
  }
  count.begin = sums.size();
  const std::optional<Signs> signs = add(old, count.amount, &sums);
  if (!signs) return ErrorCode::kNotANumber;
  count.size = sums.size() - count.begin;
  if (!only_integers_) return *signs;
  if (auto error = check_integer(std::string_view(sums).substr(count.begin))) return *error;
  return *signs;
}

// The engine adds, so that a FLOAT is rounded as often as by SQL.
Result<Signs> Increment::add_to_real(Scratch::Count& count) {
  const double old =
      count.previous ? scratch_.counts[*count.previous].real_sum : cursor_.real(count.column);
  count.real_sum = old + count.real_amount;
  if (!std::isfinite(count.real_sum)) return ErrorCode::kNotANumber;
  if (only_integers_ && !is_integer(count.real_sum)) return ErrorCode::kNotANumber;
  return Signs{sign_of(old), sign_of(count.real_sum)};
}

}  // namespace hs::exec
