#include "net/event_loop.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <string>
#include <vector>

namespace hs::net {
namespace {

using namespace std::chrono_literals;

class EventLoopTest : public ::testing::Test {
 protected:
  EventLoopTest() {
    EventLoop::Options options;
    options.idle_timeout_ms = 30'000;
    options.now_ms = [this] { return now_ms_; };
    loop_ = EventLoop::create(std::move(options));
  }

  // A client's end of a connection whose other end is in the loop.
  FileDescriptor connect(int type = SOCK_STREAM, int buffer_size = 0) {
    int ends[2];
    EXPECT_EQ(::socketpair(AF_UNIX, type | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends), 0);
    FileDescriptor client(ends[0]);
    Transport server{FileDescriptor(ends[1])};
    if (buffer_size != 0) {
      ::setsockopt(ends[1], SOL_SOCKET, SO_SNDBUF, &buffer_size, sizeof buffer_size);
    }
    EXPECT_TRUE(adopt(server));
    EXPECT_TRUE(wait().empty());
    return client;
  }

  FileDescriptor connect_newcomer() {
    comes_as_newcomer_ = true;
    FileDescriptor client = connect();
    comes_as_newcomer_ = false;
    return client;
  }

  bool adopt(Transport& transport) {
    auto connection = std::make_unique<Connection>(memory_);
    if (comes_as_newcomer_) connection->set_newcomer();
    return loop_->adopt(connection, transport);
  }

  std::vector<Connection*> wait() {
    std::vector<Connection*> ready;
    loop_->wait(0ms, ready);
    loop_->serve_strangers(ready);
    return ready;
  }

  // The server's connection of `client`, found by making the client send.
  Connection& find(const FileDescriptor& client) {
    write(client, "x");
    const std::vector<Connection*> ready = wait();
    EXPECT_EQ(ready.size(), 1u);
    ready[0]->input().consume(1);
    return *ready[0];
  }

  static void write(const FileDescriptor& client, std::string_view bytes) {
    EXPECT_EQ(::send(client.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL),
              static_cast<ssize_t>(bytes.size()));
  }

  // What one recv() of the client returns; "EOF" at the end, "nothing" when nothing is there.
  static std::string read(const FileDescriptor& client) {
    std::string bytes(4 << 20, '\0');
    const ssize_t size = ::recv(client.get(), bytes.data(), bytes.size(), 0);
    if (size == 0) return "EOF";
    if (size < 0) return errno == EAGAIN ? "nothing" : "error";
    bytes.resize(static_cast<size_t>(size));
    return bytes;
  }

  // The memory that this process has.
  static size_t resident_bytes() {
    size_t all = 0, resident = 0;
    std::ifstream("/proc/self/statm") >> all >> resident;
    return resident * static_cast<size_t>(::sysconf(_SC_PAGESIZE));
  }

