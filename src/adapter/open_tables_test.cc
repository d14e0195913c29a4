#include "adapter/open_tables.h"

#include <gtest/gtest.h>

namespace hs::adapter {
namespace {

TEST(OpenTables, TheSessionsShareTheTableCache) {
  EXPECT_EQ(most_open_tables(2000, 10), 200u);
  EXPECT_EQ(most_open_tables(2000, 11), 181u);
}

TEST(OpenTables, EachMayKeepSomeHoweverSmallItsShareIs) {
  EXPECT_EQ(most_open_tables(80, 10), 8u);
  EXPECT_EQ(most_open_tables(79, 10), 8u);
  EXPECT_EQ(most_open_tables(0, 3000), 8u);
}

TEST(OpenTables, NoneKeepsMoreThanItCanUse) {
  EXPECT_EQ(most_open_tables(2560, 10), 256u);
  EXPECT_EQ(most_open_tables(2570, 10), 256u);
  EXPECT_EQ(most_open_tables(1'000'000, 1), 256u);
}

TEST(OpenTables, BeforeThereAreSessionsTheShareIsThatOfOne) {
  EXPECT_EQ(most_open_tables(100, 0), 100u);
}

}  // namespace
}  // namespace hs::adapter
