#include "server/slow_log.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "testing/fixtures/server_fixture.h"

namespace hs::server {
namespace {

const Log kSilent = {[](std::string_view) {}, [](std::string_view) {}, [](std::string_view) {}};

class SlowLogTest : public ::testing::Test {
 protected:
  SlowLogTest() : directory_(make_directory()), path_(directory_ + "/slow.log") {}
  ~SlowLogTest() override { std::filesystem::remove_all(directory_); }

  static std::string content(const std::string& path) {
    std::ostringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
  }
  static size_t count(const std::string& text, const std::string& what) {
    size_t times = 0;
    for (size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1))
      ++times;
    return times;
  }
  static SlowRequest find() {
    SlowRequest slow;
    slow.connection = 7;
    slow.host = "10.0.0.7:4000";
    slow.kind = RequestKind::kFind;
    slow.database = "d";
    slow.table = "t";
    slow.rows = 3;
    slow.took_ns = 1'500'000'000;
    slow.waited_ns = 500'000'000;
    return slow;
  }

  const std::string directory_;
  const std::string path_;
};

TEST_F(SlowLogTest, AnEntryHasTheFormOfTheServersOwn) {
  const std::string text = slow_log_text(find(), 1'000'000'000);
  EXPECT_EQ(text.substr(0, 8), "# Time: ");
  EXPECT_EQ(text.substr(text.find('\n') + 1),
            "# User@Host: handlersocket[handlersocket] @ 10.0.0.7 []\n"
            "# Thread_id: 7  Schema: d  QC_hit: No\n"
            "# Query_time: 1.500000  Lock_time: 0.500000  Rows_sent: 3  Rows_examined: 3\n"
            "# Rows_affected: 0  Bytes_sent: 0\n"
            "SET timestamp=1000000000;\n"
            "find `d`.`t` by `PRIMARY`;\n");
}

TEST_F(SlowLogTest, NoNameBeginsAnotherLine) {
  const std::string plain = slow_log_text(find(), 0);
  SlowRequest slow = find();
  slow.user = "a\n# User@Host: root";
  slow.database = "b\n# Query_time: 9";
  slow.table = "c\nd";
  slow.index = "e\rf";
  const std::string text = slow_log_text(slow, 0);
  EXPECT_EQ(count(text, "\n"), count(plain, "\n"));
  EXPECT_EQ(count(text, "\r"), 0u);
  EXPECT_NE(text.find("@Host: a # User@Host: root["), std::string::npos) << text;
}

TEST_F(SlowLogTest, ANameCannotForgeALine) {
  SlowRequest slow = find();
  slow.table = "a`;\n# Time: b";
  const std::string text = slow_log_text(slow, 1'000'000'000);
  EXPECT_NE(text.find("find `d`.`a``; # Time: b` by `PRIMARY`;\n"), std::string::npos) << text;
}

TEST_F(SlowLogTest, EverythingQueuedIsWrittenAtTheEnd) {
  {
    SlowLog log({true, 0, path_}, kSilent);
    log.start();
    for (int i = 0; i < 100; ++i) {
      if (log.takes_one()) log.add(find());
    }
    EXPECT_EQ(log.slow(), 100u);
    EXPECT_EQ(log.dropped(), 0u);
  }
  EXPECT_EQ(count(content(path_), "find `d`.`t`"), 100u);
}

TEST_F(SlowLogTest, WhatIsTooMuchIsDroppedAndCounted) {
  SlowLog log({true, 0, path_}, kSilent);  // no thread takes anything from the queue
  for (size_t i = 0; i < 3 * SlowLog::kMostQueued; ++i) {
    if (log.takes_one()) log.add(find());
  }
  EXPECT_EQ(log.slow(), 3 * SlowLog::kMostQueued);
  EXPECT_GE(log.dropped(), 2 * SlowLog::kMostQueued);
}

TEST_F(SlowLogTest, AFileThatCannotBeWrittenDropsAndIsSaidOnce) {
  static std::atomic<int> complaints;
  complaints = 0;
  Log counting = kSilent;
  counting.error = [](std::string_view) { ++complaints; };
  {
    SlowLog log({true, 0, directory_}, counting);
    log.start();
    for (int i = 0; i < 10; ++i) {
      if (log.takes_one()) log.add(find());
      while (log.dropped() < static_cast<uint64_t>(i) + 1) std::this_thread::yield();
    }
  }
  EXPECT_EQ(complaints, 1);
}

class SlowRequestsTest : public ServerTest {};

TEST_F(SlowRequestsTest, AreLoggedWhileTheLogIsOnAndNotOtherwise) {
  const std::string directory = make_directory();
  config_.slow_log = {true, 0, directory + "/slow.log"};
  start();
  TestClient client = reader();
  EXPECT_EQ(client.ask("P\t1\td\tt\tPRIMARY\tk,v\n"), "0\t1");
  EXPECT_EQ(client.ask("1\t=\t1\t1\n"), "0\t2");
  EXPECT_EQ(server_->statistics().slow_requests, 2u);
  server_->slow_log().set_on(false);
  EXPECT_EQ(client.ask("1\t=\t1\t1\n"), "0\t2");
  EXPECT_EQ(server_->statistics().slow_requests, 2u);
  server_->slow_log().set_on(true);
  server_->slow_log().set_threshold(INT64_MAX);
  EXPECT_EQ(client.ask("1\t=\t1\t1\n"), "0\t2");
  EXPECT_EQ(server_->statistics().slow_requests, 2u);
  server_.reset();
  std::ostringstream text;
  text << std::ifstream(directory + "/slow.log").rdbuf();
  EXPECT_NE(text.str().find("find `d`.`t` by `PRIMARY`;\n"), std::string::npos) << text.str();
  std::filesystem::remove_all(directory);
}

}  // namespace
}  // namespace hs::server
