#include "adapter/ttl_tables.h"

#include <gtest/gtest.h>

namespace hs::adapter {
namespace {

TEST(TtlTablesTest, ATableIsKnownByWhatItWasLastOpenedWith) {
  TtlTables tables;
  tables.note("db", "t", "e", "by_e");
  tables.note("db", "t", "f", "");
  ASSERT_EQ(tables.list().size(), 1U);
  EXPECT_EQ(tables.list()[0].column, "f");
  EXPECT_EQ(tables.list()[0].index, "");
  tables.forget("db", "other");
  EXPECT_EQ(tables.list().size(), 1U);
  tables.forget("db", "t");
  EXPECT_TRUE(tables.list().empty());
}

TEST(TtlTablesTest, RoundsAddUpAndOneThatFailsTellsWhy) {
  TtlTables tables;
  tables.note("db", "t", "e", "by_e");
  const TtlTable table = tables.list()[0];
  tables.note_round(table, 3, 7, 1000, {});
  tables.note_failure(table, 2, "locked");
  const TtlTable known = tables.list()[0];
  EXPECT_EQ(known.rounds, 1U);
  EXPECT_EQ(known.rows_purged, 5U);
  EXPECT_EQ(known.behind_s, 7);
  EXPECT_EQ(known.last_round, 1000);
  EXPECT_EQ(known.last_error, "locked");
}

TEST(TtlTablesTest, ACommentThatIsWrongIsAnErrorUntilTheTableIsOpened) {
  TtlTables tables;
  tables.note("db", "t", "e", "by_e");
  tables.note_error("db", "t", "no column");
  EXPECT_EQ(tables.list()[0].column, "");
  EXPECT_EQ(tables.list()[0].last_error, "no column");
  tables.note("db", "t", "e", "by_e");
  EXPECT_EQ(tables.list()[0].last_error, "");
}

TEST(TtlTablesTest, ARoundOfATableThatIsForgottenIsNotNoted) {
  TtlTables tables;
  tables.note("db", "t", "e", "by_e");
  const TtlTable table = tables.list()[0];
  tables.forget("db", "t");
  tables.note_round(table, 1, 0, 1, {});
  EXPECT_TRUE(tables.list().empty());
}

}  // namespace
}  // namespace hs::adapter
