#include "adapter/variables.h"

#include <atomic>

namespace hs::adapter {
namespace {

constexpr unsigned kVerbose = 10;

seam::Values own_values;
seam::Values* in_use = &own_values;
void (*keep_text_in_use)(char**, char*) = nullptr;

unsigned at_present(unsigned& value) {
  return std::atomic_ref(value).load(std::memory_order_relaxed);
}

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

bool values_are_bytes() { return values().character_set == seam::kBinary; }

unsigned lock_timeout_s() { return at_present(values().wrlock_timeout); }
unsigned purge_rows_per_second() { return at_present(values().ttl_purge_rows); }
bool is_verbose() { return at_present(values().verbose) >= kVerbose; }

}  // namespace hs::adapter
