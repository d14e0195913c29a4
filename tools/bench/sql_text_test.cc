#include "sql_text.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace hs::bench {
namespace {

Workload workload_of(Kind kind, uint32_t count = 1) {
  Workload workload;
  workload.kind = kind;
  workload.keys = Keys::sequential(7, 1000);
  workload.count = count;
  workload.first_update = 1000;
  return workload;
}

std::string text(const Workload& workload, uint64_t number) {
  std::vector<SqlParameter> parameters(9);  // of another request
  set_parameters(workload, workload.request(number), &parameters);
  std::string text;
  append_with_parameters(statement(workload, workload.kind), parameters, &text);
  return text;
}

TEST(SqlTextTest, EachKindHasItsStatement) {
  const std::string select = "SELECT user_name,user_email,created FROM test.user WHERE user_id";
  EXPECT_EQ(text(workload_of(Kind::kFind), 1), select + "=8");
  EXPECT_EQ(text(workload_of(Kind::kIn, 3), 1), select + " IN (10,11,12)");
  EXPECT_EQ(text(workload_of(Kind::kRange, 3), 1), select + ">=8 ORDER BY user_id LIMIT 3");
  EXPECT_EQ(text(workload_of(Kind::kCount, 3), 1),
            "SELECT COUNT(*),'','' FROM test.user WHERE user_id BETWEEN 8 AND 10");
  EXPECT_EQ(text(workload_of(Kind::kInsert), 1),
            "INSERT INTO test.user (user_id,user_name,user_email,created) VALUES "
            "(8,'user name 8','user8@example.com','2010-02-03 11:22:33')");
  EXPECT_EQ(text(workload_of(Kind::kUpsert), 1),
            "INSERT INTO test.user (user_id,user_name,user_email,created) VALUES "
            "(8,'user name 8','user8+1001@example.com','2010-02-03 11:22:33')"
            " ON DUPLICATE KEY UPDATE user_name=VALUES(user_name),user_email=VALUES(user_email),"
            "created=VALUES(created)");
  EXPECT_EQ(text(workload_of(Kind::kUpdate), 1),
            "UPDATE test.user SET user_email='user8+1001@example.com' WHERE user_id=8");
}

TEST(SqlTextTest, TheTableCanBeAnother) {
  Workload workload = workload_of(Kind::kFind);
  workload.database = "a";
  workload.table = "b";
  EXPECT_NE(statement(workload, Kind::kFind).find(" FROM a.b "), std::string::npos);
}

class SqlAnswerTest : public ::testing::Test {
 protected:
  void add(SqlAnswer& answer, uint32_t key) {
    const KnownRow row(key);
    answer.add_row(row.name(), row.email(), row.created());
  }

  std::string error_;
};

TEST_F(SqlAnswerTest, ACountIsOneRowWithTheNumber) {
  const Workload workload = workload_of(Kind::kCount, 1000);
  SqlAnswer answer(workload);
  answer.begin({1, 8, Kind::kCount});
  answer.add_row("1000", "", "");
  EXPECT_TRUE(answer.is_right(&error_)) << error_;
  EXPECT_EQ(answer.rows(), 1u);
  answer.begin({1, 8, Kind::kCount});
  answer.add_row("999", "", "");
  EXPECT_FALSE(answer.is_right(&error_));
}

TEST_F(SqlAnswerTest, AFindHasItsRow) {
  const Workload workload = workload_of(Kind::kFind);
  SqlAnswer answer(workload);
  answer.begin({1, 101, Kind::kFind});
  add(answer, 101);
  EXPECT_TRUE(answer.is_right(&error_)) << error_;
  add(answer, 101);
  EXPECT_FALSE(answer.is_right(&error_));
  answer.begin({1, 101, Kind::kFind});
  EXPECT_FALSE(answer.is_right(&error_));
  EXPECT_EQ(error_, "0 rows, not the right ones");
  add(answer, 102);
  EXPECT_FALSE(answer.is_right(&error_));
}

TEST_F(SqlAnswerTest, ARowMustHaveItsContent) {
  const Workload workload = workload_of(Kind::kFind);
  SqlAnswer answer(workload);
  answer.begin({1, 7, Kind::kFind});
  answer.add_row("user name 7", "user8@example.com", "2010-02-03 11:22:33");
  EXPECT_FALSE(answer.is_right(&error_));
  EXPECT_EQ(error_, "user name 7, user8@example.com, 2010-02-03 11:22:33");
}

TEST_F(SqlAnswerTest, ARangeHasItsOrder) {
  const Workload workload = workload_of(Kind::kRange, 2);
  SqlAnswer answer(workload);
  answer.begin(workload.request(0));
  add(answer, 7);
  add(answer, 8);
  EXPECT_TRUE(answer.is_right(&error_)) << error_;
  answer.begin(workload.request(0));
  add(answer, 8);
  add(answer, 7);
  EXPECT_FALSE(answer.is_right(&error_));
}

TEST_F(SqlAnswerTest, AnInHasEachRowOnceInAnyOrder) {
  Workload workload = workload_of(Kind::kIn, 3);
  workload.keys = Keys::sequential(7, 2);  // 7, 8, 7
  SqlAnswer answer(workload);
  answer.begin(workload.request(0));
  add(answer, 8);
  add(answer, 7);
  EXPECT_TRUE(answer.is_right(&error_)) << error_;
  EXPECT_EQ(answer.rows(), 2u);
}

}  // namespace
}  // namespace hs::bench
