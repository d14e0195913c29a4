// SPDX-License-Identifier: GPL-2.0-only
#include "mariadb/variables.h"

#include <atomic>

namespace hs::mariadb {
namespace {

seam::Values own_values;
seam::Values* in_use = &own_values;
void (*keep_text_in_use)(char**, char*) = nullptr;

}  // namespace

seam::Values& values() { return *in_use; }

void use_values_of(const seam::Host& host) {
  in_use = host.values;
  keep_text_in_use = host.keep_text;
}

void use_own_values() {
  in_use = &own_values;
  keep_text_in_use = nullptr;
}

void keep_text(char** variable, char* text) { keep_text_in_use(variable, text); }

CHARSET_INFO* value_charset_of_the_wire() {
  return values().character_set == seam::kUtf8mb4 ? &my_charset_utf8mb4_bin : &my_charset_bin;
}

unsigned lock_timeout_s() {
  return std::atomic_ref(values().wrlock_timeout).load(std::memory_order_relaxed);
}
unsigned purge_rows_per_second() {
  return std::atomic_ref(values().ttl_purge_rows).load(std::memory_order_relaxed);
}
unsigned verbosity() { return std::atomic_ref(values().verbose).load(std::memory_order_relaxed); }

}  // namespace hs::mariadb
