#include <string>

#include "testing/fixtures/server_fixture.h"

namespace hs::server {
namespace {

// Replies that are too long to be kept, over one reactor.
class StreamTest : public ServerTest {
 protected:
  static constexpr int kRows = 6000;
  static constexpr size_t kRowBytes = 1000;

  StreamTest() {
    config_.read_threads = config_.write_threads = 1;
    fake_.create_table("d.big(k int, v text; PRIMARY(k))");
    for (int k = 1; k <= kRows; ++k) {
      fake_.add_row("d", "big", {std::to_string(k), std::string(kRowBytes, 'a' + k % 26)});
    }
  }

  TestClient opened(TestClient client) {
    EXPECT_EQ(client.ask("P\t1\td\tbig\tPRIMARY\tk,v\n"), "0\t1");
    return client;
  }
  static std::string find(int first, int rows) {
    return "1\t>=\t1\t" + std::to_string(first) + "\t" + std::to_string(rows) + "\t0\n";
  }
  static std::string found(int first, int rows) {
    std::string reply = "0\t2";
    for (int k = first; k < first + rows; ++k) {
      reply += "\t" + std::to_string(k) + "\t" + std::string(kRowBytes, 'a' + k % 26);
    }
    return reply;
  }
};

TEST_F(StreamTest, AHugeReplyArrivesWholeAndInOrderWithOthers) {
  start();
  TestClient client = opened(reader());
  client.send(find(1, 1) + find(1, kRows) + find(2, 1) + find(3, kRows - 2) + find(4, 1));
  EXPECT_EQ(client.line(), found(1, 1));
  EXPECT_EQ(client.line(), found(1, kRows));
  EXPECT_EQ(client.line(), found(2, 1));
  EXPECT_EQ(client.line(), found(3, kRows - 2));
  EXPECT_EQ(client.line(), found(4, 1));
  EXPECT_EQ(client.ask(find(5, 2)), found(5, 2));
  EXPECT_EQ(server_->statistics().requests, 1u + 6u);
  EXPECT_EQ(server_->statistics().errors, 0u);
  EXPECT_EQ(server_->statistics().rows_found, 2u * kRows + 3);
}

TEST_F(StreamTest, AClientThatDoesNotReadHoldsUpNoOther) {
  start();
  TestClient slow = opened(reader());
  TestClient other = opened(reader());
  slow.send(find(1, kRows));
  for (int i = 0; i < 10; ++i) ASSERT_EQ(other.ask(find(2, 1)), found(2, 1));
  EXPECT_EQ(slow.line(), found(1, kRows));
}

TEST_F(StreamTest, AReplyOverTheLimitIsAnErrorAlthoughItWouldBeStreamed) {
  config_.limits.max_reply_size = 3u << 20;
  start();
  TestClient client = opened(reader());
  EXPECT_EQ(client.ask(find(1, kRows)), "2\t1\treply_too_long");
  EXPECT_EQ(client.ask(find(1, 2500)), found(1, 2500));
  EXPECT_EQ(client.ask(find(1, kRows)), "2\t1\treply_too_long");
}

TEST_F(StreamTest, AReplyThatFailsHalfwayEndsTheConnection) {
  start();
  TestClient client = opened(reader());
  faulty_.fail(testing::Call::kNext, 2 * kRows - 1000, Error::engine(127));
  client.send(find(1, kRows) + find(1, 1));
  EXPECT_EQ(client.line(), "EOF");
  EXPECT_EQ(opened(reader()).ask(find(1, 1)), found(1, 1));
}

TEST_F(StreamTest, AnErrorBeforeItsFirstByteWasSentIsAnswered) {
  start();
  TestClient client = opened(reader());
  faulty_.fail(testing::Call::kNext, 5000, Error::engine(127));
  EXPECT_EQ(client.ask(find(1, kRows)), "1\t1\t127");
  EXPECT_EQ(client.ask(find(1, 1)), found(1, 1));
}

TEST_F(StreamTest, ClientsThatGoMeanwhileHarmNoOthers) {
  start();
  TestClient other = opened(reader());
  for (int i = 0; i < 3; ++i) {
    TestClient gone = opened(reader());
    gone.send(find(1, kRows));
    gone = reader();
    EXPECT_EQ(other.ask(find(2, 1)), found(2, 1));
  }
  while (server_->statistics().connections_open > 1) std::this_thread::yield();
}

TEST_F(StreamTest, TheWritePortKeepsItsReplies) {
  start();
  EXPECT_EQ(opened(writer()).ask(find(1, kRows)), found(1, kRows));
}

}  // namespace
}  // namespace hs::server
