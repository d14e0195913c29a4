#include "adapter/number_text.h"

namespace hs::adapter {
namespace {

template <class T>
bool begins_with(std::string_view text) {
  T number;
  return std::from_chars(text.data(), text.data() + text.size(), number).ec == std::errc();
}

}  // namespace

bool begins_with_bigint(std::string_view text, bool is_unsigned) {
  return is_unsigned ? begins_with<uint64_t>(text) : begins_with<int64_t>(text);
}

}  // namespace hs::adapter
