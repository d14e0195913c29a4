#include "testing/faulty_engine.h"

#include <gtest/gtest.h>

#include "testing/fake_engine.h"

namespace hs::testing {
namespace {

class FaultyEngineTest : public ::testing::Test {
 protected:
  FaultyEngineTest() {
    fake.create_table("test.t(id int; PRIMARY(id))");
    session = engine.make_session(engine::Mode::kReadWrite, "test");
    session->enter({});
  }

  // The number of the error that inserting `id` gives; 0 = none.
  int insert(const char* id) {
    Result<engine::Cursor*> cursor = session->cursor(spec);
    if (!cursor) return cursor.error().number;
    if (auto begun = session->begin_request(**cursor, engine::Access::kInsert, engine::Rows::kMany);
        !begun) {
      return begun.error().number;
    }
    if (auto inserted = (*cursor)->insert(std::vector{Value::of(id)}); !inserted) {
      session->undo_request();
      return inserted.error().number;
    }
    auto ended = session->end_request();
    return ended ? 0 : ended.error().number;
  }

  size_t rows() const { return fake.rows("test", "t").size(); }

  FakeEngine fake;
  FaultyEngine engine{fake};
  std::unique_ptr<engine::Session> session;
  const engine::IndexSpecPtr spec =
      std::make_shared<const engine::IndexSpec>(engine::IndexSpec{"test", "t", "", {"id"}, {}});
};

TEST_F(FaultyEngineTest, PassesOnWhatItIsNotToldToFail) {
  EXPECT_EQ(insert("1"), 0);
  EXPECT_TRUE(session->commit());
  EXPECT_EQ(rows(), 1u);
  EXPECT_FALSE(session->should_stop());
  EXPECT_EQ(engine.calls(Call::kInsert), 1u);
}

TEST_F(FaultyEngineTest, FailsTheNthCallOnceWithoutItsEffect) {
  engine.fail(Call::kInsert, 2, Error::engine(28));
  EXPECT_EQ(insert("1"), 0);
  EXPECT_EQ(insert("2"), 28);
  EXPECT_EQ(insert("2"), 0);
  engine.fail(Call::kEndRequest, 1, Error::engine(29));
  EXPECT_EQ(insert("3"), 29);
  EXPECT_EQ(rows(), 2u);
}

TEST_F(FaultyEngineTest, AFailedCommitLosesTheBatch) {
  engine.fail(Call::kCommit, 1, Error::engine(28));
  EXPECT_EQ(insert("1"), 0);
  EXPECT_FALSE(session->commit());
  EXPECT_EQ(rows(), 0u);
  EXPECT_EQ(insert("1"), 0);
  EXPECT_TRUE(session->commit());
}

TEST_F(FaultyEngineTest, ALostTransactionFailsEverythingUntilRollback) {
  for (Call call : {Call::kBeginRequest, Call::kInsert, Call::kEndRequest}) {
    ASSERT_EQ(insert("1"), 0);
    engine.lose_transaction(call, 1);
    EXPECT_EQ(insert("2"), 149);
    EXPECT_TRUE(session->transaction_lost());
    EXPECT_EQ(rows(), 0u);
    EXPECT_EQ(insert("3"), 200);
    EXPECT_FALSE(session->commit());
    session->rollback();
    EXPECT_FALSE(session->transaction_lost());
  }
  EXPECT_EQ(insert("1"), 0);
}

TEST_F(FaultyEngineTest, StopWakesEverySessionThatIsInAThread) {
  int woken = 0;
  const engine::SessionEvents events{.context = &woken,
                                     .wake = [](void* count) { ++*static_cast<int*>(count); }};
  auto a = engine.make_session(engine::Mode::kReadOnly, "a");
  auto b = engine.make_session(engine::Mode::kReadOnly, "b");
  auto c = engine.make_session(engine::Mode::kReadOnly, "c");
  for (engine::Session* entered : {a.get(), b.get(), c.get()}) entered->enter(events);
  b.reset();
  c->leave();
  engine.stop();
  EXPECT_EQ(woken, 1);
  EXPECT_TRUE(a->should_stop());
  EXPECT_TRUE(c->should_stop());
  EXPECT_TRUE(session->should_stop());
}

TEST_F(FaultyEngineTest, CanRefuseSessions) {
  engine.refuse_sessions();
  EXPECT_EQ(engine.make_session(engine::Mode::kReadOnly, "a"), nullptr);
}

}  // namespace
}  // namespace hs::testing