  int64_t now_ms_ = 1'000'000;
  bool comes_as_newcomer_ = false;
  Memory* memory_ = nullptr;  // where the connections count their buffers
  std::unique_ptr<EventLoop> loop_;
};

TEST_F(EventLoopTest, BytesThatCameOneByOneAreKeptTogether) {
  const FileDescriptor client = connect();
  Connection* connection = nullptr;
  for (const char* byte : {"a", "b", "c"}) {
    write(client, byte);
    const std::vector<Connection*> ready = wait();
    ASSERT_EQ(ready.size(), 1u);
    connection = ready[0];
  }
  EXPECT_EQ(connection->input().view(), "abc");
  EXPECT_TRUE(wait().empty());
  EXPECT_EQ(loop_->counters().bytes_received.get(), 3u);
}

TEST_F(EventLoopTest, OneWaitReadsAllConnectionsOnceAndAtMostReadSize) {
  const FileDescriptor first = connect();
  const FileDescriptor second = connect();
  write(first, std::string(kReadSize + 1, 'a'));
  write(second, "b");
  std::vector<Connection*> ready = wait();
  ASSERT_EQ(ready.size(), 2u);
  std::vector<size_t> sizes{ready[0]->input().size(), ready[1]->input().size()};
  std::sort(sizes.begin(), sizes.end());
  EXPECT_EQ(sizes, (std::vector<size_t>{1, kReadSize}));
  ready = wait();
  ASSERT_EQ(ready.size(), 1u);
  EXPECT_EQ(ready[0]->input().size(), kReadSize + 1);
}

// Many loops that may each read much at a time would take more memory than there is, and long, to end.
TEST_F(EventLoopTest, WhatWasNeverReceivedTakesNoMemoryWhenItIsForgotten) {
  constexpr size_t kMebibyte = size_t{1} << 20;
  EventLoop::Tuning tuning;
  tuning.read_size = 256 * kMebibyte;
  loop_->tune(tuning);
  const size_t before = resident_bytes();
  write(connect(), "half a request");
  EXPECT_EQ(wait().size(), 1u);
  loop_->forget_received();
  EXPECT_LT(resident_bytes(), before + 64 * kMebibyte);
}

TEST_F(EventLoopTest, AllOutputLeavesInOneSend) {
  const FileDescriptor client = connect(SOCK_SEQPACKET);  // keeps the sends apart
  Connection& connection = find(client);
  connection.output().append("reply one\n");
  connection.output().append("reply two\n");
  loop_->send(connection);
  EXPECT_EQ(read(client), "reply one\nreply two\n");
  EXPECT_EQ(read(client), "nothing");
  EXPECT_EQ(loop_->counters().bytes_sent.get(), 20u);
}

TEST_F(EventLoopTest, HeldInputStaysInTheSystem) {
  const FileDescriptor client = connect();
  Connection& connection = find(client);
  connection.hold_input(true);
  write(client, "more");
  EXPECT_TRUE(wait().empty());
  EXPECT_TRUE(connection.input().empty());
  connection.hold_input(false);
  EXPECT_EQ(wait().size(), 1u);
  EXPECT_EQ(connection.input().view(), "more");
}

TEST_F(EventLoopTest, AClientThatDoesNotReadIsNotReadUntilItDoes) {
  const FileDescriptor client = connect(SOCK_STREAM, 4096);
  Connection& connection = find(client);
  const std::string reply(2 * Limits{}.max_buffered, 'r');
  connection.output().append(reply);
  loop_->send(connection);
  ASSERT_TRUE(connection.over_high_water());
  write(client, "request");
  std::string received;
  while (connection.over_high_water()) {
    EXPECT_TRUE(connection.input().empty());
    received += read(client);
    const std::vector<Connection*> ready = wait();
    // It is reported once that the owner may go on.
    EXPECT_EQ(ready.size(), connection.over_high_water() ? 0u : 1u);
  }
  ASSERT_EQ(wait().size(), 1u);
  EXPECT_EQ(connection.input().view(), "request");
  while (received.size() < reply.size()) {
    received += read(client);
    wait();
  }
  EXPECT_EQ(received, reply);
  EXPECT_TRUE(wait().empty());
}

TEST_F(EventLoopTest, OutputThatGrowsOverTheHighWaterMarkWhileSomeWaitsStopsTheReading) {
  const FileDescriptor client = connect(SOCK_STREAM, 4096);
  Connection& connection = find(client);
  connection.output().append(std::string(100'000, 'a'));
  loop_->send(connection);
  ASSERT_FALSE(connection.output().empty());
  connection.output().append(std::string(300'000, 'b'));
  loop_->send(connection);
  ASSERT_TRUE(connection.over_high_water());
  write(client, "more");
  std::vector<Connection*> ready;
  EXPECT_FALSE(loop_->wait(0ms, ready));  // otherwise wait() would return at once for ever
}

TEST_F(EventLoopTest, RepliesMadeWhileOutputIsStuckFollowIt) {
  const FileDescriptor client = connect(SOCK_STREAM, 4096);
  Connection& connection = find(client);
  connection.output().append(std::string(Limits{}.max_buffered / 2, 'a'));
  loop_->send(connection);
  ASSERT_FALSE(connection.output().empty());
  connection.output().append("end");
  loop_->send(connection);
  std::string received;
  while (!connection.output().empty()) {
    received += read(client);
    wait();
  }
  received += read(client);
  EXPECT_EQ(received, std::string(Limits{}.max_buffered / 2, 'a') + "end");
}

TEST_F(EventLoopTest, HalfCloseIsToldAndTheReplyStillArrives) {
  const FileDescriptor client = connect();
  write(client, "last request\n");
  ::shutdown(client.get(), SHUT_WR);
  std::vector<Connection*> ready = wait();
  ASSERT_EQ(ready.size(), 1u);
  ready = wait();
  ASSERT_EQ(ready.size(), 1u);
  Connection& connection = *ready[0];
  EXPECT_TRUE(connection.end_of_input());
  EXPECT_FALSE(loop_->wait(0ms, ready));  // reported once: it would sleep
  EXPECT_EQ(connection.input().view(), "last request\n");
  connection.output().append("reply\n");
  loop_->send(connection);
  loop_->finish(connection);
  EXPECT_TRUE(connection.closed());
  EXPECT_EQ(read(client), "reply\n");
  EXPECT_EQ(read(client), "EOF");
  EXPECT_EQ(loop_->connections(), 0u);
}

TEST_F(EventLoopTest, OneThatIsSetAsideIsClosedWhenItsClientHasGone) {
  for (const bool has_sent : {false, true}) {
    FileDescriptor client = connect();
    loop_->set_aside(find(client));
    if (has_sent) write(client, "more");
    EXPECT_TRUE(wait().empty());
    EXPECT_EQ(loop_->connections(), 1u);
    client.reset();
    EXPECT_TRUE(wait().empty());
    EXPECT_EQ(loop_->connections(), 0u);
  }
}

TEST_F(EventLoopTest, OneThatIsSetAsideTellsOfTheEndAndIsReadAgainAfterwards) {
  const FileDescriptor client = connect();
  Connection& connection = find(client);
  loop_->set_aside(connection);
  write(client, "more");
  EXPECT_TRUE(wait().empty());
  EXPECT_FALSE(connection.client_has_ended());
  ::shutdown(client.get(), SHUT_WR);
  EXPECT_TRUE(wait().empty());
  EXPECT_TRUE(connection.client_has_ended());
  EXPECT_FALSE(connection.end_of_input());
  std::vector<Connection*> ready;
  EXPECT_FALSE(loop_->wait(0ms, ready));  // nothing happens any more
  loop_->detach(connection);
  loop_->attach(connection);
  EXPECT_EQ(wait().size(), 1u);
  EXPECT_EQ(connection.input().view(), "more");
  EXPECT_EQ(wait().size(), 1u);
  EXPECT_TRUE(connection.end_of_input());
  // It is set aside once more, and the end is known.
  loop_->set_aside(connection);
  EXPECT_TRUE(wait().empty());
  EXPECT_TRUE(connection.client_has_ended());
  loop_->attach(connection);
  connection.output().append("reply");
  loop_->send(connection);
  EXPECT_EQ(read(client), "reply");
}

TEST_F(EventLoopTest, OneThatWasSetAsideAndIsAtWorkIsNotClosed) {
  FileDescriptor client = connect();
  Connection& connection = find(client);
  loop_->set_aside(connection);
  loop_->detach(connection);
  client.reset();
  EXPECT_TRUE(wait().empty());
  EXPECT_FALSE(connection.closed());
  loop_->attach(connection);
  wait();
  EXPECT_EQ(loop_->connections(), 1u);  // its owner is told of the end
  EXPECT_TRUE(connection.end_of_input());
}

TEST_F(EventLoopTest, AHalfClosedSlowReaderDoesNotSpinAndGetsAll) {
  const FileDescriptor client = connect(SOCK_STREAM, 4096);
  Connection& connection = find(client);
  connection.output().append(std::string(100'000, 'r'));
  loop_->send(connection);
  ::shutdown(client.get(), SHUT_WR);
  ASSERT_EQ(wait().size(), 1u);
  loop_->finish(connection);
  EXPECT_FALSE(connection.closed());
  std::vector<Connection*> ready;
  EXPECT_FALSE(loop_->wait(0ms, ready));  // nothing to do: it would sleep
  size_t received = 0;
  for (std::string bytes; (bytes = read(client)) != "EOF"; received += bytes.size()) wait();
  EXPECT_EQ(received, 100'000u);
  EXPECT_EQ(loop_->connections(), 0u);
}

TEST_F(EventLoopTest, FinishLetsAClientThatIsStillSendingReadTheReply) {
  const FileDescriptor client = connect();
  Connection& connection = find(client);
  connection.output().append("too long\n");
  write(client, "and on and on");
  loop_->send(connection);
  loop_->finish(connection);
  EXPECT_EQ(read(client), "too long\n");
  EXPECT_EQ(read(client), "EOF");
  write(client, "still at it");
  EXPECT_TRUE(wait().empty());
  EXPECT_EQ(loop_->connections(), 1u);
  ::shutdown(client.get(), SHUT_WR);
  wait();
  EXPECT_EQ(loop_->connections(), 0u);
}

TEST_F(EventLoopTest, AClientThatSendsForEverIsCutOffSoonAfterFinish) {
  const FileDescriptor client = connect();
  loop_->finish(find(client));
  for (int i = 0; i < 10 && loop_->connections() != 0; ++i) {
    write(client, "and on");
    now_ms_ += 500;
    wait();
  }
  EXPECT_EQ(loop_->connections(), 0u);
}

TEST_F(EventLoopTest, AClientThatIsGoneWhileItsOutputIsStuckIsClosed) {
  FileDescriptor client = connect(SOCK_STREAM, 4096);
  Connection& connection = find(client);
  connection.output().append(std::string(2 * Limits{}.max_buffered, 'r'));
  loop_->send(connection);
  client.reset();
  wait();
  EXPECT_EQ(loop_->connections(), 0u);
}

TEST_F(EventLoopTest, SendingToAClientThatIsGoneClosesOnlyItsConnection) {
  FileDescriptor client = connect();
  const FileDescriptor other = connect();
  Connection& connection = find(client);
  client.reset();
  connection.output().append("reply\n");
  loop_->send(connection);
  EXPECT_TRUE(connection.closed());
  write(other, "x");
  EXPECT_EQ(wait().size(), 1u);
}

TEST_F(EventLoopTest, IdleConnectionsAreClosedAndOthersAreNot) {
  const FileDescriptor idle = connect();
  const FileDescriptor busy = connect();
  for (int i = 0; i < 30; ++i) {
    EXPECT_EQ(read(idle), "nothing");
    now_ms_ += 1000;
    write(busy, "x");
    EXPECT_EQ(wait().size(), 1u);
  }
  now_ms_ += 1000;
  wait();
  EXPECT_EQ(read(idle), "EOF");
  EXPECT_EQ(read(busy), "nothing");
  EXPECT_EQ(loop_->counters().timed_out.get(), 1u);
  EXPECT_EQ(loop_->connections(), 1u);
}

TEST_F(EventLoopTest, ANewcomerIsClosedInTimeHoweverMuchItSends) {
  const FileDescriptor stranger = connect_newcomer();
  const FileDescriptor guest = connect_newcomer();
  const FileDescriptor other = connect();
  loop_->welcome(find(guest));
  for (int i = 0; i < 9; ++i) {
    now_ms_ += 1000;
    write(stranger, "x");
    EXPECT_EQ(wait().size(), 1u);
  }
  now_ms_ += 999;
  wait();
  EXPECT_EQ(read(stranger), "nothing");
  now_ms_ += 1;
  wait();
  EXPECT_EQ(read(stranger), "EOF");
  EXPECT_EQ(read(guest), "nothing");
  EXPECT_EQ(read(other), "nothing");
  EXPECT_EQ(loop_->counters().login_timed_out.get(), 1u);
  EXPECT_EQ(loop_->counters().timed_out.get(), 0u);
}

TEST_F(EventLoopTest, ANewcomerThatIsDetachedWhenItsTimeIsOverIsLeftToItsOwner) {
  const FileDescriptor client = connect_newcomer();
  Connection& connection = find(client);
  loop_->detach(connection);
  now_ms_ += 10'000;
  wait();
  EXPECT_TRUE(connection.is_late());
  EXPECT_FALSE(connection.closed());
  loop_->welcome(connection);
  EXPECT_FALSE(connection.is_late());
  loop_->attach(connection);
  now_ms_ += 10'000;
  wait();
  EXPECT_EQ(read(client), "nothing");
}

TEST_F(EventLoopTest, ManyNewcomersDelayNoClientThatIsKnown) {
  const FileDescriptor client = connect();
  Connection& connection = find(client);
  std::vector<FileDescriptor> newcomers;
  for (int i = 0; i < 100; ++i) newcomers.push_back(connect_newcomer());
  for (const FileDescriptor& newcomer : newcomers) write(newcomer, "x");
  write(client, "request");
  std::vector<Connection*> ready;
  EXPECT_TRUE(loop_->wait(EventLoop::kForever, ready));
  EXPECT_EQ(ready, std::vector<Connection*>{&connection});
  size_t served = 0;
  while (loop_->strangers_wait()) {
    ready.clear();
    loop_->serve_strangers(ready);
    EXPECT_LT(ready.size(), newcomers.size());
    served += ready.size();
  }
  EXPECT_EQ(served, newcomers.size());
}

TEST_F(EventLoopTest, StrangersThatHaveNoTurnYetWakeNobodyAgain) {
  const FileDescriptor newcomer = connect_newcomer();
  write(newcomer, "x");
  std::vector<Connection*> ready;
  EXPECT_TRUE(loop_->wait(EventLoop::kForever, ready));
  EXPECT_FALSE(loop_->wait(0ms, ready));
  EXPECT_TRUE(loop_->strangers_wait());
  loop_->serve_strangers(ready);
  ASSERT_EQ(ready.size(), 1u);
  EXPECT_FALSE(loop_->strangers_wait());
  write(newcomer, "y");
  ready.clear();
  EXPECT_TRUE(loop_->wait(EventLoop::kForever, ready));
  EXPECT_TRUE(loop_->strangers_wait());
}

TEST_F(EventLoopTest, ANewcomerThatIsWelcomeIsServedWithTheOthersAlsoWhenItWasDetached) {
  for (const bool is_detached : {false, true}) {
    for (const bool is_silenced : {false, true}) {
      const FileDescriptor client = connect_newcomer();
      Connection& connection = find(client);
      if (is_detached) loop_->detach(connection);
      write(client, "b");
      if (is_silenced) wait();  // sees that something has happened to it
      connection.input().consume(connection.input().size());
      loop_->welcome(connection);
      if (is_detached) loop_->attach(connection);
      write(client, "c");
      std::vector<Connection*> ready;
      loop_->wait(0ms, ready);
      EXPECT_EQ(ready, std::vector<Connection*>{&connection});
      EXPECT_FALSE(loop_->strangers_wait());
      loop_->close(connection);
    }
  }
}

TEST_F(EventLoopTest, OtherTimesHoldForConnectionsThatAreThere) {
  const FileDescriptor newcomer = connect_newcomer();
  const FileDescriptor idle = connect();
  now_ms_ += 5000;
  write(newcomer, "x");
  EXPECT_EQ(wait().size(), 1u);
  EventLoop::Tuning tuning;
  tuning.login_timeout_ms = 4000;
  tuning.idle_timeout_ms = 4000;
  loop_->tune(tuning);
  wait();
  EXPECT_EQ(read(newcomer), "EOF");
  EXPECT_EQ(read(idle), "EOF");
  EXPECT_EQ(loop_->counters().login_timed_out.get(), 1u);
  EXPECT_EQ(loop_->counters().timed_out.get(), 1u);
}

TEST_F(EventLoopTest, SendingCountsAsTraffic) {
  const FileDescriptor client = connect();
  Connection& connection = find(client);
  now_ms_ += 20'000;
  wait();
  connection.output().append("x");
  loop_->send(connection);
  now_ms_ += 20'000;
  wait();
  EXPECT_FALSE(connection.closed());
  now_ms_ += 20'000;
  wait();
  EXPECT_EQ(loop_->connections(), 0u);
}

TEST_F(EventLoopTest, AQuietConnectionKeepsLittleMemory) {
  const FileDescriptor client = connect();
  Connection& connection = find(client);
  write(client, std::string(20'000, 'a'));
  wait();
  connection.input().consume(connection.input().size());
  connection.output().append(std::string(20'000, 'b'));
  loop_->send(connection);
  EXPECT_GE(connection.output().capacity(), 20'000u);  // kept while the connection is busy
  now_ms_ += 2000;
  wait();
  EXPECT_LE(connection.input().capacity(), kIdleBuffer);
  EXPECT_LE(connection.output().capacity(), kIdleBuffer);
  EXPECT_LE(sizeof(Connection) + 2 * kIdleBuffer, 5000u);
}

TEST_F(EventLoopTest, WaitSleepsNoLongerThanUntilTheNextConnectionIsDue) {
  const FileDescriptor client = connect();
  std::vector<Connection*> ready;
  now_ms_ += 1000;
  EXPECT_FALSE(loop_->wait(0ms, ready));  // the connection is quiet now, due in 29.25 s
  now_ms_ += 29'250;
  EXPECT_FALSE(loop_->wait(0ms, ready));
  EXPECT_EQ(loop_->connections(), 0u);
}

TEST_F(EventLoopTest, WakeEndsTheNextWait) {
  std::vector<Connection*> ready;
  loop_->wake();
  loop_->wake();
  EXPECT_TRUE(loop_->wait(EventLoop::kForever, ready));
  EXPECT_FALSE(loop_->wait(0ms, ready));
}

TEST_F(EventLoopTest, ShutClosesAllAndTakesNoMore) {
  const FileDescriptor client = connect();
  int ends[2];
  ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends), 0);
  const FileDescriptor waiting(ends[0]);
  Transport handed_over{FileDescriptor(ends[1])};
  EXPECT_TRUE(adopt(handed_over));
  EXPECT_EQ(loop_->connections(), 2u);
  loop_->shut();
  EXPECT_EQ(loop_->connections(), 0u);
  EXPECT_EQ(read(client), "EOF");
  EXPECT_EQ(read(waiting), "EOF");
  Transport late{FileDescriptor(::socket(AF_UNIX, SOCK_STREAM, 0))};
  EXPECT_FALSE(adopt(late));
  EXPECT_GE(late.descriptor(), 0);  // still the caller's
  loop_->shut();
}

TEST_F(EventLoopTest, AConnectionThatIsRefusedMemoryIsToldOnceAndNotReadAnyMore) {
  Memory memory(10'000);
  memory_ = &memory;
  loop_ = EventLoop::create({});
  const FileDescriptor greedy = connect();
  const FileDescriptor other = connect();
  write(greedy, std::string(3000, 'x'));
  std::vector<Connection*> ready = wait();
  ASSERT_EQ(ready.size(), 1u);
  Connection& connection = *ready[0];
  EXPECT_FALSE(connection.input_refused());
  write(greedy, std::string(3000, 'x'));
  ASSERT_EQ(wait(), std::vector<Connection*>{&connection});
  EXPECT_TRUE(connection.input_refused());
  EXPECT_EQ(connection.input().size(), 3000u);
  write(greedy, "x");
  EXPECT_TRUE(wait().empty());
  write(other, std::string(1000, 'x'));
  ready = wait();
  ASSERT_EQ(ready.size(), 1u);
  EXPECT_EQ(ready[0]->input().size(), 1000u);
  connection.output().append("bye");
  loop_->send(connection);
  loop_->finish(connection);
  EXPECT_EQ(memory.used(), connection.output().capacity() + ready[0]->input().capacity());
  EXPECT_EQ(read(greedy), "bye");
  EXPECT_EQ(read(greedy), "EOF");
  loop_.reset();
  EXPECT_EQ(memory.used(), 0u);
}

}  // namespace
}  // namespace hs::net
