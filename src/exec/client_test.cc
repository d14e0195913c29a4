#include "exec/client.h"

#include <gtest/gtest.h>

namespace hs::exec {
namespace {

engine::IndexSpec spec(std::string table, std::vector<std::string> columns = {},
                       std::vector<std::string> filter_columns = {}) {
  return {"test", std::move(table), "", std::move(columns), std::move(filter_columns)};
}

TEST(SpecPool, GivesEqualSpecsOneObject) {
  SpecPool pool;
  const auto a = pool.intern(spec("t", {"x", "y"}));
  const auto b = pool.intern(spec("t", {"x", "y"}));
  EXPECT_EQ(a, b);
  EXPECT_EQ(pool.size(), 1u);
}

TEST(SpecPool, KeepsSpecsApartThatDifferInAnything) {
  SpecPool pool;
  const auto a = pool.intern(spec("t", {"x", "y"}));
  EXPECT_NE(a, pool.intern(spec("u", {"x", "y"})));
  EXPECT_NE(a, pool.intern(spec("t", {"y", "x"})));
  EXPECT_NE(a, pool.intern(spec("t", {"x"}, {"y"})));
  EXPECT_NE(a, pool.intern(spec("t", {"x,y"})));
  EXPECT_EQ(pool.size(), 5u);
}

TEST(SpecPool, DropsUnusedSpecsAsItGrowsAndKeepsUsedOnes) {
  SpecPool pool;
  const auto kept = pool.intern(spec("kept"));
  for (int i = 0; i < 10000; ++i) (void)pool.intern(spec(std::to_string(i)));
  EXPECT_LE(pool.size(), 65u);
  EXPECT_EQ(kept, pool.intern(spec("kept")));
}

TEST(SpecPool, KeepsNothingAlive) {
  SpecPool pool;
  std::weak_ptr<const engine::IndexSpec> gone = pool.intern(spec("t"));
  EXPECT_TRUE(gone.expired());
  const auto again = pool.intern(spec("t"));
  EXPECT_EQ(again.use_count(), 1);
}

TEST(SpecPool, GrowsWithTheSpecsInUse) {
  SpecPool pool;
  std::vector<engine::IndexSpecPtr> held;
  for (int i = 0; i < 1000; ++i) held.push_back(pool.intern(spec(std::to_string(i))));
  EXPECT_EQ(pool.size(), 1000u);
  for (int i = 0; i < 1000; ++i) EXPECT_EQ(held[i], pool.intern(spec(std::to_string(i))));
}

TEST(SpecPool, CountsTheMemoryOfLivingSpecsOnce) {
  Memory memory(0);
  SpecPool pool(&memory);
  const std::string name(100, 'x');
  auto a = pool.intern(spec("t", {name, name}));
  const uint64_t one = memory.used();
  EXPECT_GE(one, sizeof(engine::IndexSpec) + 2 * (sizeof(std::string) + name.size()));
  auto same = pool.intern(spec("t", {name, name}));
  EXPECT_EQ(memory.used(), one);
  {
    Client client(pool);
    client.set(1, a);
    client.set(2, a);
    const uint64_t with_two = memory.used();
    EXPECT_GT(with_two, one);
    client.set(2, same);
    EXPECT_EQ(memory.used(), with_two);
  }
  EXPECT_EQ(memory.used(), one);
  a.reset();
  EXPECT_EQ(memory.used(), one);
  same.reset();
  EXPECT_EQ(memory.used(), 0u);
}

TEST(SpecPool, RefusesWhatWouldTakeTooMuch) {
  Memory memory(10'000);
  SpecPool pool(&memory);
  std::vector<engine::IndexSpecPtr> held;
  EXPECT_THROW(for (int i = 0; i < 1000; ++i) held.push_back(pool.intern(spec(std::to_string(i)))),
               MemoryRefused);
  EXPECT_GT(held.size(), 10u);
  EXPECT_LE(memory.used(), 10'000u);
  EXPECT_EQ(held.front(), pool.intern(spec("0")));
  held.clear();
  EXPECT_EQ(memory.used(), 0u);
}

TEST(Client, FindsWhatIsOpenAndNothingElse) {
  SpecPool pool;
  Client client(pool);
  const auto a = pool.intern(spec("a"));
  EXPECT_EQ(client.find(0), nullptr);
  client.set(7, a);
  ASSERT_NE(client.find(7), nullptr);
  EXPECT_EQ(*client.find(7), a);
  EXPECT_EQ(client.find(6), nullptr);
  EXPECT_EQ(client.find(8), nullptr);
}

TEST(Client, TakesSparseIdsInAnyOrder) {
  SpecPool pool;
  Client client(pool);
  const auto a = pool.intern(spec("a"));
  const auto b = pool.intern(spec("b"));
  const auto c = pool.intern(spec("c"));
  client.set(4294967295u, a);
  client.set(0, b);
  client.set(1000000, c);
  EXPECT_EQ(*client.find(4294967295u), a);
  EXPECT_EQ(*client.find(0), b);
  EXPECT_EQ(*client.find(1000000), c);
  EXPECT_EQ(client.open_indexes(), 3u);
}

TEST(Client, ReplacesAnIdWithoutCountingItTwice) {
  SpecPool pool;
  Client client(pool);
  const auto a = pool.intern(spec("a", {"x", "y"}, {"z"}));
  const auto b = pool.intern(spec("b", {"x"}));
  client.set(1, a);
  EXPECT_EQ(client.open_columns(), 3u);
  client.set(1, b);
  EXPECT_EQ(*client.find(1), b);
  EXPECT_EQ(client.open_indexes(), 1u);
  EXPECT_EQ(client.open_columns(), 1u);
}

}  // namespace
}  // namespace hs::exec
