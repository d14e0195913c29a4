#include "base/traces.h"

#include <gtest/gtest.h>
#include <string.h>

#include <string_view>

namespace hs {
namespace {

constexpr std::string_view kSecret = "open sesame, here is a secret...";
#ifndef __has_feature  // GCC 12
#define __has_feature(feature) 0
#endif
// The address sanitizer gives each call a frame elsewhere.
#if !defined(__SANITIZE_ADDRESS__) && !__has_feature(address_sanitizer)

constexpr char kByte = 0x53;
constexpr size_t kFrame = 16u << 10;

using Frame = char[kFrame];

// The compiler does not know what becomes of the frame.
void show(Frame& frame) { asm volatile("" : : "r"(&frame) : "memory"); }

[[gnu::noinline]] void leave_on_stack() {
  Frame frame;
  memset(frame, kByte, sizeof frame);
  show(frame);
}

// How much of it a frame at nearly the same place finds.
[[gnu::noinline]] size_t left_on_stack() {
  Frame frame;
  show(frame);
  size_t left = 0;
  for (const char byte : frame) left += byte == kByte;
  return left;
}

TEST(Traces, AFrameThatHasEndedIsOverwritten) {
  leave_on_stack();
  ASSERT_GT(left_on_stack(), kFrame / 2);
  leave_on_stack();
  overwrite_traces();
  EXPECT_LT(left_on_stack(), kFrame / 100);
}
#endif

#ifdef __x86_64__

struct alignas(64) Vector {
  char bytes[64];
};

TEST(Traces, VectorRegistersAreOverwritten) {
  Vector secret, low, high;
  memcpy(secret.bytes, kSecret.data(), kSecret.size());
  memcpy(secret.bytes + kSecret.size(), kSecret.data(), kSecret.size());
  const Vector nothing{};
  low = high = nothing;
  asm volatile("movdqa %0, %%xmm9" : : "m"(secret) : "xmm9");
  overwrite_traces();
  asm volatile("movdqa %%xmm9, %0" : "=m"(low));
  EXPECT_EQ(memcmp(low.bytes, nothing.bytes, 16), 0);
  if (__builtin_cpu_supports("avx512f") == 0) return;
  asm volatile("vmovdqa64 %0, %%zmm9\n\tvmovdqa64 %0, %%zmm17" : : "m"(secret) : "xmm9");
  overwrite_traces();
  asm volatile("vmovdqa64 %%zmm9, %0\n\tvmovdqa64 %%zmm17, %1" : "=m"(low), "=m"(high));
  EXPECT_EQ(memcmp(low.bytes, nothing.bytes, sizeof low), 0);
  EXPECT_EQ(memcmp(high.bytes, nothing.bytes, sizeof high), 0);
}

#endif

}  // namespace
}  // namespace hs
