#include "adapter/transaction.h"

#include <gtest/gtest.h>

namespace hs::adapter {
namespace {

using engine::Access;
using Fate = Transaction::Fate;

class TransactionTest : public ::testing::Test {
 protected:
  // Cursors of which only the addresses are used.
  static engine::Cursor* cursor(uintptr_t number) {
    return reinterpret_cast<engine::Cursor*>(number * alignof(std::max_align_t));
  }
  const Transaction::Statement shared{cursor(1), Access::kInsert, true};
  const Transaction::Statement alone{cursor(1), Access::kUpdate, false};

  // Begins a request as the adapter does. True: in a statement of its own.
  bool begin(const Transaction::Statement& wanted) {
    transaction.begin_request();
    if (transaction.joins(wanted)) return false;
    transaction.end_statement();
    transaction.begin();
    transaction.begin_statement(wanted);
    return true;
  }
  void end() {
    if (transaction.end_request()) transaction.end_statement();
  }
  void change(const Transaction::Statement& wanted) {
    begin(wanted);
    transaction.note_change();
    end();
  }
  // The running request fails, and its statement is undone if need be.
  Fate fail(bool rolled_back = false) {
    if (!transaction.undo_request(rolled_back)) {
      return transaction.is_lost() ? Fate::kLost : Fate::kGoesOn;
    }
    transaction.end_statement();
    return transaction.decide_fate(rolled_back);
  }

  Transaction transaction;
};

// --- statements ---

TEST_F(TransactionTest, RequestsThatMayShareAStatementShareOne) {
  EXPECT_TRUE(begin(shared));
  end();
  EXPECT_TRUE(transaction.has_statement());
  EXPECT_FALSE(begin(shared));
}

TEST_F(TransactionTest, RequestsOfAnotherCursorOrKindOrThatChangeMoreRowsHaveOneOfTheirOwn) {
  for (const Transaction::Statement& other :
       {Transaction::Statement{cursor(2), Access::kInsert, true},
        Transaction::Statement{cursor(1), Access::kDelete, true},
        Transaction::Statement{cursor(1), Access::kInsert, false}}) {
    begin(shared);
    end();
    EXPECT_TRUE(begin(other));
    end();
  }
}

TEST_F(TransactionTest, AStatementOfOneRequestEndsWithIt) {
  EXPECT_TRUE(begin(alone));
  end();
  EXPECT_FALSE(transaction.has_statement());
  EXPECT_TRUE(begin(alone));
}

TEST_F(TransactionTest, AStatementHasChangesOnceOneOfItsRequestsHas) {
  begin(shared);
  end();
  EXPECT_FALSE(transaction.statement_has_changes());
  begin(shared);
  transaction.note_change();
  EXPECT_TRUE(transaction.statement_has_changes());
  end();
  EXPECT_FALSE(transaction.request_has_changes());
  begin(shared);
  end();
  EXPECT_TRUE(transaction.statement_has_changes());
  transaction.end_statement();
  EXPECT_FALSE(transaction.statement_has_changes());
  EXPECT_TRUE(transaction.has_changes());
}

TEST_F(TransactionTest, NothingIsLeftOfATransactionThatHasEnded) {
  change(shared);
  transaction.lose();
  transaction.end();
  EXPECT_FALSE(transaction.is_open());
  EXPECT_FALSE(transaction.has_changes());
  EXPECT_FALSE(transaction.has_statement());
  EXPECT_FALSE(transaction.is_lost());
  EXPECT_TRUE(begin(shared));
}

// --- a request that fails ---

TEST_F(TransactionTest, ARequestThatFailsAloneInItsStatementIsUndoneWithIt) {
  change(alone);
  begin(alone);
  transaction.note_change();
  EXPECT_EQ(fail(), Fate::kGoesOn);
  EXPECT_FALSE(transaction.has_statement());
  EXPECT_TRUE(transaction.has_changes());
  EXPECT_FALSE(transaction.is_lost());
}

TEST_F(TransactionTest, TheFirstRequestOfASharedStatementIsUndoneWithIt) {
  begin(shared);
  transaction.note_change();
  EXPECT_TRUE(transaction.undo_request(false));
}

TEST_F(TransactionTest, ARequestThatHasChangedNothingLeavesTheStatementItSharesAlone) {
  change(shared);
  begin(shared);
  EXPECT_EQ(fail(), Fate::kGoesOn);
  EXPECT_TRUE(transaction.has_statement());
  EXPECT_FALSE(begin(shared)) << "the next request goes on in it";
}

TEST_F(TransactionTest,
       ARequestThatHasChangedARowCannotBeUndoneWithoutThoseItSharesAStatementWith) {
  change(shared);
  begin(shared);
  transaction.note_change();
  EXPECT_EQ(fail(), Fate::kLost);
}

TEST_F(TransactionTest, AChangeThatTheLogOfASharedStatementDidNotTakeLosesTheTransaction) {
  change(shared);
  begin(shared);
  transaction.note_log_failure();
  EXPECT_EQ(fail(), Fate::kLost);
}

TEST_F(TransactionTest, ARollbackByTheDatabaseLosesTheRequestsOfASharedStatement) {
  change(shared);
  begin(shared);
  transaction.note_timeout();
  EXPECT_EQ(fail(true), Fate::kLost);
}

// --- start again, or be over ---

TEST_F(TransactionTest, ADeadlockIsTriedAgainAlsoByARequestThatWasAlone) {
  begin(alone);
  EXPECT_EQ(fail(true), Fate::kLost);
  EXPECT_TRUE(transaction.is_lost());
}

TEST_F(TransactionTest, ARollbackAfterATimeoutLosesTheRequestsBefore) {
  change(alone);
  begin(alone);
  transaction.note_timeout();
  EXPECT_EQ(fail(true), Fate::kLost);
}

TEST_F(TransactionTest, ARollbackAfterATimeoutIsNotTriedAgainWhenNothingWasLost) {
  begin(alone);
  end();
  begin(alone);
  transaction.note_timeout();
  EXPECT_EQ(fail(true), Fate::kOver);
  EXPECT_FALSE(transaction.is_lost());
}

TEST_F(TransactionTest, ATimeoutOfAnEarlierRequestIsForgotten) {
  begin(alone);
  transaction.note_timeout();
  EXPECT_EQ(fail(), Fate::kGoesOn);
  begin(alone);
  EXPECT_EQ(fail(true), Fate::kLost);
}

TEST_F(TransactionTest, AFullLogIsTriedAgainOnlyWithoutTheChangesBefore) {
  begin(alone);
  transaction.note_change();
  transaction.note_log_failure();
  EXPECT_EQ(fail(), Fate::kGoesOn) << "it was full of this request alone";
  transaction.end();
  change(alone);
  begin(alone);
  transaction.note_log_failure();
  EXPECT_EQ(fail(), Fate::kLost);
}

TEST_F(TransactionTest, AFailureOfTheLogIsThatOfOneRequest) {
  change(alone);
  change(shared);
  begin(shared);
  transaction.note_log_failure();
  EXPECT_EQ(fail(), Fate::kLost);
  transaction.end();
  change(shared);
  begin(shared);
  EXPECT_EQ(fail(), Fate::kGoesOn);
}

TEST_F(TransactionTest, AStatementThatCannotBeKeptEndsAsAFailedRequest) {
  change(alone);
  begin(alone);
  transaction.note_change();
  ASSERT_TRUE(transaction.end_request());
  transaction.note_log_failure();
  transaction.end_statement();
  EXPECT_EQ(transaction.decide_fate(false), Fate::kLost);
}

}  // namespace
}  // namespace hs::adapter
