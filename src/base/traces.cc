#include "base/traces.h"

#include <string.h>

namespace hs {
namespace {

[[gnu::noinline]] void overwrite_dead_frames() {
  char dead[32u << 10];
  ::explicit_bzero(dead, sizeof dead);
}

// By the calling convention no caller of a function has anything left in them.
[[gnu::noinline]] void overwrite_vector_registers() {
#ifdef __x86_64__
  if (__builtin_cpu_supports("avx512f") != 0) {
    asm volatile(
        "vpxorq %zmm16, %zmm16, %zmm16\n\tvpxorq %zmm17, %zmm17, %zmm17\n\t"
        "vpxorq %zmm18, %zmm18, %zmm18\n\tvpxorq %zmm19, %zmm19, %zmm19\n\t"
        "vpxorq %zmm20, %zmm20, %zmm20\n\tvpxorq %zmm21, %zmm21, %zmm21\n\t"
        "vpxorq %zmm22, %zmm22, %zmm22\n\tvpxorq %zmm23, %zmm23, %zmm23\n\t"
        "vpxorq %zmm24, %zmm24, %zmm24\n\tvpxorq %zmm25, %zmm25, %zmm25\n\t"
        "vpxorq %zmm26, %zmm26, %zmm26\n\tvpxorq %zmm27, %zmm27, %zmm27\n\t"
        "vpxorq %zmm28, %zmm28, %zmm28\n\tvpxorq %zmm29, %zmm29, %zmm29\n\t"
        "vpxorq %zmm30, %zmm30, %zmm30\n\tvpxorq %zmm31, %zmm31, %zmm31");
  }
  if (__builtin_cpu_supports("avx") != 0) {
    asm volatile("vzeroall");
  } else {
    asm volatile(
        "pxor %xmm0, %xmm0\n\tpxor %xmm1, %xmm1\n\tpxor %xmm2, %xmm2\n\tpxor %xmm3, %xmm3\n\t"
        "pxor %xmm4, %xmm4\n\tpxor %xmm5, %xmm5\n\tpxor %xmm6, %xmm6\n\tpxor %xmm7, %xmm7\n\t"
        "pxor %xmm8, %xmm8\n\tpxor %xmm9, %xmm9\n\tpxor %xmm10, %xmm10\n\tpxor %xmm11, %xmm11\n\t"
        "pxor %xmm12, %xmm12\n\tpxor %xmm13, %xmm13\n\tpxor %xmm14, %xmm14\n\tpxor %xmm15, %xmm15");
  }
#endif
}

}  // namespace

void overwrite_traces() {
  overwrite_dead_frames();
  overwrite_vector_registers();
}

}  // namespace hs
