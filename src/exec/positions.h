// Names of rows (see Cursor::position()), collected to come back to.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace hs::exec {

// Bytes of row positions that a request which changes several rows may collect before it changes
// the first.
inline constexpr size_t kMaxPositionBytes = 64u << 20;

// One behind the other: each its size, then its bytes.
class Positions {
 public:
  // False: there are too many.
  [[nodiscard]] bool add(std::string_view position) {
    const uint32_t size = static_cast<uint32_t>(position.size());
    if (bytes_.size() + sizeof size + position.size() > kMaxPositionBytes) return false;
    bytes_.append(reinterpret_cast<const char*>(&size), sizeof size);
    bytes_.append(position);
    return true;
  }

  // Takes the next one, in the order of add(), into *position; false when there is none left.
  bool take(std::string_view* position) {
    if (taken_ == bytes_.size()) return false;
    uint32_t size = 0;
    bytes_.copy(reinterpret_cast<char*>(&size), sizeof size, taken_);
    *position = std::string_view(bytes_).substr(taken_ + sizeof size, size);
    taken_ += sizeof size + size;
    return true;
  }

 private:
  std::string bytes_;
  size_t taken_ = 0;
};

}  // namespace hs::exec
