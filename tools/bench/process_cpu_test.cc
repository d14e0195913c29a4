#include "process_cpu.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include "target.h"

namespace hs::bench {
namespace {

TEST(ProcessCpuTest, GrowsWhileAProcessWorks) {
  const double before = process_cpu_seconds(::getpid());
  EXPECT_GT(before, 0);
  while (process_cpu_seconds(::getpid()) == before) {
  }
  EXPECT_GT(process_cpu_seconds(::getpid()), before);
}

TEST(ProcessCpuTest, AProcessThatIsNotThereIsAFailure) {
  EXPECT_THROW(process_cpu_seconds((1 << 22) + 1), Failure);  // no id is so large
}

}  // namespace
}  // namespace hs::bench
