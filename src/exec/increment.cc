#include "exec/increment.h"

namespace hs::exec {

Result<void> Increment::prepare(Modification modification, std::span<const Value> operands) {
  const bool subtracts = modification == Modification::kDecrement;
  may_cross_zero_ = !subtracts;
  scratch_.amounts.clear();
  for (const Value& operand : operands) {
    std::optional<Amount>& amount = scratch_.amounts.emplace_back();
    if (operand.is_null()) continue;
    amount = parse_amount(operand.text());
    if (!amount) return ErrorCode::kNumber;
    if (subtracts) amount->negative = !amount->negative;
  }
  return {};
}

Result<bool> Increment::compute(std::span<const Value> row) {
  std::vector<engine::Cursor::Assignment>& assignments = scratch_.assignments;
  std::string& texts = scratch_.texts;
  assignments.clear();
  texts.clear();
  bool crosses_zero = false;
  for (size_t i = 0; i < scratch_.amounts.size(); ++i) {
    if (!scratch_.amounts[i] || row[i].is_null()) continue;
    const size_t begin = texts.size();
    const std::optional<Signs> signs = add(row[i].text(), *scratch_.amounts[i], &texts);
    if (!signs) return ErrorCode::kNotANumber;
    crosses_zero |= signs->cross_zero();
    assignments.push_back({i, {nullptr, texts.size() - begin}});
  }
  // Only now do the texts stay where they are.
  const char* text = texts.data();
  for (engine::Cursor::Assignment& assignment : assignments) {
    assignment.value.data = text;
    text += assignment.value.size;
  }
  return may_cross_zero_ || !crosses_zero;
}

}  // namespace hs::exec
