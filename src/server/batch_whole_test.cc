// Transactions that are executed as a whole with the group of a batch.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "server/batch.h"
#include "server/settings.h"
#include "server/transactions.h"
#include "testing/fixtures/batch_fixture.h"

namespace hs::server {
namespace {

const std::string kBegin = "T\tB\n";
const std::string kCommit = "T\tC\n";
const std::string kDone = "0\t1\n";

// Tells how many transactions had a session of their own.
class CountingEngine final : public engine::Engine {
 public:
  explicit CountingEngine(engine::Engine& inner) : inner_(inner) {}
  uint64_t transactions = 0;

  std::unique_ptr<engine::Session> make_session(engine::Mode mode, std::string_view name) override {
    return std::make_unique<CountingSession>(inner_.make_session(mode, name), transactions);
  }
  bool wait_until_ready() override { return true; }

 private:
  class CountingSession final : public ForwardingSession {
   public:
    CountingSession(std::unique_ptr<engine::Session> inner, uint64_t& count)
        : ForwardingSession(std::move(inner)), count_(count) {}
    Result<void> begin_transaction(const engine::TransactionOptions& options) override {
      ++count_;
      return ForwardingSession::begin_transaction(options);
    }

   private:
    uint64_t& count_;
  };
  engine::Engine& inner_;
};

class BatchWholeTest : public BatchTest {
 protected:
  ~BatchWholeTest() override { transactions_.stop(); }

  void run(const std::vector<Peer*>& peers) { BatchTest::run(whole_, peers); }
  uint64_t begun() const {
    Statistics now;
    transactions_.add_to(now);
    return now.transactions_begun;
  }
  uint64_t on_their_own() const { return counting_.transactions; }
  static std::string update(int key, const std::string& value) {
    const std::string k = std::to_string(key);
    return "1\t=\t1\t" + k + "\t1\t0\tU\t" + k + "\t" + value + "\n";
  }
  using Rows = std::vector<std::string>;

