#include "base/memory.h"

#include <gtest/gtest.h>

#include <memory>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "base/buffer.h"

namespace hs {
namespace {

constexpr size_t kSmall = 4u << 10;
constexpr size_t kLarge = Memory::kLarge + 1;

TEST(Memory, RefusesUnknownClientsFirstThenWhatIsLargeThenAllButTheSmallest) {
  Memory memory(1'000'000);
  EXPECT_TRUE(memory.take(500'000, kSmall, false));
  EXPECT_FALSE(memory.take(1, kSmall, false));
  EXPECT_TRUE(memory.take(250'000, kLarge, true));
  EXPECT_FALSE(memory.take(1, kLarge, true));
  EXPECT_TRUE(memory.take(250'000, kSmall, true));
  EXPECT_FALSE(memory.take(1, kSmall, true));
  EXPECT_TRUE(memory.take(10, kIdleBuffer, false));
  EXPECT_EQ(memory.used(), 1'000'010u);
  memory.give_back(500'011);
  EXPECT_FALSE(memory.take(2, kSmall, false));
  EXPECT_TRUE(memory.take(1, kSmall, false));
}

TEST(Memory, WithoutABoundOnlyCounts) {
  Memory memory(0);
  EXPECT_TRUE(memory.take(size_t{1} << 40, size_t{1} << 40, false));
  EXPECT_EQ(memory.used(), uint64_t{1} << 40);
}

TEST(Memory, BuffersCountWhatTheyHoldAndNothingElse) {
  Memory memory(0);
  std::mt19937 random(1);
  {
    std::vector<std::unique_ptr<Buffer>> buffers;
    for (int i = 0; i < 10; ++i) buffers.push_back(std::make_unique<Buffer>(&memory));
    for (int step = 0; step < 10'000; ++step) {
      std::unique_ptr<Buffer>& buffer = buffers[random() % buffers.size()];
      switch (random() % 6) {
        case 0:
          buffer->consume(random() % (buffer->size() + 1));
          break;
        case 1:
          buffer->shrink(random() % 4096);
          break;
        case 2:
          if (random() % 20 == 0) buffer->drop();
          break;
        case 3:
          if (random() % 20 == 0) buffer = std::make_unique<Buffer>(&memory);
          break;
        default:
          buffer->append(std::string(random() % 3000, 'x'));
      }
      size_t held = 0;
      for (const auto& each : buffers) held += each->capacity();
      ASSERT_EQ(memory.used(), held);
    }
  }
  EXPECT_EQ(memory.used(), 0u);
}

TEST(Memory, ABufferThatIsRefusedStaysAsItWas) {
  Memory memory(100'000);
  Buffer buffer(&memory);
  buffer.set_known(true);
  buffer.append(std::string(10'000, 'x'));
  EXPECT_THROW(buffer.append(std::string(90'000, 'y')), MemoryRefused);
  EXPECT_EQ(buffer.view(), std::string(10'000, 'x'));
  EXPECT_EQ(memory.used(), buffer.capacity());
  Buffer unknown(&memory);
  EXPECT_THROW(unknown.append(std::string(45'000, 'y')), MemoryRefused);
  unknown.append(std::string(kIdleBuffer, 'y'));
  EXPECT_EQ(memory.used(), buffer.capacity() + kIdleBuffer);
}

TEST(Memory, ThreadsNeverTakeMoreThanThereIs) {
  Memory memory(1000);
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int turn = 0; turn < 20'000; ++turn) {
        if (!memory.take(300, kSmall, true)) continue;
        EXPECT_LE(memory.used(), 1000u);
        memory.give_back(300);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(memory.used(), 0u);
}

}  // namespace
}  // namespace hs
