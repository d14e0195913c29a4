// TLS connections in an event loop.
#include <gtest/gtest.h>
#include <openssl/ssl.h>
#include <sys/socket.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "net/event_loop.h"
#include "testing/fixtures/own_tls.h"
#include "testing/fixtures/tls_peer.h"

namespace hs::net {
namespace {

// A client of the loop at the other end of a socket pair, or of a TCP connection.
class Client {
 public:
  explicit Client(FileDescriptor socket) : socket_(std::move(socket)) {}

  TlsPeer& tls() { return *tls_; }
  FileDescriptor& socket() { return socket_; }
  void send(std::string_view bytes) {
    EXPECT_EQ(::send(socket_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL),
              static_cast<ssize_t>(bytes.size()));
  }
  // Sends what its end of the TLS connection wants sent.
  void send() {
    const std::string bytes = tls_->take();
    if (!bytes.empty()) send(bytes);
  }
  // What is there, as it comes. At the end `ended` is true.
  std::string receive() {
    std::string bytes(1 << 20, '\0');
    const ssize_t size = ::recv(socket_.get(), bytes.data(), bytes.size(), MSG_DONTWAIT);
    ended = size == 0;
    bytes.resize(static_cast<size_t>(std::max<ssize_t>(size, 0)));
    return bytes;
  }
  void shake_hands() {
    tls_->give(receive());
    tls_->shake_hands();
    send();
  }

  bool ended = false;

 private:
  FileDescriptor socket_;
  std::unique_ptr<TlsPeer> tls_ = std::make_unique<TlsPeer>();
};

class ToldConnection final : public Connection {
 public:
  ToldConnection(Memory* memory, int* insecure) : Connection(memory), insecure_(insecure) {}

 private:
  void on_insecure() override { ++*insecure_; }
  int* const insecure_;
};

class TlsLoopTest : public ::testing::Test {
 protected:
  TlsLoopTest() {
    EXPECT_TRUE(tls_.make());
    EventLoop::Options options;
    options.tls = &tls_;
    options.idle_timeout_ms = 30'000;
    options.now_ms = [this] { return now_ms_; };
    options.now_ns = [this] { return now_ns_ += step_ns_; };
    loop_ = EventLoop::create(std::move(options));
  }

  Client connect(int buffer_size = 0) {
    int ends[2];
    EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends), 0);
    if (buffer_size != 0) {
      ::setsockopt(ends[1], SOL_SOCKET, SO_SNDBUF, &buffer_size, sizeof buffer_size);
    }
    Client client{FileDescriptor(ends[0])};
    adopt(FileDescriptor(ends[1]));
    return client;
  }
  void adopt(FileDescriptor socket) {
    Transport transport(std::move(socket));
    std::unique_ptr<Connection> connection = std::make_unique<ToldConnection>(&memory_, &insecure_);
    EXPECT_TRUE(loop_->adopt(connection, transport));
    EXPECT_TRUE(wait().empty());
  }

  std::vector<Connection*> wait() {
    std::vector<Connection*> ready;
    loop_->wait(std::chrono::milliseconds(0), ready);
    return ready;
  }
  std::vector<Connection*> round() {
    std::vector<Connection*> ready = wait();
    loop_->serve_strangers(ready);
    return ready;
  }
  void complete(Client& client) {
    for (int i = 0; i < 3; ++i) {
      client.shake_hands();
      EXPECT_TRUE(round().empty());
    }
    ASSERT_TRUE(client.tls().connected());
  }
  // The server's end of a client that is connected.
  Connection& find(Client& client) {
    client.tls().write("x");
    client.send();
    const std::vector<Connection*> ready = round();
    EXPECT_EQ(ready.size(), 1u);
    ready[0]->input().consume(1);
    return *ready[0];
  }

  int64_t now_ms_ = 1'000'000;
  int64_t now_ns_ = 0;
  int64_t step_ns_ = 1'000'000;  // how long each handshake seems to take
  int insecure_ = 0;
  Memory memory_{0};
  OwnTls tls_;
  std::unique_ptr<EventLoop> loop_;
};

TEST_F(TlsLoopTest, AConnectionIsPlainOrTlsByItsFirstByte) {
  Client plain = connect();
  plain.send("request\n");
  std::vector<Connection*> ready = round();
  ASSERT_EQ(ready.size(), 1u);
  EXPECT_EQ(ready[0]->transport().tls(), nullptr);
  EXPECT_EQ(ready[0]->input().view(), "request\n");
  Client client = connect();
  complete(client);
  Connection& connection = find(client);
  EXPECT_TRUE(connection.transport().is_secure());
  EXPECT_STREQ(connection.transport().tls()->version(), "TLSv1.3");
  EXPECT_EQ(loop_->counters().tls_accepts.get(), 1u);
  EXPECT_EQ(loop_->counters().tls_failed.get(), 0u);
}

TEST_F(TlsLoopTest, TheFirstByteMayComeAlone) {
  Client client = connect();
  client.tls().shake_hands();
  const std::string hello = client.tls().take();
  for (const char& byte : hello) {
    client.send({&byte, 1});
    EXPECT_TRUE(round().empty());
  }
  complete(client);
}

