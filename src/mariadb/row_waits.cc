// SPDX-License-Identifier: GPL-2.0-only
#include "mariadb/row_waits.h"

#include <algorithm>
#include <type_traits>

namespace hs::mariadb {

// Calls `use` with the value that the session has.
template <class Use>
void RowWaits::with_value(THD* thd, const Wait& wait, Use use) {
  char* const place = thd->variables.dynamic_variables_ptr + *wait.offset;
  if (wait.is_long) {
    use(*reinterpret_cast<unsigned long*>(place));
  } else {
    use(*reinterpret_cast<unsigned*>(place));
  }
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
    with_value(thd, wait, [&](const auto& seconds) { wait.usual_s = seconds; });
    longest_s = std::max(longest_s, wait.usual_s);
  }
  // Otherwise an engine whose variable was found could not be uninstalled.
  lex_unlock_plugins(thd->lex);
  return static_cast<uint32_t>(std::min<uint64_t>(longest_s, UINT32_MAX));
}

void RowWaits::limit(THD* thd, uint32_t most_s) {
  for (const Wait& wait : waits_) {
    if (!wait.offset) continue;
    with_value(thd, wait, [&](auto& seconds) {
      seconds = static_cast<std::remove_reference_t<decltype(seconds)>>(
          std::min<uint64_t>(most_s, wait.usual_s));
    });
  }
}

}  // namespace hs::mariadb
