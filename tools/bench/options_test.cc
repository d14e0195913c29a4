#include "options.h"

#include <gtest/gtest.h>

#include <limits>
#include <set>
#include <string>

namespace hs::bench {
namespace {

class OptionsTest : public ::testing::Test {
 protected:
  OptionsTest() { options_.place.port = 9998; }

  // The error of the options when those in `given` were on the command line.
  std::string error(const std::set<std::string>& given = {}) {
    Options options = options_;
    try {
      check(options, [&](const char* option) { return given.contains(option); });
    } catch (const WrongUsage& wrong) {
      return wrong.what();
    }
    return "";
  }

  Workload workload(const std::set<std::string>& given = {}) {
    check(options_, [&](const char* option) { return given.contains(option); });
    return make_workload(options_, 1000);
  }

  Options options_;
};

TEST_F(OptionsTest, AFindOfAMillionRequestsIsTheDefault) {
  const Workload find = workload();
  EXPECT_EQ(options_.requests, 1'000'000u);
  EXPECT_EQ(find.kind, Kind::kFind);
  EXPECT_EQ(find.count, 1u);
  EXPECT_FALSE(find.has_writes());
  EXPECT_FALSE(find.email.may_be_updated);
}

TEST_F(OptionsTest, APlaceIsRequired) {
  options_.place.port = 0;
  EXPECT_EQ(error(), "--port or --socket is required");
  options_.place.socket = "/tmp/x";
  EXPECT_EQ(error(), "");
}

TEST_F(OptionsTest, NamesOfTablesAreLettersDigitsAndUnderscores) {
  for (const char* const table : {"a.b", "test.user_2", "A.B"}) {
    options_.table = table;
    EXPECT_EQ(error(), "") << table;
  }
  for (const char* const table : {"user", ".user", "test.", "a.b.c", "a.b;", "a.`b`", "a.b\tc"}) {
    options_.table = table;
    EXPECT_NE(error(), "") << table;
  }
  options_.table = "a." + std::string(64, 'b');
  EXPECT_EQ(error(), "");
  options_.table += "b";
  EXPECT_NE(error(), "");
}

TEST_F(OptionsTest, TheWorkloadHasItsTable) {
  options_.table = "a.b";
  EXPECT_EQ(workload().database, "a");
  EXPECT_EQ(workload().table, "b");
}

TEST_F(OptionsTest, OptionsWithoutAMeaningAreRefused) {
  EXPECT_EQ(error({"--prepared"}), "--prepared is for --target sql");
  EXPECT_EQ(error({"--fill"}), "--fill is for --target memcached and redis");
  EXPECT_EQ(error({"--in"}), "--in is for --workload in");
  EXPECT_EQ(error({"--theta"}), "--theta is for --distribution zipfian");
  EXPECT_EQ(error({"--cold"}), "--cold is for --hot");
  options_.workload = "insert";
  EXPECT_EQ(error({"--hot"}), "--hot is for workloads but insert");
  options_.workload = "find";
  options_.target = "redis";
  EXPECT_EQ(error({"--table"}), "--table is for --target hs and sql");
  options_.workload = "range";
  EXPECT_EQ(error(), "--workload range: redis has no order of keys");
}

TEST_F(OptionsTest, AccountsAreForSqlAndHandlerSocketAndTlsForAllButSql) {
  options_.password = "secret";
  EXPECT_EQ(error({"--password"}), "--password needs --user");
  options_.user = "ada";
  EXPECT_EQ(error({"--user", "--password", "--tls"}), "");
  EXPECT_EQ(error({"--tls-ca"}), "--tls-ca is for --tls");
  options_.target = "redis";
  EXPECT_EQ(error({"--user"}), "--user is for --target hs and sql");
  options_.target = "sql";
  EXPECT_EQ(error({"--tls"}), "--tls is for targets but sql");
}

TEST_F(OptionsTest, OnlySqlLogsInUnasked) {
  workload();
  EXPECT_EQ(options_.user, "");
  options_.target = "sql";
  workload();
  EXPECT_EQ(options_.user, "root");
}

TEST_F(OptionsTest, WhatIsNotANumberIsRefused) {
  options_.seconds = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(error(), "--seconds: not a number");
}

TEST_F(OptionsTest, SqlHasNoDepth) {
  options_.target = "sql";
  EXPECT_EQ(error(), "");
  options_.depth = 2;
  EXPECT_NE(error(), "");
}

TEST_F(OptionsTest, RequestsOnTheWayAreBounded) {
  options_.connections = 100;
  options_.depth = 100'000;
  EXPECT_EQ(error(), "");
  options_.connections = 101;
  EXPECT_EQ(error(), "--connections times --depth is more than 10000000");
}

TEST_F(OptionsTest, ARangeEndsWithTheLastRow) {
  options_.workload = "range";
  options_.rows = 10;
  options_.range = 11;
  EXPECT_EQ(error(), "--range: more than --rows");
  options_.range = 10;
  const Workload range = workload();
  for (uint64_t i = 0; i < 100; ++i) EXPECT_EQ(range.request(i).key, 1u);
}

TEST_F(OptionsTest, InsertsBeginBehindTheRowsAndHaveEachIdOnce) {
  options_.workload = "insert";
  options_.rows = 10;
  options_.requests = 50;
  options_.warm_up = 50;
  options_.order = "random";
  const Workload insert = workload();
  std::set<uint32_t> ids;
  for (uint64_t i = 0; i < 100; ++i) ids.insert(insert.request(i).key);
  EXPECT_EQ(ids.size(), 100u);
  EXPECT_EQ(*ids.begin(), 11u);
  EXPECT_EQ(*ids.rbegin(), 110u);
}

TEST_F(OptionsTest, InsertsNeedIds) {
  options_.workload = "insert";
  options_.first_key = UINT32_MAX - 9;
  options_.requests = 10;
  EXPECT_EQ(error(), "");
  EXPECT_EQ(workload().request(9).key, UINT32_MAX);
  options_.requests = 11;
  EXPECT_EQ(error(), "--requests: there are not so many ids from --first-key on");
  options_.first_key = 0;
  options_.rows = UINT32_MAX;
  EXPECT_EQ(error(), "--first-key is required");
}

TEST_F(OptionsTest, AFillHasEachRowOnce) {
  options_.target = "memcached";
  options_.fill = true;
  options_.rows = 100;
  EXPECT_NE(error({"--fill", "--requests"}), "");
  const Workload fill = workload({"--fill"});
  EXPECT_EQ(options_.requests, 100u);
  EXPECT_GT(options_.depth, 1u);
  EXPECT_TRUE(fill.overwrite);
  EXPECT_EQ(fill.request(0).key, 1u);
  EXPECT_EQ(fill.request(99).key, 100u);
}

TEST_F(OptionsTest, OnlyAMixedWorkloadExpectsUpdates) {
  options_.workload = "mixed";
  options_.value_size = 100;
  const Workload mixed = workload();
  EXPECT_TRUE(mixed.has_writes());
  EXPECT_TRUE(mixed.email.may_be_updated);
  EXPECT_EQ(mixed.email.size, 100u);
}

}  // namespace
}  // namespace hs::bench
