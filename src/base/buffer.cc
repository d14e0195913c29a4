#include "base/buffer.h"

#include <string.h>

#include <algorithm>
#include <new>
#include <utility>

namespace hs {

void Buffer::make_room(size_t bytes) {
  constexpr size_t kSmallest = 512;
  const size_t used = size();
  // Sliding the rest to the front is enough when at least half was consumed: fewer bytes are moved
  // than were consumed.
  if (capacity_ - used >= bytes && begin_ >= used) {
    std::memmove(data_.get(), data(), used);
    overwrite_unread();
  } else {
    const size_t wanted = std::max({used + bytes, capacity_ + capacity_ / 2, kSmallest});
    grow(wanted);
  }
  begin_ = 0;
  end_ = used;
}

// Memory counts the old and the new buffer while both exist.
void Buffer::grow(size_t capacity) {
  if (memory_ != nullptr && !memory_->take(capacity, capacity, known_)) throw MemoryRefused();
  size_t done_with = capacity;
  try {
    auto grown = std::make_unique_for_overwrite<char[]>(capacity);
    if (!empty()) std::memcpy(grown.get(), data(), size());
    overwrite_unread();
    data_ = std::move(grown);
    done_with = std::exchange(capacity_, capacity);
  } catch (const std::bad_alloc&) {
    if (memory_ != nullptr) memory_->give_back(done_with);
    throw;
  }
  if (memory_ != nullptr) memory_->give_back(done_with);
}

void Buffer::overwrite(size_t begin, size_t bytes) {
  if (bytes != 0) ::explicit_bzero(data_.get() + begin, bytes);
}

}  // namespace hs