  SharedSettings settings_{Settings{}};
  CountingEngine counting_{faulty_};
  Transactions transactions_{"watcher", engine::Mode::kReadWrite, counting_, settings_};
  Batch whole_{context_, kProtocols, session_, counters_, nullptr, nullptr, &transactions_};
};

TEST_F(BatchWholeTest, AllTransactionsOfABatchShareItsCommitWithOtherRequests) {
  first_.input().append(kBegin + insert(1) + find(1) + update(1, "new") + kCommit);
  second_.input().append(insert(2));
  third_.input().append(kBegin + find(1) + insert(3) + kCommit + find(3));
  run({&first_, &second_, &third_});
  EXPECT_EQ(take(first_), kDone + kDone + found(1) + "0\t1\t1\n" + kDone);
  EXPECT_EQ(take(second_), kDone);
  EXPECT_EQ(take(third_), kDone + "0\t2\t1\tnew\n" + kDone + kDone + found(3));
  EXPECT_EQ(rows(), (Rows{"1,new", "2,v2", "3,v3"}));
  EXPECT_EQ(commits(), 1u);
  EXPECT_EQ(begun(), 2u);
  EXPECT_EQ(on_their_own(), 0u);
}

TEST_F(BatchWholeTest, ARequestThatFailsIsUndoneAlone) {
  first_.input().append(kBegin + insert(1) + insert(1) + "nonsense\n" + insert(2) + kCommit);
  run({&first_});
  EXPECT_EQ(take(first_), kDone + kDone + "1\t1\t121\n2\t1\tcmd\n" + kDone + kDone);
  EXPECT_EQ(rows(), (Rows{"1,v1", "2,v2"}));
  EXPECT_EQ(commits(), 1u);
}

TEST_F(BatchWholeTest, OneThatMustWaitBeforeItChangesAnythingIsExecutedOnItsOwn) {
  second_.input().append(insert(1));
  first_.input().append(kBegin + find(1) + insert(2) + kCommit);
  faulty_.lock_row(Call::kInsert, 2);
  run({&second_, &first_});
  EXPECT_EQ(take(second_), kDone);
  EXPECT_EQ(take(first_), kDone + found(1) + kDone + kDone);
  EXPECT_EQ(rows(), (Rows{"1,v1", "2,v2"}));
  EXPECT_EQ(counters_.retries.get(), 0u);
  EXPECT_EQ(on_their_own(), 1u);
}

TEST_F(BatchWholeTest, OneThatMustWaitBehindAChangeIsUndoneAndExecutedOnItsOwn) {
  second_.input().append(insert(1));
  first_.input().append(find(1) + kBegin + insert(2) + insert(3) + kCommit + find(3));
  faulty_.lock_row(Call::kInsert, 3);
  run({&second_, &first_});
  EXPECT_EQ(take(second_), kDone);
  EXPECT_EQ(take(first_), found(1) + kDone + kDone + kDone + kDone + found(3));
  EXPECT_EQ(rows(), (Rows{"1,v1", "2,v2", "3,v3"}));
  EXPECT_EQ(begun(), 1u);
}

TEST_F(BatchWholeTest, AfterADeadlockEveryTransactionOfTheGroupIsExecutedOnItsOwn) {
  first_.input().append(kBegin + insert(1) + kCommit + kBegin + insert(2) + kCommit);
  second_.input().append(insert(3));
  third_.input().append(kBegin + insert(4) + insert(5) + kCommit + insert(6));
  faulty_.lose_transaction(Call::kInsert, 5);
  run({&first_, &second_, &third_});
  // What is executed again of the others waits for a later batch.
  EXPECT_TRUE(first_.may_have_more);
  EXPECT_EQ(take(first_), "");
  EXPECT_EQ(take(second_), kDone);
  EXPECT_EQ(take(third_), kDone + kDone + kDone + kDone + kDone);
  EXPECT_EQ(rows(), (Rows{"3,v3", "4,v4", "5,v5", "6,v6"}));
  run({&first_});
  EXPECT_EQ(take(first_), kDone + kDone + kDone + kDone + kDone + kDone);
  EXPECT_EQ(rows(), (Rows{"3,v3", "4,v4", "5,v5", "6,v6", "1,v1", "2,v2"}));
  EXPECT_EQ(begun(), 3u);
}

TEST_F(BatchWholeTest, EarlierRepliesOfItsClientStay) {
  first_.input().append(insert(1) + kBegin + insert(2) + kCommit);
  second_.input().append(insert(3));
  faulty_.lose_transaction(Call::kInsert, 3);
  run({&first_, &second_});
  EXPECT_EQ(take(first_), kDone);
  EXPECT_EQ(take(second_), kDone);
  EXPECT_EQ(rows(), (Rows{"1,v1", "3,v3"}));
  EXPECT_EQ(first_.input().view(), kBegin + insert(2) + kCommit);
  run({&first_});
  EXPECT_EQ(take(first_), kDone + kDone + kDone);
}

TEST_F(BatchWholeTest, WhenTheCommitFailsEveryReplyIsTheError) {
  first_.input().append(kBegin + insert(1) + kCommit);
  faulty_.fail(Call::kCommit, 1, Error::engine(150));
  run({&first_});
  EXPECT_EQ(take(first_), "1\t1\t150\n1\t1\t150\n1\t1\t150\n");
  EXPECT_EQ(rows(), Rows{});
  Statistics now;
  transactions_.add_to(now);
  EXPECT_EQ(now.transactions_rolled_back, 1u);
}

TEST_F(BatchWholeTest, AClientThatIsKilledInTheMiddleChangesNothing) {
  second_.input().append(insert(3));
  first_.input().append(kBegin + insert(1) + insert(2) + kCommit);
  Connections connections;
  connections.add(first_.record, {}, {});
  session_.call_at = 3;
  session_.call = [&] { connections.mark_killed(first_.record.id()); };
  run({&second_, &first_});
  connections.remove(first_.record);
  EXPECT_EQ(take(second_), kDone);
  EXPECT_EQ(take(first_), "");
  EXPECT_EQ(rows(), Rows{"3,v3"});
}

TEST_F(BatchWholeTest, AnExceptionInTheMiddleEndsOnlyItsOwnConnection) {
  second_.input().append(insert(3));
  first_.input().append(kBegin + insert(1) + insert(2) + kCommit);
  session_.throw_at = 3;
  run({&second_, &first_});
  EXPECT_EQ(take(second_), kDone);
  EXPECT_EQ(take(first_), "");
  EXPECT_EQ(first_.ending, Peer::Ending::kFailed);
  EXPECT_EQ(rows(), Rows{"3,v3"});
}

TEST_F(BatchWholeTest, BehindALossSomeHaveSessionsOfTheirOwn) {
  faulty_.lose_transaction(Call::kInsert, 1);
  int key = 0;
  while (begun() < 70) {
    first_.input().append(kBegin + insert(++key) + kCommit);
    run({&first_});
    EXPECT_EQ(take(first_), kDone + kDone + kDone);
  }
  EXPECT_EQ(rows().size(), 70u);
  // The one that was lost, those apart, and the rest with the group.
  EXPECT_EQ(on_their_own(), 1u + 64u);
}

// A table is opened for it with nothing uncommitted.
TEST_F(BatchWholeTest, WhatIsBeforeAClosedTableIsCommittedFirst) {
  session_.open = false;
  second_.input().append(insert(1));
  first_.input().append(kBegin + insert(2) + kCommit);
  run({&second_, &first_});
  EXPECT_EQ(take(second_), kDone);
  EXPECT_EQ(take(first_), kDone + kDone + kDone);
  EXPECT_FALSE(session_.opened_amid_changes);
  EXPECT_EQ(on_their_own(), 1u);  // the table did not stay open
}

TEST_F(BatchWholeTest, TablesThatCannotUndoTheirChangesAreForOthers) {
  session_.undo = false;
  first_.input().append(kBegin + insert(1) + kCommit);
  run({&first_});
  EXPECT_EQ(on_their_own(), 1u);
}

TEST_F(BatchWholeTest, WhatIsNoWholeTransactionHasASessionOfItsOwn) {
  std::string many;
  for (int i = 0; i < static_cast<int>(Batch::kMostParts); ++i) many += insert(i + 100);
  uint64_t before = 0;
  for (const std::string& text : {
           kBegin + find(1) + kCommit,                                 // changes nothing
           kBegin + insert(1),                                         // has no end yet
           "T\tB\tRC\n" + insert(2) + kCommit,                         // its own isolation
           kBegin + insert(3) + "T\tR\n",                              // is rolled back
           kBegin + insert(4) + "T\tS\ta\n" + kCommit,                 // a savepoint
           kBegin + "P\t2\td\tt\tPRIMARY\tk\n" + insert(5) + kCommit,  // opens an index
           kBegin + "1\t>=\t1\t0\t1001\t0\n" + insert(6) + kCommit,    // may read many rows
           kBegin + "1\t=\t1\t1\t1\t0\tC\n" + insert(7) + kCommit,     // counts
           kBegin + many + kCommit,                                    // is long
       }) {
    Peer peer(pool_, line_protocol(), secret_);
    peer.client.set_authorized(true);
    peer.input().append("P\t1\td\tt\tPRIMARY\tk,v\n" + text);
    run({&peer});
    EXPECT_EQ(on_their_own(), ++before) << text;
  }
}

TEST_F(BatchWholeTest, AClientThatMayBeginNoneIsToldSo) {
  Settings none;
  none.max_transactions = 0;
  settings_.change(none);
  first_.input().append(kBegin + insert(1) + kCommit);
  run({&first_});
  EXPECT_EQ(take(first_),
            "1\t1\ttoo_many_transactions\n1\t1\ttransaction_lost\n1\t1\ttransaction_lost\n");
}

TEST_F(BatchWholeTest, ASavepointIsTheOneThatWasNamedWhateverIsExecutedAgainBefore) {
  first_.input().append(kBegin + "T\tS\ta\x01\x45\n");
  run({&first_});
  EXPECT_EQ(take(first_), kDone + kDone);
  first_.transaction->note_changed(1000);  // so that the group is committed first
  second_.input().append("1\t+\t2\t1\tb\x01\x46\n");
  third_.input().append(insert(2));
  first_.input().append("T\tU\ta\x01\x45\n");
  faulty_.lose_transaction(Call::kCommit, 1);
  run({&second_, &third_, &first_});
  EXPECT_EQ(counters_.retries.get(), 2u);
  EXPECT_EQ(take(first_), kDone);
  first_.input().append("T\tR\n");
  run({&first_});
  EXPECT_EQ(take(first_), kDone);
}

}  // namespace
}  // namespace hs::server
