#include "base/buffer.h"

#include <algorithm>

namespace hs {

void Buffer::make_room(size_t bytes) {
  constexpr size_t kSmallest = 512;
  const size_t used = size();
  // Sliding to the front is enough when it frees at least half: it moves no more bytes than were
  // consumed.
  if (capacity_ - used >= bytes && begin_ >= used) {
    std::memmove(data_.get(), data(), used);
  } else {
    const size_t wanted = std::max({used + bytes, capacity_ + capacity_ / 2, kSmallest});
    auto grown = std::make_unique_for_overwrite<char[]>(wanted);
    if (used != 0) std::memcpy(grown.get(), data(), used);
    data_ = std::move(grown);
    capacity_ = wanted;
  }
  begin_ = 0;
  end_ = used;
}

}  // namespace hs
