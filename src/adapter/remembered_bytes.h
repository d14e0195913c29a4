// The bytes of a structure of the server's as they were, to see later whether one of them has changed.
#pragma once

#include <string_view>
#include <vector>

namespace hs::adapter {

class RememberedBytes {
 public:
  // May throw std::bad_alloc.
  void remember(const void* bytes, size_t size) {
    const char* const begin = static_cast<const char*>(bytes);
    bytes_.assign(begin, begin + size);
  }
  // Whether these are what was remembered. `bytes` may be null if `size` is 0.
  bool are(const void* bytes, size_t size) const {
    return std::string_view(static_cast<const char*>(bytes), size) ==
           std::string_view(bytes_.data(), bytes_.size());
  }

 private:
  std::vector<char> bytes_;
};

}  // namespace hs::adapter
