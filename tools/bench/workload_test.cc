#include "workload.h"

#include <gtest/gtest.h>

#include <string>

namespace hs::bench {
namespace {

std::string row(const Workload& workload, const Request& request) {
  std::string text;
  workload.append_row(request, &text);
  return text;
}

TEST(WorkloadTest, AnInHasItsOwnKeys) {
  Workload workload;
  workload.kind = Kind::kIn;
  workload.keys = Keys::sequential(1, 1000);
  workload.count = 3;
  const Request request = workload.request(2);
  EXPECT_EQ(request.key, 7u);
  EXPECT_EQ(workload.row_count(request), 3u);
  EXPECT_EQ(workload.key(request, 2), 9u);
}

TEST(WorkloadTest, ARangeHasTheKeysBehindItsFirst) {
  Workload workload;
  workload.kind = Kind::kRange;
  workload.keys = Keys::uniform(1, 1000);
  workload.count = 3;
  const Request request = workload.request(2);
  EXPECT_EQ(workload.key(request, 2), request.key + 2);
}

TEST(WorkloadTest, TheShareOfWritesIsUpdatesOfTheSameKeys) {
  Workload workload;
  workload.keys = Keys::uniform(1, 1'000'000);
  workload.writes = 0.25;
  int writes = 0;
  for (uint64_t i = 0; i < 100'000; ++i) {
    const Request request = workload.request(i);
    EXPECT_EQ(request.key, workload.keys.at(i));
    writes += request.kind == Kind::kUpdate;
  }
  EXPECT_GT(writes, 24'000);
  EXPECT_LT(writes, 26'000);
}

TEST(WorkloadTest, WritesAreTheKnownRowsAndUpdatesAreNew) {
  Workload workload;
  workload.first_update = 1000;
  EXPECT_EQ(row(workload, {5, 7, Kind::kInsert}),
            "user name 7\tuser7@example.com\t2010-02-03 11:22:33");
  EXPECT_EQ(row(workload, {5, 7, Kind::kUpdate}),
            "user name 7\tuser7+1005@example.com\t2010-02-03 11:22:33");
  EXPECT_EQ(row(workload, {6, 101, Kind::kUpdate}),
            "Yukari Takeba\tuser101+1006@example.com\t2010-02-03 11:22:33");
}

}  // namespace
}  // namespace hs::bench
