#include "server/slow_log.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/stat.h>

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

TEST_F(SlowLogTest, AnEntryHasTheFormOfMysqlWhereThatIsTheServer) {
  EXPECT_EQ(slow_log_text(find(), 1'000'000'000, SlowLogConfig::Form::kMysql),
            "# Time: 2001-09-09T01:46:40.000000Z\n"
            "# User@Host: handlersocket[handlersocket] @ 10.0.0.7 []  Id: 7\n"
            "# Query_time: 1.500000  Lock_time: 0.500000  Rows_sent: 3  Rows_examined: 3\n"
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

TEST_F(SlowLogTest, AnotherFileTakesWhatComesFromThenOn) {
  const std::string other = directory_ + "/other.log";
  {
    SlowLog log({true, 0, path_}, kSilent);
    log.start();
    if (log.takes_one()) log.add(find());
    while (count(content(path_), "find `d`.`t`") != 1) std::this_thread::yield();
    std::string error;
    ASSERT_TRUE(log.set_file(other, &error)) << error;
    for (int i = 0; i < 3; ++i) {
      if (log.takes_one()) log.add(find());
    }
  }
  EXPECT_EQ(count(content(path_), "find `d`.`t`"), 1u);
  EXPECT_EQ(count(content(other), "find `d`.`t`"), 3u);
}

TEST_F(SlowLogTest, AFileThatCannotBeWrittenIsRefusedAndThePresentOneStays) {
  const std::string fifo = directory_ + "/fifo";
  ASSERT_EQ(::mkfifo(fifo.c_str(), 0600), 0);
  {
    SlowLog log({true, 0, path_}, kSilent);
    log.start();
    const std::pair<std::string, std::string> refused[] = {
        {fifo, "No such device or address"},
        {directory_, "Is a directory"},
        {directory_ + "/gone/slow.log", "No such file or directory"},
        {"", "No such file or directory"},
    };
    for (const auto& [path, why] : refused) {
      std::string error;
      EXPECT_FALSE(log.set_file(path, &error)) << path;
      EXPECT_EQ(error, "cannot write " + path + ": " + why);
    }
    // With a reader a FIFO can be opened.
    const net::FileDescriptor reader(::open(fifo.c_str(), O_RDONLY | O_NONBLOCK));
    std::string error;
    EXPECT_FALSE(log.set_file(fifo, &error));
    EXPECT_NE(error.find("it is no regular file"), std::string::npos) << error;
    if (log.takes_one()) log.add(find());
  }
  EXPECT_EQ(count(content(path_), "find `d`.`t`"), 1u);
}

TEST_F(SlowLogTest, AFileOfAnotherKindIsRefusedAndStaysAsItIs) {
  const std::string foreign = "#!/bin/sh\n# Times\n" + std::string(10'000, '\0');
  std::ofstream(path_, std::ios::binary) << foreign;
  std::filesystem::create_symlink(path_, directory_ + "/link.log");
  SlowLog log({true, 0, directory_ + "/other.log"}, kSilent);
  std::string error;
  for (const std::string& path : {path_, directory_ + "/link.log"}) {
    EXPECT_FALSE(log.set_file(path, &error));
    EXPECT_EQ(error, "cannot write " + path + ": it is no slow log, and not empty");
  }
  EXPECT_EQ(content(path_), foreign);
}

TEST_F(SlowLogTest, AFileOfTheSystemThatOnlySeemsToBeEmptyIsRefused) {
  SlowLog log({true, 0, path_}, kSilent);
  std::string error;
  for (const char* path : {"/proc/self/mem", "/proc/self/comm", "/proc/self/oom_score_adj"}) {
    EXPECT_FALSE(log.set_file(path, &error)) << path;
    EXPECT_EQ(error, std::string("cannot write ") + path + ": it is no slow log, and not empty");
  }
  // One that is only open.
  const std::string gone = directory_ + "/gone.log";
  const net::FileDescriptor file(::open(gone.c_str(), O_RDWR | O_CREAT, 0600));
  ::unlink(gone.c_str());
  const std::string path = "/proc/self/fd/" + std::to_string(file.get());
  EXPECT_FALSE(log.set_file(path, &error));
  EXPECT_EQ(error, "cannot write " + path + ": it was deleted");
}

TEST_F(SlowLogTest, AFileThatIsNotTakenAtTheStartIsNotWrittenEither) {
  std::ofstream(path_) << "precious\n";
  {
    SlowLog log({true, 0, path_}, kSilent);
    log.start();
    if (log.takes_one()) log.add(find());
  }
  EXPECT_EQ(content(path_), "precious\n");
}

TEST_F(SlowLogTest, AnEarlierLogIsContinuedAlsoWhenItsBeginningWasCutOff) {
  SlowLog log({true, 0, directory_ + "/other.log"}, kSilent);
  std::string error;
  std::ofstream(path_).flush();
  EXPECT_TRUE(log.set_file(path_, &error)) << error;
  const std::string two = slow_log_text(find(), 0) + slow_log_text(find(), 0);
  for (const size_t cut : {size_t{0}, size_t{3}, two.find("# Query_time"), two.size() / 2}) {
    std::ofstream(path_) << two.substr(cut);
    EXPECT_TRUE(log.set_file(path_, &error)) << cut << error;
  }
  std::ofstream(path_)
      << "mariadbd, Version: 10.11 started with:\nTcp port: 0\n# User@Host: a[a]\n";
  EXPECT_TRUE(log.set_file(path_, &error)) << error;
}

TEST_F(SlowLogTest, PathsAreRefusedThatTheDatabaseUses) {
  SlowLog log({true, 0, path_}, kSilent);
  const std::pair<std::string, std::string> refused[] = {
      {directory_ + "/My.CNF", "the server would read it as an option file"},
      {"my.ini", "the server would read it as an option file"},
      {"ibdata1", "a name in the data directory must end in .log"},
      {"./x/../log.000001", "a name in the data directory must end in .log"},
      {std::filesystem::current_path().string() + "/y",
       "a name in the data directory must end in .log"},
      {directory_ + "/" + std::string(513, 'x'), "the path has more than 512 bytes"},
  };
  for (const auto& [path, why] : refused) {
    std::string error;
    EXPECT_FALSE(log.set_file(path, &error)) << path;
    EXPECT_EQ(error, "cannot write " + path + ": " + why);
    std::error_code too_long;
    EXPECT_FALSE(std::filesystem::exists(path, too_long));
  }
  std::string error;
  EXPECT_TRUE(log.set_file(directory_ + "/without-extension", &error)) << error;
}

TEST_F(SlowLogTest, AFullDiskDropsEntriesSaysSoOnceAndIsForgottenWithAnotherFile) {
  static std::atomic<int> complaints;
  complaints = 0;
  Log counting = kSilent;
  counting.error = [](std::string_view line) {
    EXPECT_NE(line.find("/dev/full (handlersocket_slow_log_file): No space left"),
              std::string_view::npos)
        << line;
    ++complaints;
  };
  {
    SlowLog log({true, 0, "/dev/full"}, counting);
    log.start();
    for (int i = 0; i < 10; ++i) {
      if (log.takes_one()) log.add(find());
      while (log.dropped() < static_cast<uint64_t>(i) + 1) std::this_thread::yield();
    }
    EXPECT_EQ(complaints, 1);
    std::string error;
    ASSERT_TRUE(log.set_file(path_, &error)) << error;
    if (log.takes_one()) log.add(find());
    while (count(content(path_), "find `d`.`t`") != 1) std::this_thread::yield();
    ASSERT_TRUE(log.set_file("/dev/full", &error)) << error;
    if (log.takes_one()) log.add(find());
  }
  EXPECT_EQ(complaints, 2);
}

TEST_F(SlowLogTest, NoDeviceTakesItButThoseForWhichBytesHaveNoMeaning) {
  SlowLog log({true, 0, "/dev/null"}, kSilent);
  std::string error;
  EXPECT_TRUE(log.set_file("/dev/full", &error)) << error;
  for (const char* device : {"/dev/zero", "/dev/tty", "/dev/urandom"}) {
    EXPECT_FALSE(log.set_file(device, &error));
    EXPECT_NE(error.find("only /dev/null and /dev/full"), std::string::npos) << error;
  }
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
