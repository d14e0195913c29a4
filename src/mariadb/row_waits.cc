// SPDX-License-Identifier: GPL-2.0-only
#include "mariadb/row_waits.h"

#include <algorithm>
#include <cstring>

namespace hs::mariadb {

uint64_t RowWaits::value(THD* thd, const Wait& wait) {
  const char* const place = thd->variables.dynamic_variables_ptr + *wait.offset;
  unsigned long in_long = 0;
  unsigned in_int = 0;
  std::memcpy(wait.is_long ? static_cast<void*>(&in_long) : &in_int, place,
              wait.is_long ? sizeof in_long : sizeof in_int);
  return wait.is_long ? in_long : in_int;
}

void RowWaits::set_value(THD* thd, const Wait& wait, uint64_t seconds) {
  char* const place = thd->variables.dynamic_variables_ptr + *wait.offset;
  const auto in_long = static_cast<unsigned long>(seconds);
  const auto in_int = static_cast<unsigned>(seconds);
  std::memcpy(place, wait.is_long ? static_cast<const void*>(&in_long) : &in_int,
              wait.is_long ? sizeof in_long : sizeof in_int);
}

uint32_t RowWaits::take(THD* thd) {
  uint64_t longest_s = 0;
  for (Wait& wait : waits_) {
    wait.offset.reset();
    sys_var* const variable = find_sys_var(thd, wait.variable.data(), wait.variable.size(), false);
    if (variable == nullptr) continue;
    const SHOW_TYPE type = variable->show_type();
    if (type != SHOW_UINT && type != SHOW_ULONG) continue;
    const auto* const place =
        reinterpret_cast<const char*>(variable->value_ptr(thd, OPT_SESSION, &null_clex_str));
    wait.offset = static_cast<size_t>(place - thd->variables.dynamic_variables_ptr);
    wait.is_long = type == SHOW_ULONG;
    wait.usual_s = value(thd, wait);
    longest_s = std::max(longest_s, wait.usual_s);
  }
  // Otherwise an engine whose variable was found could not be uninstalled.
  lex_unlock_plugins(thd->lex);
  return static_cast<uint32_t>(std::min<uint64_t>(longest_s, UINT32_MAX));
}

void RowWaits::limit(THD* thd, uint32_t most_s) {
  for (const Wait& wait : waits_)
    if (wait.offset) set_value(thd, wait, std::min<uint64_t>(most_s, wait.usual_s));
}

}  // namespace hs::mariadb
