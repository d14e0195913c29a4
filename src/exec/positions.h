// Names of rows (see Cursor::position()), collected so that the cursor can come back to them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace hs::exec {

// How many bytes of row positions a request that changes several rows may collect before it changes
// the first.
inline constexpr size_t kMaxPositionBytes = 64u << 20;

// The positions one behind the other: for each its size, then its bytes.
class Positions {
 public:
  // False: the positions would take more than kMaxPositionBytes.
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
