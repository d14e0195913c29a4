#include "net/tls_stream.h"

#include <gtest/gtest.h>
#include <openssl/ssl.h>

#include <algorithm>
#include <memory>
#include <string>

#include "testing/fixtures/own_tls.h"
#include "testing/fixtures/tls_peer.h"

namespace hs::net {
namespace {

using Progress = TlsStream::Progress;

class TlsStreamTest : public ::testing::Test {
 protected:
  TlsStreamTest() {
    EXPECT_TRUE(tls_.make());
    stream_ = TlsStream::create(tls_.new_connection(), &memory_);
  }

  // The whole handshake, in pieces of `size` bytes.
  void connect(size_t size = SIZE_MAX) {
    for (int i = 0; i < 4 && !(stream_->established() && client_.connected()); ++i) {
      client_.shake_hands();
      for (std::string sent = client_.take(); !sent.empty(); sent.erase(0, size)) {
        stream_->hold(std::string_view(sent).substr(0, size));
        ASSERT_NE(stream_->shake_hands(input_), Progress::kFailed);
      }
      client_.give(taken());
    }
    ASSERT_TRUE(stream_->established());
  }

  std::string taken() {
    std::string bytes(stream_->records().view());
    stream_->records().consume(bytes.size());
    return bytes;
  }

