#include <sys/resource.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "testing/fixtures/server_fixture.h"

namespace hs::server {
namespace {

TEST_F(ServerTest, ServesBothPorts) {
  start();
  TestClient write = writer();
  EXPECT_EQ(write.ask(kOpen), "0\t1");
  EXPECT_EQ(write.ask("1\t+\t2\t5\tfive\n"), "0\t1");
  TestClient read = reader();
  EXPECT_EQ(read.ask(kOpen), "0\t1");
  EXPECT_EQ(read.ask("1\t=\t1\t5\r\n"), "0\t2\t5\tfive");
  EXPECT_EQ(read.ask("1\t+\t2\t6\tsix\n"), "2\t1\treadonly");
  EXPECT_EQ(read.ask("X\n"), "2\t1\tcmd");
  const Statistics sum = server_->statistics();
  EXPECT_EQ(sum.connections_accepted, 2u);
  EXPECT_EQ(sum.connections_open, 2u);
  EXPECT_GT(sum.bytes_received, 50u);
  EXPECT_GT(sum.bytes_sent, 30u);
  EXPECT_TRUE(was_logged("listening for reads on port " + std::to_string(read_port()) +
                         " on 127.0.0.1, threads: 2\n"));
}

TEST_F(ServerTest, RequestsThatComeByteByByteAndPipelinedGetTheirRepliesInOrder) {
  start();
  TestClient client = writer();
  for (char byte : kOpen) ASSERT_TRUE(client.send({&byte, 1}));
  EXPECT_EQ(client.line(), "0\t1");
  std::string requests;
  for (int i = 0; i < 10'000; ++i) {
    const std::string key = std::to_string(i);
    requests += "1\t+\t2\t" + key + "\tv\n1\t=\t1\t" + key + "\n";
  }
  std::thread sender([&] { client.send(requests); });
  for (int i = 0; i < 10'000; ++i) {
    ASSERT_EQ(client.line(), "0\t1");
    ASSERT_EQ(client.line(), "0\t2\t" + std::to_string(i) + "\tv");
  }
  sender.join();
}

TEST_F(ServerTest, RequestsOfSeveralConnectionsAreOneBatch) {
  config_.write_threads = 1;
  engine_.close_gate();
  start();
  std::vector<TestClient> clients;
  for (int i = 0; i < 20; ++i) {
    clients.push_back(writer());
    clients.back().send(std::string(kOpen) + "1\t+\t2\t" + std::to_string(i) + "\tv\n");
  }
  await_accepted(20);
  engine_.open_gate(true);
  for (TestClient& client : clients) {
    EXPECT_EQ(client.line(), "0\t1");
    EXPECT_EQ(client.line(), "0\t1");
  }
  EXPECT_EQ(server_->statistics().batches, 1u);
  EXPECT_EQ(server_->statistics().requests, 40u);
}

TEST_F(ServerTest, HalfClosedClientsGetAllRepliesAndThenTheEnd) {
  start();
  TestClient client = writer();
  client.send(std::string(kOpen) + "1\t+\t2\t1\tone\n1\t=\t1\t1\n1\t=\t1\t1");
  client.end_output();
  EXPECT_EQ(client.line(), "0\t1");
  EXPECT_EQ(client.line(), "0\t1");
  EXPECT_EQ(client.line(), "0\t2\t1\tone");
  EXPECT_EQ(client.line(), "EOF");
  await_open(0);
}

TEST_F(ServerTest, AClientThatReadsLateGetsAllAndHoldsUpNoOther) {
  config_.write_threads = 1;
  start();
  TestClient slow = writer();
  ASSERT_EQ(slow.ask(kOpen), "0\t1");
  const std::string value(50'000, 'v');
  ASSERT_EQ(slow.ask("1\t+\t2\t1\t" + value + "\n"), "0\t1");
  constexpr int kRequests = 2000;  // 100 MB of replies
  std::thread sender([&] {
    for (int i = 0; i < kRequests; ++i) slow.send("1\t=\t1\t1\n");
  });
  TestClient other = writer();
  EXPECT_EQ(other.ask(kOpen), "0\t1");
  sender.join();
  EXPECT_EQ(other.ask("1\t=\t1\t2\n"), "0\t2");
  EXPECT_LT(server_->statistics().bytes_sent, 50'000u * kRequests);
  for (int i = 0; i < kRequests; ++i) ASSERT_EQ(slow.line(), "0\t2\t1\t" + value);
}

// Several clients send more than one batch takes, all the time.
TEST_F(ServerTest, AConnectionThatWaitsForItsTurnKeepsItsPlaceAndIsNotReadMeanwhile) {
  constexpr size_t kClients = 3, kRequests = 50'000;
  constexpr std::string_view kRequest = "1\t=\t1\t1\n";
  config_.read_threads = 1;
  start();
  std::string requests;
  for (size_t i = 0; i < kRequests; ++i) requests += kRequest;
  std::vector<TestClient> clients;
  for (size_t i = 0; i < kClients; ++i) {
    clients.push_back(reader());
    ASSERT_EQ(clients.back().ask(kOpen), "0\t1");
  }
  std::vector<std::thread> senders;
  for (TestClient& client : clients) senders.emplace_back([&] { client.send(requests); });
  constexpr uint64_t kAll = kClients * (kRequests + 1);
  uint64_t most_unread = 0, done = 0;
  while (done < kAll) {
    const uint64_t received = server_->statistics().bytes_received;
    done = server_->statistics().requests;
    const uint64_t used = done * kRequest.size();
    if (received > used) most_unread = std::max(most_unread, received - used);
  }
  for (std::thread& sender : senders) sender.join();
  // One read of each connection, the batch that runs, and the lines that opened the index.
  EXPECT_LE(most_unread, kClients * (kReadSize + 1000) + 1024 * kRequest.size());
  for (TestClient& client : clients) {
    for (size_t i = 0; i < kRequests; ++i) ASSERT_EQ(client.line(), "0\t2");
  }
}

TEST_F(ServerTest, ALineWithoutEndIsAnsweredAndTheConnectionClosed) {
  config_.limits.max_request_size = 100'000;
  start();
  TestClient client = writer();
  EXPECT_TRUE(client.send(std::string(kOpen) + std::string(1'000'000, 'x')));
  EXPECT_EQ(client.line(), "0\t1");
  EXPECT_EQ(client.line(), "2\t1\trequest_too_long");
  EXPECT_EQ(client.line(), "EOF");
}

TEST_F(ServerTest, WhatABrowserSendsClosesTheConnectionAndIsLoggedOnce) {
  start();
  for (int i = 0; i < 3; ++i) {
    TestClient browser = writer();
    EXPECT_TRUE(browser.send("POST / HTTP/1.1\r\nHost: localhost\r\n\r\n" + std::string(kOpen) +
                             "1\t+\t2\t1\tx\n"));
    EXPECT_EQ(browser.line(), "EOF");
  }
  EXPECT_TRUE(fake_.rows("d", "t").empty());
  EXPECT_EQ(server_->statistics().connections_foreign, 3u);
  EXPECT_EQ(server_->statistics().requests, 0u);
  EXPECT_EQ(times_logged("a connection from 127.0.0.1:"), 1u);
  EXPECT_EQ(writer().ask(kOpen), "0\t1");
}

TEST_F(ServerTest, ConnectionsAreSpreadEvenly) {
  config_.write_threads = 4;
  engine_.close_gate();
  start();
  std::vector<TestClient> clients;
  for (int i = 0; i < 20; ++i) {
    clients.push_back(writer());
    clients.back().send("\n");
  }
  await_accepted(20);
  engine_.open_gate(true);
  for (TestClient& client : clients) EXPECT_EQ(client.line(), "2\t1\tcmd");
  EXPECT_EQ(server_->statistics().batches, 4u);  // one for each reactor
}

TEST_F(ServerTest, ConnectionsAboveTheLimitAreToldSo) {
  config_.limits.max_connections = 2;
  start();
  TestClient first = reader();
  TestClient second = reader();
  await_accepted(2);
  TestClient third = reader();
  EXPECT_EQ(third.line(), "1\t1\ttoo_many_connections");
  EXPECT_EQ(third.line(), "EOF");
  EXPECT_EQ(server_->statistics().connections_refused, 1u);
  TestClient on_the_other_port = writer();
  EXPECT_EQ(on_the_other_port.ask("\n"), "2\t1\tcmd");
  first.end_output();
  EXPECT_EQ(first.line(), "EOF");
  await_open(2);
  TestClient again = reader();
  EXPECT_EQ(again.ask("\n"), "2\t1\tcmd");
}

TEST_F(ServerTest, ThePortsLeaveDescriptorsToTheDatabase) {
  rlimit before;
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
  const rlimit low{400, before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &low), 0);
  engine_.wanted = 1000;
  start();
  EXPECT_TRUE(
      was_logged("all ports together take 184 connections instead of 40000 "
                 "(handlersocket_max_connections): the process may open 400 files, and 200 "
                 "of them are for the database (open_files_limit)"));
  // Both ends of each connection are in this process.
  std::vector<TestClient> clients;
  for (int i = 0; server_->statistics().connections_refused == 0 && i < 184; ++i) {
    clients.push_back(i % 2 == 0 ? reader() : writer());
    await_answered(clients.size());
  }
  EXPECT_EQ(clients.back().line(), "1\t1\ttoo_many_connections");
  EXPECT_EQ(clients.back().line(), "EOF");
  EXPECT_EQ(clients.front().ask("\n"), "2\t1\tcmd");
  std::vector<net::FileDescriptor> of_the_database;
  for (int i = 0; i < 45; ++i) {
    of_the_database.emplace_back(::dup(0));
    EXPECT_TRUE(of_the_database.back());
  }
  EXPECT_EQ(times_logged("connections are refused: the process may open 400 files"), 1u);
  of_the_database.clear();
  clients.clear();
  await_open(0);
  EXPECT_EQ(reader().ask("\n"), "2\t1\tcmd");
  ::setrlimit(RLIMIT_NOFILE, &before);
}

// Waits until one of them has something to read.
TestClient& any_with_reply(std::vector<TestClient>& clients) {
  for (;;) {
    for (TestClient& client : clients) {
      if (client.has_reply()) return client;
    }
    std::this_thread::yield();
  }
}

TEST_F(ServerTest, AClientThatTakesTooMuchMemoryIsToldSoAndTheOthersGoOn) {
  constexpr size_t kMemory = 8u << 20;
  config_.limits.max_memory = kMemory;
  start();
  TestClient other = writer();
  EXPECT_EQ(other.ask(kOpen), "0\t1");
  std::vector<TestClient> greedy;
  const std::string unfinished(1u << 20, 'x');
  for (int i = 0; i < 20; ++i) {
    greedy.push_back(i % 2 == 0 ? reader() : writer());
    EXPECT_EQ(greedy.back().ask(kOpen), "0\t1");
    (void)greedy.back().send(unfinished);  // may be closed before all of it is sent
    EXPECT_LE(server_->statistics().memory, kMemory + 64 * kIdleBuffer);
  }
  EXPECT_EQ(other.ask("1\t+\t2\t7\tx\n"), "0\t1");
  // All of them together want more than there is, whichever they are that get it.
  TestClient& refused = any_with_reply(greedy);
  EXPECT_EQ(refused.line(), "1\t1\tmax_memory");
  EXPECT_EQ(refused.line(), "EOF");
  EXPECT_GT(server_->statistics().memory, unfinished.size());
  greedy.clear();
  await_open(1);
  while (server_->statistics().memory > unfinished.size()) std::this_thread::yield();
}

TEST_F(ServerTest, UnknownClientsLeaveHalfOfTheMemoryToTheOthers) {
  constexpr size_t kMemory = 2u << 20;
  config_.limits.max_memory = kMemory;
  write_.authentication.secret = "secret";
  start();
  std::vector<TestClient> unknown;
  for (int i = 0; i < 60; ++i) {
    unknown.push_back(writer());
    (void)unknown.back().send(std::string(60'000, 'x'));
  }
  EXPECT_EQ(any_with_reply(unknown).line(), "1\t1\tmax_memory");
  EXPECT_LE(server_->statistics().memory, kMemory / 2 + 128 * kIdleBuffer);
  TestClient client = writer();
  EXPECT_EQ(client.ask("A\t1\tsecret\n"), "0\t1");
  EXPECT_EQ(client.ask(kOpen), "0\t1");
  EXPECT_EQ(client.ask("1\t+\t2\t1\t" + std::string(100'000, 'v') + "\n"), "0\t1");
}

TEST_F(ServerTest, TheSecretOfThePortIsAsked) {
  read_.authentication.secret = "open sesame";
  start();
  TestClient read = reader();
  EXPECT_EQ(read.ask(kOpen), "3\t1\tunauth");
  EXPECT_EQ(read.ask("A\t1\topen sesame\n"), "0\t1");
  EXPECT_EQ(read.ask(kOpen), "0\t1");
  TestClient write = writer();
  EXPECT_EQ(write.ask(kOpen), "0\t1");
}

TEST_F(ServerTest, StopUnderTrafficEndsEveryClient) {
  start();
  std::atomic<uint64_t> answered{0};
  std::vector<TestClient> clients;
  for (int i = 0; i < 8; ++i) {
    clients.push_back(i % 2 == 0 ? reader() : writer());
    ASSERT_EQ(clients.back().ask(kOpen), "0\t1");  // each is there before the server stops
  }
  std::vector<std::thread> threads;
  for (TestClient& client : clients) {
    threads.emplace_back([&] {
      for (;;) {
        if (!client.send("1\t=\t1\t1\n1\t=\t1\t2\n")) return;
        const std::string line = client.line();
        if (line != "0\t2") return;
        ++answered;
      }
    });
  }
  while (answered < 1000) std::this_thread::yield();
  server_->stop();
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(server_->statistics().connections_open, 0u);
  EXPECT_FALSE(reader().connected());
  server_->stop();
}

TEST_F(ServerTest, ASessionThatIsToldToStopEndsItsClientsByItself) {
  start();
  TestClient idle = writer();
  ASSERT_EQ(idle.ask(kOpen), "0\t1");
  await_accepted(1);
  faulty_.stop();
  EXPECT_EQ(idle.line(), "EOF");
  await_open(0);
  TestClient late = writer();
  EXPECT_NE(late.line(), "0\t1");  // turned away or reset, not left waiting
}

TEST_F(ServerTest, WithoutASessionClientsAreTurnedAwayAndTheLogSaysWhy) {
  faulty_.refuse_sessions();
  start();
  TestClient client = reader();
  const std::string line = client.ask("\n");
  EXPECT_TRUE(line == "EOF" || line == "ERROR") << line;
  server_->stop();
  EXPECT_TRUE(was_logged(": cannot serve: the database made no session for it"));
}

TEST_F(ServerTest, NoClientIsServedBeforeTheDatabaseIsReady) {
  engine_.close_gate();
  start();
  TestClient client = reader();
  client.send("\n");
  await_accepted(1);
  EXPECT_EQ(server_->statistics().bytes_received, 0u);
  EXPECT_TRUE(engine_.sessions().empty());
  engine_.open_gate(true);
  EXPECT_EQ(client.line(), "2\t1\tcmd");
}

TEST_F(ServerTest, ADatabaseThatWillNeverBeReadyEndsTheServer) {
  engine_.close_gate();
  start();
  TestClient client = reader();
  await_accepted(1);
  engine_.open_gate(false);
  EXPECT_EQ(client.line(), "EOF");
  server_->stop();
  EXPECT_TRUE(engine_.sessions().empty());
}

TEST_F(ServerTest, TablesAreGivenBackOnceWhenTrafficEnds) {
  config_.write_threads = 1;
  start();
  TestClient client = writer();
  for (int quiet = 1; quiet <= 3; ++quiet) {
    EXPECT_EQ(client.ask("\n"), "2\t1\tcmd");
    while (engine_.released < quiet) std::this_thread::yield();
    EXPECT_EQ(engine_.released, quiet);
    EXPECT_GE(engine_.held, quiet);
  }
}

TEST_F(ServerTest, ThreadsAreNamedAndTakeNoSignals) {
  config_.read_threads = 1;
  config_.write_threads = 1;
  start();
  EXPECT_EQ(reader().ask("\n"), "2\t1\tcmd");
  EXPECT_EQ(writer().ask("\n"), "2\t1\tcmd");
  std::vector<std::string> names;
  do {
    names = engine_.sessions();
  } while (names.size() < 4);
  std::sort(names.begin(), names.end());
  EXPECT_EQ(names, (std::vector<std::string>{"hs-rd-0", "hs-rd-1", "hs-wr-0", "hs-wr-1"}));
  EXPECT_TRUE(engine_.signals_were_blocked());
  sigset_t mask;
  ::pthread_sigmask(SIG_BLOCK, nullptr, &mask);
  EXPECT_FALSE(::sigismember(&mask, SIGTERM));  // the mask of this thread is as before
}

TEST_F(ServerTest, APortInUseIsSaidAndNothingIsStarted) {
  start();
  write_.port = std::to_string(read_port());
  EXPECT_EQ(start_error(),
            "port " + write_.port + " on 127.0.0.1 is in use (handlersocket_port_wr)");
  read_.port = write_.port;
  write_.port = "";
  EXPECT_EQ(start_error(), "port " + read_.port + " on 127.0.0.1 is in use (handlersocket_port)");
}

TEST_F(ServerTest, WrongSettingsAreSaid) {
  read_.port = write_.port = "9998";
  EXPECT_EQ(start_error(), "handlersocket_port and handlersocket_port_wr are the same: 9998");
  read_.port = "70000";
  EXPECT_EQ(start_error(), "the port 70000 is not in the range 0 to 65535 (handlersocket_port)");
  read_.port = "0";
  write_.port = "no-such-service";
  EXPECT_EQ(start_error(),
            "'no-such-service' is neither a port number nor the name of a service "
            "(handlersocket_port_wr)");
  write_.port = "0";
  config_.write_threads = 3001;
  EXPECT_EQ(start_error(), "handlersocket_threads_wr is 3001, not in the range 1 to 3000");
  config_.write_threads = 0;
  EXPECT_EQ(start_error(), "handlersocket_threads_wr is 0, not in the range 1 to 3000");
  config_.write_threads = 1;
  read_.address = write_.address = "256.256.256.256";
  const std::string error = start_error();
  EXPECT_EQ(error.find("cannot resolve the address '256.256.256.256': "), 0u) << error;
  EXPECT_NE(error.find("(handlersocket_address)"), std::string::npos) << error;
}

TEST_F(ServerTest, AnAddressThatOtherMachinesReachNeedsASecretOrInsistence) {
  write_.address = "0.0.0.0";
  const std::string error = start_error();
  EXPECT_EQ(error.find("port 0 on 0.0.0.0 can be reached from other machines and asks its clients "
                       "for no secret: set handlersocket_plain_secret_file, or "
                       "handlersocket_allow_unauthenticated = 1"),
            0u)
      << error;
  EXPECT_NE(error.find("(handlersocket_address)"), std::string::npos) << error;
  write_.authentication.secret = "secret";
  EXPECT_EQ(start_error(), "none");
  write_.authentication.secret = "";
  write_.allow_unauthenticated = true;
  EXPECT_EQ(start_error(), "none");
}

TEST_F(ServerTest, AnEmptyPortIsOff) {
  write_.port = "";
  start();
  EXPECT_EQ(write_port(), 0);
  EXPECT_EQ(reader().ask("\n"), "2\t1\tcmd");
  EXPECT_TRUE(was_logged("not listening for reads and writes: handlersocket_port_wr is empty"));
}

TEST_F(ServerTest, ServesUnixSockets) {
  const std::string directory = make_directory();
  read_.address = write_.address = "/";
  read_.port = directory + "/read";
  write_.port = directory + "/write";
  start();
  TestClient client = TestClient::unix_socket(write_.port);
  EXPECT_EQ(client.ask(kOpen), "0\t1");
  EXPECT_EQ(read_port(), 0);
  server_->stop();
  EXPECT_EQ(client.line(), "EOF");
  EXPECT_TRUE(std::filesystem::is_empty(directory));
  std::filesystem::remove_all(directory);
}

TEST_F(ServerTest, AClientThatVanishesLosesNothingOfABatch) {
  const std::string directory = make_directory();
  read_.address = write_.address = "/";
  read_.port = "";
  write_.port = directory + "/write";
  engine_.close_gate();
  start();
  {
    TestClient client = TestClient::unix_socket(write_.port);
    std::string requests(kOpen);
    for (int i = 0; i < 1500; ++i) requests += "1\t+\t2\t" + std::to_string(i) + "\tv\n";
    ASSERT_TRUE(client.send(requests));
    await_accepted(1);
  }
  engine_.open_gate(true);
  await_open(0);
  server_->stop();
  // All rows of the first batch. Its replies cannot be delivered, so there is no second one.
  EXPECT_EQ(fake_.rows("d", "t").size(), 1023u);
  std::filesystem::remove_all(directory);
}

}  // namespace
}  // namespace hs::server
