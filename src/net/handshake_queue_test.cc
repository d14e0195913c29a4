#include "net/handshake_queue.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <memory>
#include <vector>

#include "net/event_loop.h"

namespace hs::net {
namespace {

class HandshakeQueueTest : public ::testing::Test {
 protected:
  HandshakeQueueTest() : listening_(::socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address = of("127.0.0.1", 0);
    EXPECT_EQ(::bind(listening_.get(), reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
    EXPECT_EQ(::listen(listening_.get(), 100), 0);
  }

  // The server's end of a connection of that host. It has sent a byte.
  Connection& connect(const char* host) {
    sockaddr_in server{};
    socklen_t size = sizeof server;
    ::getsockname(listening_.get(), reinterpret_cast<sockaddr*>(&server), &size);
    clients_.emplace_back(::socket(AF_INET, SOCK_STREAM, 0));
    sockaddr_in own = of(host, 0);
    EXPECT_EQ(::bind(clients_.back().get(), reinterpret_cast<sockaddr*>(&own), sizeof own), 0);
    EXPECT_EQ(::connect(clients_.back().get(), reinterpret_cast<sockaddr*>(&server), size), 0);
    EXPECT_EQ(::send(clients_.back().get(), "x", 1, 0), 1);
    Transport transport{
        FileDescriptor(::accept4(listening_.get(), nullptr, nullptr, SOCK_NONBLOCK))};
    std::unique_ptr<Connection> connection = std::make_unique<Connection>();
    Connection* const made = connection.get();
    EXPECT_TRUE(loop_->adopt(connection, transport));
    std::vector<Connection*> ready;
    loop_->wait(std::chrono::nanoseconds(0), ready);
    return *made;
  }
  static sockaddr_in of(const char* host, uint16_t port) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = ::inet_addr(host);
    return address;
  }
  // How many turns pass before that one has its own.
  size_t turn_of(const Connection& connection) {
    size_t turn = 0;
    while (&queue_.take() != &connection) ++turn;
    return turn;
  }

  FileDescriptor listening_;
  std::vector<FileDescriptor> clients_;
  std::unique_ptr<EventLoop> loop_ = EventLoop::create({});
  HandshakeQueue queue_{1};
};

TEST_F(HandshakeQueueTest, ManyHandshakesOfOneHostDelayThatOfAnotherByOne) {
  for (int i = 0; i < 50; ++i) queue_.add(connect("127.0.0.2"), false);
  Connection& other = connect("127.0.0.3");
  queue_.add(other, false);
  EXPECT_LE(turn_of(other), 1u);
  EXPECT_FALSE(queue_.empty());
}

TEST_F(HandshakeQueueTest, OfOneHostThoseGoFirstThatHaveBegun) {
  Connection& first = connect("127.0.0.2");
  Connection& second = connect("127.0.0.2");
  Connection& third = connect("127.0.0.2");
  queue_.add(first, false);
  queue_.add(second, false);
  queue_.add(third, true);
  EXPECT_EQ(&queue_.take(), &third);
  EXPECT_EQ(&queue_.take(), &first);
  EXPECT_EQ(&queue_.take(), &second);
  EXPECT_TRUE(queue_.empty());
}

TEST_F(HandshakeQueueTest, WhatIsAddedTwiceHasOneTurnAndWhatIsRemovedHasNone) {
  Connection& first = connect("127.0.0.2");
  Connection& second = connect("127.0.0.2");
  for (Connection* connection : {&first, &first, &second, &second}) {
    queue_.add(*connection, false);
  }
  queue_.remove(first);
  queue_.remove(first);
  EXPECT_FALSE(HandshakeQueue::waits(first));
  EXPECT_EQ(&queue_.take(), &second);
  EXPECT_TRUE(queue_.empty());
}

}  // namespace
}  // namespace hs::net