  Memory memory_{0};
  OwnTls tls_;
  TlsPeer client_;
  std::unique_ptr<TlsStream> stream_;
  Buffer input_;
};

TEST_F(TlsStreamTest, CarriesBytesBothWays) {
  connect();
  client_.write("request\n");
  EXPECT_EQ(stream_->receive(client_.take(), input_), Progress::kGoesOn);
  EXPECT_EQ(input_.view(), "request\n");
  EXPECT_EQ(stream_->seal("reply\n"), 6u);
  client_.give(taken());
  EXPECT_EQ(client_.read(), "reply\n");
  EXPECT_STREQ(stream_->version(), "TLSv1.3");
  EXPECT_NE(std::string(stream_->cipher()), "");
}

TEST_F(TlsStreamTest, TakesTheHandshakeAndRecordsByteByByte) {
  connect(1);
  client_.write(std::string(40'000, 'x'));
  const std::string sent = client_.take();
  for (const char& byte : sent) {
    ASSERT_EQ(stream_->receive({&byte, 1}, input_), Progress::kGoesOn);
  }
  EXPECT_EQ(input_.view(), std::string(40'000, 'x'));
}

TEST_F(TlsStreamTest, AHelloThatIsCutAtAnyByteWaitsForTheRest) {
  client_.shake_hands();
  const std::string hello = client_.take();
  for (size_t size = 1; size < hello.size(); ++size) {
    stream_ = TlsStream::create(tls_.new_connection(), &memory_);
    stream_->hold(std::string_view(hello).substr(0, size));
    ASSERT_EQ(stream_->shake_hands(input_), Progress::kGoesOn) << size;
    ASSERT_TRUE(stream_->records().empty()) << size;
    stream_->hold(std::string_view(hello).substr(size));
    ASSERT_EQ(stream_->shake_hands(input_), Progress::kGoesOn) << size;
    ASSERT_EQ(taken()[0], TlsStream::kFirstByte) << size;
  }
}

TEST_F(TlsStreamTest, AnAlertInsteadOfAHandshakeFails) {
  using std::literals::operator""sv;
  for (const auto alert : {"\x15\x03\x01\x00\x02\x01\x00"sv, "\x15\x03\x01\x00\x02\x02\x28"sv}) {
    stream_ = TlsStream::create(tls_.new_connection(), &memory_);
    stream_->hold(alert);  // close_notify, handshake_failure
    EXPECT_EQ(stream_->shake_hands(input_), Progress::kFailed);
    EXPECT_FALSE(stream_->established());
  }
}

TEST_F(TlsStreamTest, ShortRepliesAreOneRecordAndLongOnesAreOfSixteenKilobytes) {
  connect();
  client_.give(taken());
  client_.read();
  EXPECT_EQ(stream_->seal(std::string(1000, 'x')), 1000u);
  EXPECT_EQ(records_in(taken()), 1u);
  EXPECT_EQ(stream_->seal(std::string(100'000, 'x')), TlsStream::kMostSealed);
  EXPECT_EQ(records_in(taken()), 4u);
}

TEST_F(TlsStreamTest, WhatFollowsTheHandshakeInTheSameReadIsNotLost) {
  client_.shake_hands();
  stream_->hold(client_.take());
  ASSERT_EQ(stream_->shake_hands(input_), Progress::kGoesOn);
  client_.give(taken());
  client_.shake_hands();
  client_.write("early bird\n");
  stream_->hold(client_.take());
  ASSERT_EQ(stream_->shake_hands(input_), Progress::kGoesOn);
  EXPECT_TRUE(stream_->established());
  EXPECT_EQ(input_.view(), "early bird\n");
}

TEST_F(TlsStreamTest, AClientThatHasEndedStillGetsReplies) {
  connect();
  client_.write("last\n");
  client_.end();
  EXPECT_EQ(stream_->receive(client_.take(), input_), Progress::kEnded);
  EXPECT_EQ(input_.view(), "last\n");
  EXPECT_EQ(stream_->seal("reply\n"), 6u);
  stream_->seal_end();
  client_.give(taken());
  EXPECT_EQ(client_.read(), "reply\n");
  EXPECT_TRUE(client_.at_end());
  EXPECT_EQ(stream_->seal("more"), 0u);
}

TEST_F(TlsStreamTest, WhatIsNoTlsAtAllFails) {
  stream_->hold("\x16garbage, and more of it");
  EXPECT_EQ(stream_->shake_hands(input_), Progress::kFailed);
  EXPECT_TRUE(input_.empty());
}

TEST_F(TlsStreamTest, AHandshakeOfGarbageFailsWithAnAlert) {
  using std::literals::operator""sv;
  stream_->hold("\x16\x03\x01\x00\x06garbage"sv);
  EXPECT_EQ(stream_->shake_hands(input_), Progress::kFailed);
  EXPECT_EQ(taken().substr(0, 1), "\x15");
}

// The header of a hello of `size` bytes, which are still to come, in records of one byte each.
std::string hello_of(uint32_t size) {
  std::string records;
  for (const uint32_t byte : {1u, size >> 16, size >> 8 & 0xff, size & 0xff}) {
    records += std::string("\x16\x03\x01\x00\x01", 5) + static_cast<char>(byte);
  }
  return records;
}

TEST_F(TlsStreamTest, AHelloThatIsTooLongFailsAtItsHeader) {
  stream_->hold(hello_of(HelloSize::kMost));
  EXPECT_EQ(stream_->shake_hands(input_), Progress::kGoesOn);
  stream_ = TlsStream::create(tls_.new_connection(), nullptr);
  const std::string sent = hello_of(HelloSize::kMost + 1);
  for (const char& byte : sent) stream_->hold({&byte, 1});
  EXPECT_EQ(stream_->shake_hands(input_), Progress::kFailed);
}

// The last message of a session that is resumed in TLS 1.2 is encrypted, and its first byte is drawn
// by the library. Here it is that of a hello, with what looks like the length of a long one.
TEST_F(TlsStreamTest, WhatIsEncryptedIsNoLongHello) {
  client_.use_version(TLS1_2_VERSION);
  connect();
  client_.shake_hands();
  for (int i = 0; i < 10'000; ++i) {
    stream_ = TlsStream::create(tls_.new_connection(), nullptr);
    TlsPeer client;
    client.use_version(TLS1_2_VERSION);
    client.resume(client_);
    client.shake_hands();
    stream_->hold(client.take());
    ASSERT_EQ(stream_->shake_hands(input_), Progress::kGoesOn);
    client.give(taken());
    client.shake_hands();
    ASSERT_TRUE(client.has_resumed());
    const std::string last = client.take();
    constexpr size_t kEncrypted = 6 + 5;  // a change of the cipher, and a record's header
    ASSERT_GT(last.size(), kEncrypted + 1);
    if (last[kEncrypted] != 1 || last[kEncrypted + 1] == 0) continue;
    stream_->hold(last);
    EXPECT_EQ(stream_->shake_hands(input_), Progress::kGoesOn);
    EXPECT_TRUE(stream_->established());
    return;
  }
  FAIL() << "no such message was drawn";
}

TEST_F(TlsStreamTest, AForgedRecordFailsWithAnAlert) {
  connect();
  client_.write("request\n");
  std::string sent = client_.take();
  sent.back() = static_cast<char>(sent.back() ^ 1);
  EXPECT_EQ(stream_->receive(sent, input_), Progress::kFailed);
  EXPECT_TRUE(input_.empty());
  EXPECT_FALSE(taken().empty());
  EXPECT_EQ(stream_->seal("reply"), 0u);
}

TEST_F(TlsStreamTest, RenegotiationIsRefused) {
  client_.use_version(TLS1_2_VERSION);
  connect();
  client_.renegotiate();
  EXPECT_EQ(stream_->receive(client_.take(), input_), Progress::kGoesOn);
  client_.give(taken());
  client_.shake_hands();
  EXPECT_TRUE(client_.was_warned());
}

TEST_F(TlsStreamTest, AnIdleConnectionHoldsLittleAndGoesOn) {
  connect();
  client_.give(taken());
  EXPECT_EQ(stream_->seal(std::string(50'000, 'x')), 50'000u);
  client_.give(taken());
  const uint64_t busy = memory_.used();
  stream_->shrink();
  EXPECT_LE(memory_.used(), TlsStream::kObject + kIdleBuffer);
  EXPECT_GE(busy, memory_.used() + TlsStream::kLibraryBuffers + 50'000);
  client_.read();
  client_.write("request\n");
  EXPECT_EQ(stream_->receive(client_.take(), input_), Progress::kGoesOn);
  EXPECT_EQ(input_.view(), "request\n");
  EXPECT_EQ(stream_->seal("reply\n"), 6u);
  client_.give(taken());
  EXPECT_EQ(client_.read(), "reply\n");
  stream_.reset();
  EXPECT_EQ(memory_.used(), 0u);
}

TEST(TlsStreamMemory, WhenItIsShortRecordsAreShortAndNewConnectionsRefused) {
  OwnTls tls;
  ASSERT_TRUE(tls.make());
  Memory memory(4 * (TlsStream::kObject + TlsStream::kLibraryBuffers));
  TlsStream::create(tls.new_connection(), &memory);
  EXPECT_EQ(memory.used(), 0u);
  const auto first = TlsStream::create(tls.new_connection(), &memory);
  const auto second = TlsStream::create(tls.new_connection(), &memory);
  const auto third = TlsStream::create(tls.new_connection(), &memory);
  EXPECT_THROW(TlsStream::create(tls.new_connection(), &memory), MemoryRefused);
  TlsPeer client;
  Buffer input;
  for (int i = 0; i < 3; ++i) {
    client.shake_hands();
    first->hold(client.take());
    ASSERT_EQ(first->shake_hands(input), Progress::kGoesOn);
    client.give(std::string(first->records().view()));
    first->records().drop();
  }
  ASSERT_TRUE(first->established());
  EXPECT_EQ(first->seal(std::string(50'000, 'x')), 1024u);
}

}  // namespace
}  // namespace hs::net
