// What a buffer leaves in memory that it has given back: a program of its own, since it replaces
// operator delete[].
#include <gtest/gtest.h>
#include <malloc.h>

#include <cstdlib>
#include <new>
#include <string_view>

#include "base/buffer.h"

namespace {

constexpr std::string_view kSecret = "open sesame";
int left_behind = 0;

}  // namespace

void* operator new[](size_t size) {
  if (void* memory = std::malloc(size)) return memory;
  throw std::bad_alloc();
}
void operator delete[](void* memory) noexcept {
  const std::string_view bytes(static_cast<const char*>(memory), ::malloc_usable_size(memory));
  if (memory != nullptr && bytes.find(kSecret) != std::string_view::npos) ++left_behind;
  std::free(memory);
}
void operator delete[](void* memory, size_t) noexcept { operator delete[](memory); }

namespace hs {
namespace {

enum class End { kGrows, kIsDropped, kIsDestroyed, kIsConsumed };

// How often the secret was left in memory that was given back.
int left_after(End end, Buffer::Content content, bool is_known) {
  left_behind = 0;
  {
    Buffer buffer(nullptr, content);
    buffer.set_known(is_known);
    buffer.append(kSecret);
    if (end == End::kGrows) {
      buffer.reserve(buffer.capacity());
      EXPECT_EQ(buffer.view(), kSecret);
    }
    if (end == End::kIsDropped) buffer.drop();
    if (end == End::kIsConsumed) buffer.consume(kSecret.size());
  }
  return left_behind;
}

TEST(BufferSecrets, NothingThatAClientHasSentIsLeftUnread) {
  for (const End end : {End::kGrows, End::kIsDropped, End::kIsDestroyed}) {
    for (const bool is_known : {false, true}) {
      EXPECT_EQ(left_after(end, Buffer::Content::kFromClient, is_known), 0);
    }
  }
  EXPECT_EQ(left_after(End::kIsConsumed, Buffer::Content::kFromClient, false), 0);
}

TEST(BufferSecrets, NoTimeIsSpentOnWhatCannotBeASecret) {
  EXPECT_EQ(left_after(End::kGrows, Buffer::Content::kHarmless, true), 2);
  EXPECT_EQ(left_after(End::kIsDestroyed, Buffer::Content::kHarmless, false), 1);
  EXPECT_EQ(left_after(End::kIsConsumed, Buffer::Content::kFromClient, true), 1);
}

}  // namespace
}  // namespace hs