TEST_F(TlsLoopTest, AllOutputLeavesAsOneRecord) {
  Client client = connect();
  complete(client);
  Connection& connection = find(client);
  client.receive();
  connection.output().append("reply one\n");
  connection.output().append("reply two\n");
  loop_->send(connection);
  const std::string received = client.receive();
  EXPECT_EQ(records_in(received), 1u);
}

TEST_F(TlsLoopTest, OneRoundWorksOnFewHandshakesInTheOrderOfTheirBytes) {
  std::vector<Client> clients;
  for (int i = 0; i < 5; ++i) clients.push_back(connect());
  for (Client& client : clients) client.shake_hands();
  Client plain = connect();
  plain.send("request\n");
  std::string answered;
  const auto note = [&] {
    for (size_t i = 0; i < clients.size(); ++i) {
      if (!clients[i].receive().empty()) answered += std::to_string(i);
    }
  };
  ASSERT_EQ(round().size(), 1u);  // the plain one does not wait
  note();
  EXPECT_EQ(answered, "01");
  EXPECT_TRUE(loop_->strangers_wait());
  std::vector<Connection*> ready;
  loop_->serve_strangers(ready);
  note();
  EXPECT_EQ(answered, "0123");
  round();
  note();
  EXPECT_EQ(answered, "01234");
}

TEST_F(TlsLoopTest, AHandshakeThatIsNotFinishedInTimeIsClosed) {
  Client client = connect();
  client.send("\x16\x03");
  EXPECT_TRUE(round().empty());
  now_ms_ += 5000;
  client.send("\x01");  // gives it no more time
  round();
  now_ms_ += 4999;
  round();
  EXPECT_EQ(loop_->connections(), 1u);
  now_ms_ += 1;
  round();
  EXPECT_EQ(loop_->connections(), 0u);
  EXPECT_EQ(loop_->counters().tls_failed.get(), 1u);
  EXPECT_EQ(loop_->counters().login_timed_out.get(), 1u);
}

TEST_F(TlsLoopTest, AClientThatLeavesDuringItsHandshakeIsGoneAtOnce) {
  Client client = connect();
  client.shake_hands();
  round();
  client.socket().reset();
  round();
  round();
  EXPECT_EQ(loop_->connections(), 0u);
  EXPECT_EQ(loop_->counters().tls_failed.get(), 1u);
}

TEST_F(TlsLoopTest, AClientThatLeavesBeforeItsTurnIsGoneAtOnce) {
  step_ns_ = 10'000'000;  // one handshake in each round
  Client first = connect();
  Client second = connect();
  for (Client* client : {&first, &second}) client->shake_hands();
  round();
  second.socket().reset();
  wait();
  std::vector<Connection*> ready;
  loop_->serve_strangers(ready);
  EXPECT_EQ(loop_->connections(), 1u);
  EXPECT_EQ(loop_->counters().tls_failed.get(), 1u);
  EXPECT_FALSE(loop_->strangers_wait());
}

TEST_F(TlsLoopTest, WhatWaitsForItsTurnHoldsNoMemoryOfTheLibrary) {
  step_ns_ = 10'000'000;
  std::vector<Client> clients;
  for (int i = 0; i < 20; ++i) clients.push_back(connect());
  for (Client& client : clients) client.shake_hands();
  const uint64_t before = memory_.used();
  round();
  EXPECT_GT(memory_.used(), before);
  EXPECT_LT(memory_.used(), before + 2 * (TlsStream::kObject + TlsStream::kLibraryBuffers));
}

TEST_F(TlsLoopTest, WithoutTlsOnTheServerAClientGetsAnAlertAndTheEnd) {
  tls_.is_off = true;
  Client client = connect();
  client.shake_hands();
  EXPECT_TRUE(round().empty());
  round();
  EXPECT_EQ(client.receive(), std::string("\x15\x03\x01\x00\x02\x02\x28", 7));
  client.receive();
  EXPECT_TRUE(client.ended);
  EXPECT_EQ(loop_->counters().tls_failed.get(), 1u);
}

TEST_F(TlsLoopTest, GarbageInAConnectionEndsItWithAnAlert) {
  Client client = connect();
  complete(client);
  find(client);
  client.receive();
  client.send(std::string("\x17\x03\x03\x00\x20", 5) + std::string(32, 'x'));
  EXPECT_TRUE(round().empty());
  round();
  EXPECT_EQ(records_in(client.receive()), 1u);
  client.receive();
  EXPECT_TRUE(client.ended);
  EXPECT_EQ(loop_->counters().tls_failed.get(), 0u);  // it had got there
}

