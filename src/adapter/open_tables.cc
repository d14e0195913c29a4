#include "adapter/open_tables.h"

#include <algorithm>

namespace hs::adapter {
namespace {

constexpr size_t kFewest = 8;
constexpr size_t kMost = 256;

}  // namespace

size_t most_open_tables(size_t cache, size_t sessions) {
  return std::clamp(cache / std::max<size_t>(sessions, 1), kFewest, kMost);
}

}  // namespace hs::adapter
