#include "report.h"

#include <gtest/gtest.h>

namespace hs::bench {
namespace {

Report make_report() {
  Report report;
  report.target = "hs";
  report.workload = "in";
  report.distribution = "uniform";
  report.connections = 2;
  report.depth = 1;
  report.server_cpu_seconds = 0.5;
  report.tally.rows = 100'000;
  report.tally.seconds = 2;
  for (int i = 0; i < 1000; ++i) report.tally.latency.record(2000);
  return report;
}

TEST(ReportTest, JsonHasEveryFigure) {
  Report report = make_report();
  report.tally.count_error(7, "a\t\"\r\n");
  const std::string json = as_json(report);
  EXPECT_TRUE(json.starts_with(
      "{\"target\":\"hs\",\"workload\":\"in\",\"distribution\":\"uniform\",\"connections\":2,"
      "\"depth\":1,\"lookups\":1000,\"requests\":1000,\"rows\":100000,\"errors\":1,"
      "\"seconds\":2.000,\"per_second\":500.000,\"rows_per_second\":50000.000,\"latency_us\":{"
      "\"p50\":2.000,\"p90\":2.000,\"p99\":2.000,\"p99.9\":2.000,\"max\":2.000},"
      "\"percentiles\":[[0.000,2.000],[10.000,2.000],"))
      << json;
  EXPECT_TRUE(
      json.ends_with(",[99.990,2.000]],\"server_cpu_seconds\":0.500,\"server_cpu_us\":500.000,"
                     "\"server_cpu_us_per_row\":5.000,"
                     "\"first_error\":\"the answer for 7: a\\u0009\\u0022\"}\n"))
      << json;
}

TEST(ReportTest, JsonTellsTheRateIfThereIsOne) {
  Report report = make_report();
  EXPECT_EQ(as_json(report).find("rate"), std::string::npos);
  report.rate = 1000;
  EXPECT_NE(as_json(report).find(",\"rate\":1000.000,"), std::string::npos);
}

TEST(ReportTest, TextTellsOfRowsWhereThereAreMoreThanRequests) {
  Report report = make_report();
  EXPECT_EQ(as_text(report),
            "hs, in, 2 connections, depth 1: 1000 requests in 2.00 s, 0 errors\n"
            "  500 requests per second, 50000 rows per second\n"
            "  latency in us: p50 2.0, p90 2.0, p99 2.0, p99.9 2.0, max 2.0\n"
            "  server CPU per request: 500.000 us, per row: 5.000 us\n");
  report.tally.rows = 1000;
  EXPECT_EQ(as_text(report).find("rows"), std::string::npos);
}

}  // namespace
}  // namespace hs::bench
