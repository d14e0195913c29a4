#include "protocol/resp/expiry_option.h"

namespace hs::protocol::resp {

bool ExpiringCommand::take_expiry_word(size_t& at) {
  using enum ExpiryOption::Unit;
  const std::optional<ExpiryOption::Unit> unit = is_word(at, "EX")   ? std::optional(kSeconds)
                                                 : is_word(at, "PX") ? std::optional(kMilliseconds)
                                                 : is_word(at, "EXAT") ? std::optional(kAtSeconds)
                                                 : is_word(at, "PXAT")
                                                     ? std::optional(kAtMilliseconds)
                                                     : std::nullopt;
  if (!unit || at + 1 == count_of_arguments() || (given_ && given_->unit != *unit)) return false;
  give_expiry(*unit, ++at);
  return true;
}

std::optional<ExpiryOption> ExpiringCommand::take_expiry() {
  int64_t number = 0;
  if (!take_integer(given_->at, &number)) return std::nullopt;
  if (number > 0) return ExpiryOption{given_->unit, number};
  refuse_expiry();
  return std::nullopt;
}

void ExpiringCommand::refuse_expiry() {
  refuse("ERR invalid expire time in '" + lower(argument(0)) + "' command");
}

}  // namespace hs::protocol::resp
