// Transactions that clients begin and end, on real sockets over the fake engine.
#include "server/transactions.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "testing/fixtures/server_fixture.h"

namespace hs::server {
namespace {

using testing::Call;

// One reactor on each port: a thread that waited would stop every client.
class TransactionsTest : public ServerTest {
 protected:
  using Wait = engine::SessionEvents::Wait;

  TransactionsTest() {
    config_.read_threads = config_.write_threads = 1;
    for (const char* key : {"1", "2", "3"}) fake_.add_row("d", "t", {key, std::string("v") + key});
  }
  ~TransactionsTest() override { faulty_.let_go(); }

  static TestClient opened(TestClient client) {
    EXPECT_EQ(client.ask(kOpen), "0\t1");
    return client;
  }
  // All lines in one piece, and all replies with blanks between them.
  static std::string ask(TestClient& client, const std::vector<std::string>& lines) {
    std::string bytes;
    for (const std::string& line : lines) bytes += line + "\n";
    EXPECT_TRUE(client.send(bytes));
    std::string replies;
    for (size_t i = 0; i < lines.size(); ++i) replies += (i == 0 ? "" : " | ") + client.line();
    return replies;
  }
  static std::string insert(int key) { return "1\t+\t2\t" + std::to_string(key) + "\tx"; }
  static std::string update(int key, const std::string& value) {
    return "1\t=\t1\t" + std::to_string(key) + "\t1\t0\tU\t" + std::to_string(key) + "\t" + value;
  }
  static std::string find(int key) { return "1\t=\t1\t" + std::to_string(key); }
  std::vector<std::string> rows() const { return fake_.rows("d", "t"); }
  void await_open_transactions(uint64_t number) {
    while (server_->statistics().transactions_open != number) std::this_thread::yield();
  }
  void await_lost(uint64_t number) {
    while (server_->statistics().transactions_lost != number) std::this_thread::yield();
  }
  using Rows = std::vector<std::string>;
};

TEST_F(TransactionsTest, AWholeTransactionIsOneRoundTrip) {
  start();
  TestClient client = opened(writer());
  EXPECT_EQ(ask(client, {"T\tB", find(1), update(1, "new"), find(1), insert(4), "T\tC", find(4)}),
            "0\t1 | 0\t2\t1\tv1 | 0\t1\t1 | 0\t2\t1\tnew | 0\t1 | 0\t1 | 0\t2\t4\tx");
  EXPECT_EQ(rows(), (Rows{"1,new", "2,v2", "3,v3", "4,x"}));
  const Statistics now = server_->statistics();
  EXPECT_EQ(now.transactions_begun, 1u);
  EXPECT_EQ(now.transactions_committed, 1u);
  EXPECT_EQ(now.transactions_open, 0u);
}

TEST_F(TransactionsTest, ARollbackUndoesEverything) {
  start();
  TestClient client = opened(writer());
  EXPECT_EQ(ask(client, {"T\tB\tRC", update(1, "new"), insert(4)}), "0\t1 | 0\t1\t1 | 0\t1");
  EXPECT_EQ(rows().size(), 4u);
  EXPECT_EQ(ask(client, {"T\tR", find(4)}), "0\t1 | 0\t2");
  EXPECT_EQ(rows(), (Rows{"1,v1", "2,v2", "3,v3"}));
  EXPECT_EQ(server_->statistics().transactions_rolled_back, 1u);
}

TEST_F(TransactionsTest, OneRequestsFailureIsUndoneAlone) {
  start();
  TestClient client = opened(writer());
  EXPECT_EQ(ask(client, {"T\tB", insert(4), insert(1), "nonsense", find(4), "T\tC"}),
            "0\t1 | 0\t1 | 1\t1\t121 | 2\t1\tcmd | 0\t2\t4\tx | 0\t1");
  EXPECT_EQ(rows(), (Rows{"1,v1", "2,v2", "3,v3", "4,x"}));
}

TEST_F(TransactionsTest, SavepointsAreNamedWithoutCaseAndReplaced) {
  start();
  TestClient client = opened(writer());
  EXPECT_EQ(ask(client, {"T\tB", insert(4), "T\tS\ta", insert(5), "T\tS\tb", insert(6), "T\tU\tA",
                         "T\tU\tb", insert(7), "T\tS\tA", insert(8), "T\tU\ta", "T\tC"}),
            "0\t1 | 0\t1 | 0\t1 | 0\t1 | 0\t1 | 0\t1 | 0\t1 | "
            "1\t1\tsql_1305 SAVEPOINT b does not exist | 0\t1 | 0\t1 | 0\t1 | 0\t1 | 0\t1");
  EXPECT_EQ(rows(), (Rows{"1,v1", "2,v2", "3,v3", "4,x", "7,x"}));
}

TEST_F(TransactionsTest, SavepointsAndTheirNamesAreBounded) {
  start();
  TestClient client = opened(writer());
  const std::string longest(engine::kMaxSavepointName, 'n');
  EXPECT_EQ(ask(client, {"T\tB", "T\tS\t" + longest, "T\tS\t" + longest + "n", "T\tR"}),
            "0\t1 | 0\t1 | 1\t1\tsql_1059 Identifier name is too long | 0\t1");
  ASSERT_EQ(client.ask("T\tB\n"), "0\t1");
  for (size_t i = 0; i < engine::kMaxSavepoints; ++i) {
    ASSERT_EQ(client.ask("T\tS\ts" + std::to_string(i) + "\n"), "0\t1");
  }
  EXPECT_EQ(client.ask("T\tS\tmore\n"), "2\t1\ttoo_many_savepoints");
  EXPECT_EQ(client.ask("T\tS\ts0\n"), "0\t1");
}

TEST_F(TransactionsTest, WhatHasNoPlaceInOrOutsideATransactionIsRefused) {
  start();
  TestClient client = opened(writer());
  EXPECT_EQ(ask(client, {"T\tC", "T\tR", "T\tS\ta", "T\tU\ta", find(1)}),
            "2\t1\tno_transaction | 2\t1\tno_transaction | 2\t1\tno_transaction | "
            "2\t1\tno_transaction | 0\t2\t1\tv1");
  EXPECT_EQ(ask(client, {"T\tB", insert(4), "T\tB", "A\t1\t", find(4), "T\tC"}),
            "0\t1 | 0\t1 | 2\t1\tin_transaction | 2\t1\tin_transaction | 0\t2\t4\tx | 0\t1");
}

TEST_F(TransactionsTest, AReplyOutsideOfOneOutlivesACommitThatFails) {
  start();
  TestClient client = opened(writer());
  faulty_.fail(Call::kCommit, 1, Error::engine(150));
  EXPECT_EQ(ask(client, {insert(4), "T\tC", insert(5), find(5)}),
            "1\t1\t150 | 2\t1\tno_transaction | 0\t1 | 0\t2\t5\tx");
}

TEST_F(TransactionsTest, AReplyInsideOutlivesThatAnotherRequestIsExecutedAgain) {
  start();
  TestClient client = opened(writer());
  const std::string hello = client.ask("H\t2\n");
  faulty_.lose_transaction(Call::kCommit, 1);
  EXPECT_EQ(ask(client, {"T\tB", "H\t2", find(1), "H\t2", "T\tR"}),
            "0\t1 | " + hello + " | 0\t2\t1\tv1 | " + hello + " | 0\t1");
}

TEST_F(TransactionsTest, IndexesAreOpenedAndTablesDescribedInside) {
  start();
  TestClient client = opened(writer());
  EXPECT_EQ(ask(client, {"T\tB", insert(4), "P\t2\td\tt\tPRIMARY\tv", "2\t=\t1\t4", "D\td", "T\tR",
                         "2\t=\t1\t1"}),
            "0\t1 | 0\t1 | 0\t1 | 0\t1\tx | 0\t2\tt\t | 0\t1 | 0\t1\tv1");
}

TEST_F(TransactionsTest, TheReadPortTakesOnlyThoseThatRead) {
  start();
  TestClient client = opened(reader());
  EXPECT_EQ(ask(client, {"T\tB", "T\tR", "T\tB\tRR\tRO", find(1), insert(4), "T\tC", find(1)}),
            "2\t1\treadonly | 0\t1 | 0\t1 | 0\t2\t1\tv1 | 2\t1\treadonly | 0\t1 | "
            "0\t2\t1\tv1");
  TestClient other = opened(writer());
  EXPECT_EQ(ask(other, {"T\tB\tRO", find(1), insert(4), update(1, "new"), "T\tC"}),
            "0\t1 | 0\t2\t1\tv1 | 2\t1\treadonly | 2\t1\treadonly | 0\t1");
  EXPECT_EQ(rows(), (Rows{"1,v1", "2,v2", "3,v3"}));
}

TEST_F(TransactionsTest, AConnectionThatGoesIsRolledBack) {
  start();
  {
    TestClient client = opened(writer());
    EXPECT_EQ(ask(client, {"T\tB", insert(4)}), "0\t1 | 0\t1");
    EXPECT_EQ(server_->statistics().transactions_open, 1u);
  }
  await_open_transactions(0);
  EXPECT_EQ(rows(), (Rows{"1,v1", "2,v2", "3,v3"}));
  EXPECT_EQ(server_->statistics().transactions_rolled_back, 1u);
}

TEST_F(TransactionsTest, AConnectionThatIsKilledIsRolledBack) {
  start();
  TestClient client = opened(writer());
  EXPECT_EQ(ask(client, {"T\tB", insert(4)}), "0\t1 | 0\t1");
  std::string state;
  uint64_t id = 0;
  while (state != "in transaction") {
    const ConnectionStatus status = server_->connections().front();
    state = status.state;
    id = status.id;
  }
  ASSERT_TRUE(server_->kill(id));
  EXPECT_EQ(client.line(), "EOF");
  await_open_transactions(0);
  EXPECT_EQ(rows(), (Rows{"1,v1", "2,v2", "3,v3"}));
}

TEST_F(TransactionsTest, AfterADeadlockAllIsLostUntilTheClientEndsIt) {
  start();
  TestClient client = opened(writer());
  for (const bool commits : {true, false}) {
    faulty_.lose_transaction(Call::kInsert, 2);
    EXPECT_EQ(ask(client, {"T\tB", insert(4), insert(5), insert(6), "nonsense", "T\tB", "H\t2"}),
              "0\t1 | 0\t1 | 1\t1\t149 | 1\t1\ttransaction_lost | 1\t1\ttransaction_lost | "
              "1\t1\ttransaction_lost | 1\t1\ttransaction_lost");
    EXPECT_EQ(ask(client, {commits ? "T\tC" : "T\tR", find(1)}),
              commits ? "1\t1\ttransaction_lost | 0\t2\t1\tv1" : "0\t1 | 0\t2\t1\tv1");
    await_open_transactions(0);
    EXPECT_EQ(rows(), (Rows{"1,v1", "2,v2", "3,v3"}));
  }
  EXPECT_EQ(server_->statistics().transactions_lost, 2u);
}

TEST_F(TransactionsTest, ACommitThatFailsEndsTheTransaction) {
  start();
  TestClient client = opened(writer());
  ASSERT_EQ(ask(client, {"T\tB", insert(4)}), "0\t1 | 0\t1");
  faulty_.fail(Call::kCommit, 1, Error::engine(150));
  EXPECT_EQ(ask(client, {"T\tC", find(4), "T\tC"}), "1\t1\t150 | 0\t2 | 2\t1\tno_transaction");
  EXPECT_EQ(rows(), (Rows{"1,v1", "2,v2", "3,v3"}));
}

TEST_F(TransactionsTest, ThereMayBeSoManyAtTheSameTime) {
  config_.max_transactions = 2;
  start();
  TestClient one = opened(writer());
  TestClient two = opened(writer());
  TestClient three = opened(writer());
  EXPECT_EQ(one.ask("T\tB\n"), "0\t1");
  EXPECT_EQ(two.ask("T\tB\n"), "0\t1");
  EXPECT_EQ(ask(three, {"T\tB\tRC", insert(4), "T\tC", find(1)}),
            "1\t1\ttoo_many_transactions | 1\t1\ttransaction_lost | 1\t1\ttransaction_lost | "
            "0\t2\t1\tv1");
  EXPECT_EQ(one.ask("T\tR\n"), "0\t1");
  EXPECT_EQ(three.ask("T\tB\n"), "0\t1");
}

TEST_F(TransactionsTest, AnIdleOneIsLost) {
  config_.transaction_timeout_s = 0;  // at the watcher's next look
  start();
  TestClient client = opened(writer());
  EXPECT_EQ(client.ask("T\tB\n"), "0\t1");
  await_lost(1);
  await_open_transactions(0);
  EXPECT_EQ(ask(client, {insert(4), "T\tC", insert(5)}),
            "1\t1\ttransaction_lost | 1\t1\ttransaction_lost | 0\t1");
  EXPECT_EQ(rows(), (Rows{"1,v1", "2,v2", "3,v3", "5,x"}));
}

TEST_F(TransactionsTest, AnIdleOneIsLostWhileAnotherIsRolledBackForLong) {
  config_.transaction_timeout_s = 0;
  start();
  faulty_.hold(Call::kRollback, 1, std::nullopt);
  TestClient first = opened(writer());
  EXPECT_EQ(ask(first, {"T\tB", insert(4)}).substr(0, 4), "0\t1 ");
  await_lost(1);
  faulty_.wait_for_held(1);
  TestClient second = opened(writer());
  EXPECT_EQ(second.ask("T\tB\n"), "0\t1");
  await_lost(2);
  EXPECT_EQ(server_->statistics().transactions_open, 2u);
  faulty_.let_go();
  await_open_transactions(0);
  EXPECT_EQ(rows(), (Rows{"1,v1", "2,v2", "3,v3"}));
}

TEST_F(TransactionsTest, WhatTheConnectionDidBeforeIsCommittedBeforeTheTransaction) {
  start();
  TestClient client = opened(writer());
  // The fake engine lets one session change rows at a time.
  EXPECT_EQ(
      ask(client, {insert(4), "T\tB", insert(5), "T\tR", insert(6), "T\tB", insert(7), "T\tC"}),
      "0\t1 | 0\t1 | 0\t1 | 0\t1 | 0\t1 | 0\t1 | 0\t1 | 0\t1");
  EXPECT_EQ(rows(), (Rows{"1,v1", "2,v2", "3,v3", "4,x", "6,x", "7,x"}));
}

TEST_F(TransactionsTest, ARequestInsideWaitsForAnotherTransactionAndOthersAreServed) {
  fake_.set_lock_wait_timeout(std::chrono::seconds(60));
  start();
  TestClient holder = opened(writer());
  TestClient waits = opened(writer());
  EXPECT_EQ(ask(holder, {"T\tB", insert(4)}), "0\t1 | 0\t1");
  EXPECT_EQ(waits.ask("T\tB\n"), "0\t1");
  ASSERT_TRUE(waits.send(insert(5) + "\n"));
  while (server_->statistics().lock_waits == 0) std::this_thread::yield();
  TestClient other = opened(writer());
  EXPECT_EQ(other.ask(find(1) + "\n"), "0\t2\t1\tv1");
  EXPECT_EQ(holder.ask("T\tC\n"), "0\t1");
  EXPECT_EQ(waits.line(), "0\t1");
  EXPECT_EQ(waits.ask("T\tC\n"), "0\t1");
  EXPECT_EQ(rows(), (Rows{"1,v1", "2,v2", "3,v3", "4,x", "5,x"}));
}

TEST_F(TransactionsTest, ALongCommitHoldsUpNoOtherConnection) {
  start();
  TestClient client = opened(writer());
  TestClient other = opened(writer());
  EXPECT_EQ(ask(client, {"T\tB", insert(4)}), "0\t1 | 0\t1");
  faulty_.hold(Call::kCommitted, 1, Wait::kOther);
  ASSERT_TRUE(client.send("T\tC\n"));
  faulty_.wait_for_held(1);
  EXPECT_EQ(other.ask(find(1) + "\n"), "0\t2\t1\tv1");
  faulty_.let_go();
  EXPECT_EQ(client.line(), "0\t1");
}

TEST_F(TransactionsTest, ShutdownRollsBackWhatIsOpen) {
  start();
  TestClient client = opened(writer());
  TestClient other = opened(reader());
  EXPECT_EQ(ask(client, {"T\tB", insert(4)}), "0\t1 | 0\t1");
  EXPECT_EQ(other.ask("T\tB\tRO\n"), "0\t1");
  server_->stop();
  EXPECT_EQ(client.line(), "EOF");
  EXPECT_EQ(rows(), (Rows{"1,v1", "2,v2", "3,v3"}));
}

TEST_F(TransactionsTest, WhenTheDatabaseStopsNoSessionIsLeft) {
  start();
  TestClient client = opened(writer());
  EXPECT_EQ(ask(client, {"T\tB", insert(4)}), "0\t1 | 0\t1");
  faulty_.stop();
  await_open_transactions(0);
  EXPECT_EQ(rows(), (Rows{"1,v1", "2,v2", "3,v3"}));
}

TEST_F(TransactionsTest, SessionsAreUsedAgainAndTheirTablesGivenBack) {
  start();
  TestClient client = opened(writer());
  for (int i = 0; i < 10; ++i) {
    ASSERT_EQ(ask(client, {"T\tB", find(1), "T\tC"}), "0\t1 | 0\t2\t1\tv1 | 0\t1");
  }
  // Those of the threads have their names. The second one here is made while the watcher gives the
  // tables of the first one back.
  const std::vector<std::string> made = engine_.sessions();
  EXPECT_LE(std::count(made.begin(), made.end(), "differs"), 2);
  const int held = engine_.held;
  while (engine_.released == 0) std::this_thread::yield();
  EXPECT_GE(held, 10);
}

}  // namespace
}  // namespace hs::server