TEST_F(TlsLoopTest, OnlyPlainClientsOverTcpAreInsecure) {
  tls_.requires_secure = true;
  Client local = connect();
  local.send("request\n");
  EXPECT_EQ(round().size(), 1u);
  EXPECT_EQ(insecure_, 0);

  const FileDescriptor listening(::socket(AF_INET, SOCK_STREAM, 0));
  ASSERT_EQ(::listen(listening.get(), 1), 0);
  sockaddr_storage address{};
  socklen_t size = sizeof address;
  ::getsockname(listening.get(), reinterpret_cast<sockaddr*>(&address), &size);
  Client remote{FileDescriptor(::socket(AF_INET, SOCK_STREAM, 0))};
  ASSERT_EQ(::connect(remote.socket().get(), reinterpret_cast<sockaddr*>(&address), size), 0);
  adopt(FileDescriptor(::accept4(listening.get(), nullptr, nullptr, SOCK_NONBLOCK)));
  remote.send("request\n");
  EXPECT_EQ(round().size(), 1u);
  remote.send("request\n");
  EXPECT_EQ(round().size(), 1u);
  EXPECT_EQ(insecure_, 1);
}

TEST_F(TlsLoopTest, AClientThatDoesNotReadIsNotReadAndLaterGetsAll) {
  Client client = connect(4096);
  complete(client);
  Connection& connection = find(client);
  std::string reply;
  for (int i = 0; reply.size() < 1'000'000; ++i) reply += std::to_string(i);
  connection.output().append(reply);
  loop_->send(connection);
  ASSERT_TRUE(connection.over_high_water());
  EXPECT_LE(connection.transport().unsent(), TlsStream::kMostSealed + 1024);
  client.tls().write("request");
  client.send();
  std::vector<Connection*> ready = round();
  EXPECT_TRUE(connection.input().empty());
  std::string received;
  size_t reported = 0;
  while (received.size() < reply.size()) {
    client.tls().give(client.receive());
    received += client.tls().read();
    reported += round().size();
  }
  EXPECT_EQ(received, reply);
  EXPECT_EQ(reported, 2u);  // it takes input again, and there is some
  EXPECT_EQ(connection.input().view(), "request");
}

TEST_F(TlsLoopTest, AClientThatNeverReadsCannotMakeTheLibraryAnswerForEver) {
  Client client = connect(4096);
  client.tls().use_version(TLS1_2_VERSION);
  complete(client);
  const Connection& connection = find(client);
  client.tls().renegotiate();  // each is answered with a warning
  const std::string renegotiation = client.tls().take();
  EXPECT_FALSE(renegotiation.empty());
  client.send(renegotiation);
  round();
  EXPECT_LE(connection.transport().unsent(), Limits{}.max_buffered);
}

TEST_F(TlsLoopTest, AnEndIsSaidBehindTheLastReply) {
  Client client = connect();
  complete(client);
  client.tls().write("last");
  client.tls().end();
  client.send();
  const std::vector<Connection*> ready = round();
  ASSERT_EQ(ready.size(), 1u);
  EXPECT_EQ(ready[0]->input().view(), "last");
  EXPECT_TRUE(ready[0]->end_of_input());
  ready[0]->output().append("reply");
  loop_->send(*ready[0]);
  loop_->finish(*ready[0]);
  client.tls().give(client.receive());
  EXPECT_EQ(client.tls().read(), "reply");
  EXPECT_TRUE(client.tls().at_end());
  client.receive();
  EXPECT_TRUE(client.ended);
}

TEST_F(TlsLoopTest, AnIdleConnectionIsEndedInAnOrderlyWay) {
  Client client = connect();
  complete(client);
  now_ms_ += 31'000;
  round();
  now_ms_ += 31'000;
  round();
  client.tls().give(client.receive());
  client.tls().read();
  EXPECT_TRUE(client.tls().at_end());
  EXPECT_EQ(loop_->connections(), 0u);
}

TEST_F(TlsLoopTest, AQuietConnectionHoldsLittleAndNothingIsLeftOfThem) {
  Client client = connect();
  complete(client);
  Connection& connection = find(client);
  connection.output().append(std::string(100'000, 'x'));
  loop_->send(connection);
  const uint64_t busy = memory_.used();
  for (std::string some; !(some = client.receive()).empty();) round();
  now_ms_ += 2000;
  round();
  EXPECT_LE(memory_.used(), TlsStream::kObject + 3 * kIdleBuffer);
  EXPECT_GT(busy, TlsStream::kObject + TlsStream::kLibraryBuffers);
  loop_.reset();
  EXPECT_EQ(memory_.used(), 0u);
}

// As a reply that is sent while its scan goes on, on the thread of that scan.
TEST_F(TlsLoopTest, ADetachedConnectionIsPushedAndGoesOnLater) {
  Client client = connect(4096);
  complete(client);
  Connection& connection = find(client);
  client.tls().give(client.receive());
  std::string reply;
  for (int i = 0; reply.size() < 300'000; ++i) reply += std::to_string(i);
  std::string received;
  loop_->detach(connection);
  connection.output().append(reply);
  for (int i = 0; i < 3; ++i) {
    EXPECT_TRUE(EventLoop::push(connection, 0));
    client.tls().give(client.receive());
    received += client.tls().read();
  }
  loop_->attach(connection);
  loop_->send(connection);
  while (received.size() < reply.size()) {
    client.tls().give(client.receive());
    received += client.tls().read();
    round();
  }
  EXPECT_EQ(received, reply);
}

}  // namespace
}  // namespace hs::net
