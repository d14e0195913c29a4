#include "testing/fake_engine.h"

#include <gtest/gtest.h>

#include <thread>

namespace hs::testing {
namespace {

using Rows = std::vector<std::string>;

engine::IndexSpecPtr spec(std::string index, std::vector<std::string> columns,
                          std::vector<std::string> filter_columns = {}) {
  return std::make_shared<const engine::IndexSpec>(engine::IndexSpec{
      "test", "t", std::move(index), std::move(columns), std::move(filter_columns)});
}

class FakeEngineTest : public ::testing::Test {
 protected:
  FakeEngineTest() {
    engine.create_table(
        "test.t(id unsigned auto_increment, n int null, s text default none;"
        " PRIMARY(id); by_n(n, s); unique by_s(s))");
  }

  std::unique_ptr<engine::Session> session() {
    auto made = engine.make_session(engine::Mode::kReadWrite, "test");
    made->enter({});
    return made;
  }

  // One insert of (id, n, s) as a request of its own.
  Result<engine::Cursor::Inserted> insert(engine::Session& session, std::vector<Value> values) {
    Result<engine::Cursor*> cursor = session.cursor(all);
    if (!cursor) return cursor.error();
    if (auto begun = session.begin_request(**cursor, engine::Access::kInsert, engine::Rows::kMany);
        !begun) {
      return begun.error();
    }
    auto inserted = (*cursor)->insert(values);
    if (!inserted) {
      session.undo_request();
    } else if (auto ended = session.end_request(); !ended) {
      return ended.error();
    }
    return inserted;
  }

  // The ids of the rows that a seek and the calls of next() find.
  Rows scan(std::string index, KeyOperator op, std::vector<Value> key) {
    const auto reader = session();
    const auto opened = spec(std::move(index), {"id"});
    engine::Cursor* cursor = *reader->cursor(opened);
    EXPECT_TRUE(reader->begin_request(*cursor, engine::Access::kRead, engine::Rows::kMany));
    Rows ids;
    for (Result<bool> found = cursor->seek(op, key); *found; found = cursor->next()) {
      ids.emplace_back((*cursor->row())[0].text());
    }
    EXPECT_TRUE(reader->end_request());
    return ids;
  }

  // One value for each column.
  std::vector<engine::Cursor::Assignment> set(std::vector<Value> values) {
    std::vector<engine::Cursor::Assignment> assignments;
    for (const Value& value : values) assignments.push_back({assignments.size(), value});
    return assignments;
  }

  Value text(const char* bytes) { return Value::of(bytes); }

  FakeEngine engine;
  const engine::IndexSpecPtr all = spec("", {"id", "n", "s"});
};

TEST_F(FakeEngineTest, SortsNumbersAsNumbersTextAsBytesAndNullFirst) {
  for (const auto& row : std::vector<std::vector<std::optional<std::string>>>{
           {"1", "10", "b"}, {"2", "9", "a"}, {"3", std::nullopt, "\xff"}, {"4", "-1", "B"}}) {
    ASSERT_TRUE(engine.add_row("test", "t", row));
  }
  EXPECT_EQ(scan("by_n", KeyOperator::kGreaterOrEqual, {Value::null()}),
            (Rows{"3", "4", "2", "1"}));
  EXPECT_EQ(scan("by_s", KeyOperator::kGreaterOrEqual, {text("")}), (Rows{"4", "2", "1", "3"}));
  EXPECT_EQ(scan("by_s", KeyOperator::kLess, {text("b")}), (Rows{"2", "4"}));
}

TEST_F(FakeEngineTest, AKeyThatTheColumnCannotHoldEqualsNothing) {
  ASSERT_TRUE(engine.add_row("test", "t", {"1", "2147483647", "a"}));
  for (const char* key : {"2147483648", "x", "", "1.5"}) {
    EXPECT_EQ(scan("by_n", KeyOperator::kEqual, {text(key)}), Rows{});
    EXPECT_EQ(scan("by_n", KeyOperator::kGreater, {text(key), text("a")}), Rows{});
  }
  for (KeyOperator op : {KeyOperator::kEqual, KeyOperator::kGreaterOrEqual, KeyOperator::kLess}) {
    EXPECT_EQ(scan("", op, {Value::null()}), Rows{});
  }
  EXPECT_EQ(scan("by_n", KeyOperator::kEqual, {text("2147483647")}), Rows{"1"});
}

TEST_F(FakeEngineTest, TheBoundOfARangeIsComparedAsSqlComparesIt) {
  ASSERT_TRUE(engine.add_row("test", "t", {"1", "0", "a"}));
  ASSERT_TRUE(engine.add_row("test", "t", {"2", "5", "b"}));
  const auto above = [&](const char* key) {
    return scan("by_n", KeyOperator::kGreater, {text(key)});
  };
  const auto below = [&](const char* key) { return scan("by_n", KeyOperator::kLess, {text(key)}); };
  EXPECT_EQ(above("-99999999999"), (Rows{"1", "2"}));
  EXPECT_EQ(above(""), Rows{"2"});
  EXPECT_EQ(above("4.5"), Rows{"2"});
  EXPECT_EQ(above("5.5"), Rows{});
  EXPECT_EQ(above("99999999999"), Rows{});
  EXPECT_EQ(below("99999999999"), (Rows{"2", "1"}));
  EXPECT_EQ(below("5.5"), (Rows{"2", "1"}));
  EXPECT_EQ(below("5x"), Rows{"1"});
  EXPECT_EQ(below("-0.5"), Rows{});
  EXPECT_EQ(scan("", KeyOperator::kGreaterOrEqual, {text("-1")}), (Rows{"1", "2"}));
}

TEST_F(FakeEngineTest, AnIndexIsNamedBeforeItIsNumbered) {
  engine.create_table("test.n(id int; PRIMARY(id); 1(id); 2nd(id))");
  const auto reader = session();
  const auto opens = [&](std::string index) {
    return static_cast<bool>(reader->open(std::make_shared<const engine::IndexSpec>(
        engine::IndexSpec{"test", "n", std::move(index), {"id"}, {}})));
  };
  EXPECT_TRUE(opens("2nd"));
  EXPECT_TRUE(opens("1"));
  EXPECT_TRUE(opens("2"));
  EXPECT_FALSE(opens("2n"));
  EXPECT_FALSE(opens("3"));
}

TEST_F(FakeEngineTest, ChecksValuesAsSqlDoes) {
  const auto writer = session();
  const auto error = [&](std::vector<Value> values) {
    const auto inserted = insert(*writer, values);
    return inserted ? 0 : inserted.error().number;
  };
  EXPECT_EQ(error({text("x")}), 1366);
  EXPECT_EQ(error({text("1x")}), 1366);
  EXPECT_EQ(error({text("-1")}), 1264);
  EXPECT_EQ(error({text("4294967296")}), 1264);
  EXPECT_EQ(error({text("99999999999999999999")}), 1264);
  EXPECT_EQ(error({text("1"), text("-2147483649")}), 1264);
  EXPECT_EQ(error({text("1"), text("1"), Value::null()}), 1048);
  EXPECT_EQ(engine.rows("test", "t"), Rows{});
  EXPECT_EQ(error({text("4294967294"), text("-2147483648")}), 0);
  EXPECT_EQ(engine.rows("test", "t"), Rows{"4294967294,-2147483648,none"});
  engine.create_table("test.t(id int, n int, s text; PRIMARY(id))");
  EXPECT_EQ(error({text("1"), text("1")}), 1364);
}

TEST_F(FakeEngineTest, GeneratesIdsUntilTheyRunOut) {
  const auto writer = session();
  const auto id = [&](Value given, const char* s) {
    const auto inserted = insert(*writer, {given, Value::null(), text(s)});
    return inserted ? static_cast<int64_t>(inserted->generated_id) : -inserted.error().number;
  };
  EXPECT_EQ(id(Value::null(), "a"), 1);
  EXPECT_EQ(id(text("0"), "b"), 2);
  EXPECT_EQ(id(text("4294967294"), "c"), 0);
  EXPECT_EQ(id(Value::null(), "d"), 4294967295);
  EXPECT_EQ(id(Value::null(), "e"), -167);
}

TEST_F(FakeEngineTest, UniqueIndexesRefuseDuplicatesButNotOfNull) {
  engine.create_table("test.t(id int, n int null, s text null; PRIMARY(id); unique by_n(n))");
  const auto writer = session();
  ASSERT_TRUE(insert(*writer, {text("1"), text("7")}));
  EXPECT_EQ(insert(*writer, {text("1"), text("8")}).error().number, 121);
  EXPECT_EQ(insert(*writer, {text("2"), text("7")}).error().number, 121);
  EXPECT_TRUE(insert(*writer, {text("3"), Value::null()}));
  EXPECT_TRUE(insert(*writer, {text("4"), Value::null()}));
}

TEST_F(FakeEngineTest, ADuplicateLeavesTheRowAndItsIndexesAlone) {
  ASSERT_TRUE(engine.add_row("test", "t", {"1", "1", "a"}));
  ASSERT_TRUE(engine.add_row("test", "t", {"2", "2", "b"}));
  const auto writer = session();
  engine::Cursor* cursor = *writer->cursor(all);
  ASSERT_TRUE(writer->begin_request(*cursor, engine::Access::kUpdate, engine::Rows::kMany));
  ASSERT_TRUE(*cursor->seek(KeyOperator::kEqual, std::vector{text("2")}));
  EXPECT_EQ(cursor->update(set({text("3"), text("3"), text("a")})).error().number, 121);
  ASSERT_TRUE(writer->end_request());
  EXPECT_EQ(scan("by_n", KeyOperator::kGreaterOrEqual, {text("0")}), (Rows{"1", "2"}));
  EXPECT_FALSE(writer->has_uncommitted_changes());
}

TEST_F(FakeEngineTest, RollbackTakesBackTheBatchAndUndoTheRequestOnly) {
  ASSERT_TRUE(engine.add_row("test", "t", {"1", "1", "a"}));
  const auto writer = session();
  ASSERT_TRUE(insert(*writer, {text("2"), text("2"), text("b")}));
  engine::Cursor* cursor = *writer->cursor(all);
  ASSERT_TRUE(writer->begin_request(*cursor, engine::Access::kUpdate, engine::Rows::kMany));
  ASSERT_TRUE(*cursor->seek(KeyOperator::kEqual, std::vector{text("1")}));
  ASSERT_TRUE(cursor->update(set({text("9"), text("9"), text("z")})));
  EXPECT_EQ(engine.rows("test", "t"), (Rows{"9,9,z", "2,2,b"}));
  writer->undo_request();
  EXPECT_EQ(engine.rows("test", "t"), (Rows{"1,1,a", "2,2,b"}));
  EXPECT_TRUE(writer->has_uncommitted_changes());
  writer->rollback();
  EXPECT_EQ(engine.rows("test", "t"), Rows{"1,1,a"});
  EXPECT_FALSE(writer->has_uncommitted_changes());
  EXPECT_EQ(scan("by_n", KeyOperator::kGreaterOrEqual, {text("0")}), Rows{"1"});
}

TEST_F(FakeEngineTest, AnUpdateSetsTheAssignedColumnsOnly) {
  ASSERT_TRUE(engine.add_row("test", "t", {"1", "1", "a"}));
  const auto writer = session();
  const auto opened = spec("", {"s", "n", "s"});
  engine::Cursor* cursor = *writer->cursor(opened);
  using Assignments = std::vector<engine::Cursor::Assignment>;
  ASSERT_TRUE(writer->begin_request(*cursor, engine::Access::kUpdate, engine::Rows::kMany));
  ASSERT_TRUE(*cursor->seek(KeyOperator::kEqual, std::vector{text("1")}));
  ASSERT_TRUE(cursor->update(Assignments{{1, text("7")}}));
  EXPECT_EQ(engine.rows("test", "t"), Rows{"1,7,a"});
  ASSERT_TRUE(cursor->update(Assignments{}));
  EXPECT_EQ(engine.rows("test", "t"), Rows{"1,7,a"});
  ASSERT_TRUE(cursor->update(Assignments{{2, text("first")}, {0, text("later")}}));
  EXPECT_EQ(engine.rows("test", "t"), Rows{"1,7,later"});
  ASSERT_TRUE(writer->end_request());
}

TEST_F(FakeEngineTest, FiltersAreReplacedAndTestTheCurrentRow) {
  ASSERT_TRUE(engine.add_row("test", "t", {"1", "10", "a"}));
  ASSERT_TRUE(engine.add_row("test", "t", {"2", std::nullopt, "b"}));
  const auto reader = session();
  const auto opened = spec("", {"id"}, {"n", "s"});
  engine::Cursor* cursor = *reader->cursor(opened);
  using Filters = std::vector<engine::Cursor::Filter>;
  ASSERT_TRUE(reader->begin_request(*cursor, engine::Access::kRead, engine::Rows::kMany));
  ASSERT_TRUE(cursor->set_filters(
      Filters{{0, FilterOperator::kGreater, text("9")}, {1, FilterOperator::kEqual, text("b")}}));
  ASSERT_TRUE(*cursor->seek(KeyOperator::kEqual, std::vector{text("1")}));
  EXPECT_TRUE(cursor->passes(0));
  EXPECT_FALSE(cursor->passes(1));
  ASSERT_TRUE(*cursor->seek(KeyOperator::kEqual, std::vector{text("2")}));
  EXPECT_FALSE(cursor->passes(0));
  EXPECT_TRUE(cursor->passes(1));
  ASSERT_TRUE(cursor->set_filters(Filters{{0, FilterOperator::kEqual, Value::null()}}));
  EXPECT_TRUE(cursor->passes(0));
  ASSERT_TRUE(reader->end_request());
}

TEST_F(FakeEngineTest, ASessionThatEndsRollsBack) {
  ASSERT_TRUE(insert(*session(), {text("1")}));
  EXPECT_EQ(engine.rows("test", "t"), Rows{});
  EXPECT_TRUE(insert(*session(), {text("1")}));
}

TEST_F(FakeEngineTest, CommitKeepsTheChangesAndLetsTheNextWriterIn) {
  engine.set_lock_wait_timeout(std::chrono::seconds(60));
  const auto first = session();
  ASSERT_TRUE(insert(*first, {text("1"), text("1"), text("a")}));
  std::thread other([&] { EXPECT_TRUE(insert(*session(), {text("2"), text("2"), text("b")})); });
  ASSERT_TRUE(first->commit());
  first->rollback();
  other.join();
  EXPECT_EQ(engine.rows("test", "t"), Rows{"1,1,a"});
}

TEST_F(FakeEngineTest, ASessionTakesItsTransactionFromThreadToThread) {
  const auto moving = session();
  ASSERT_TRUE(insert(*moving, {text("1"), text("10"), text("a")}));
  engine::Cursor* const opened = *moving->cursor(all);
  moving->leave();
  const auto other = session();
  EXPECT_FALSE(insert(*other, {text("2"), text("20"), text("b")}))
      << "the change is still uncommitted";
  std::thread([&] {
    moving->enter({});
    EXPECT_TRUE(moving->has_uncommitted_changes());
    EXPECT_EQ(*moving->cursor(all), opened);
    EXPECT_TRUE(insert(*moving, {text("3"), text("30"), text("c")}));
    EXPECT_TRUE(moving->commit());
    moving->leave();
  }).join();
  EXPECT_TRUE(insert(*other, {text("2"), text("20"), text("b")}));
  EXPECT_EQ(engine.rows("test", "t").size(), 3u);
}

TEST_F(FakeEngineTest, ASessionThatEndsInNoThreadLosesWhatIsUncommitted) {
  auto moving = session();
  ASSERT_TRUE(insert(*moving, {text("1")}));
  moving->leave();
  std::thread([&] { moving.reset(); }).join();
  EXPECT_TRUE(engine.rows("test", "t").empty());
  EXPECT_TRUE(insert(*session(), {text("1")}));
}

using FakeEngineDeathTest = FakeEngineTest;

TEST_F(FakeEngineDeathTest, ACallFromAThreadThatTheSessionIsNotInIsCaught) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto moving = session();
  engine::Cursor* const cursor = *moving->cursor(all);
  EXPECT_DEBUG_DEATH(std::thread([&] { (void)moving->commit(); }).join(), "get_id");
  moving->leave();
  EXPECT_DEBUG_DEATH((void)moving->is_open(all), "get_id");
  EXPECT_DEBUG_DEATH(cursor->position(), "get_id");
  EXPECT_DEBUG_DEATH(moving->leave(), "get_id");
  EXPECT_FALSE(moving->should_stop());
  moving->enter({});
  EXPECT_DEBUG_DEATH(moving->enter({}), "thread_");
}

TEST_F(FakeEngineTest, AReadOnlySessionTakesNoChange) {
  const auto reader = engine.make_session(engine::Mode::kReadOnly, "test");
  reader->enter({});
  EXPECT_EQ(insert(*reader, {text("1")}).error().code, ErrorCode::kLockTables);
}

TEST_F(FakeEngineTest, APositionFindsItsRowAgainUntilItIsGone) {
  ASSERT_TRUE(engine.add_row("test", "t", {"1", "1", "a"}));
  ASSERT_TRUE(engine.add_row("test", "t", {"2", "2", "b"}));
  const auto writer = session();
  engine::Cursor* cursor = *writer->cursor(all);
  ASSERT_TRUE(writer->begin_request(*cursor, engine::Access::kDelete, engine::Rows::kMany));
  ASSERT_TRUE(*cursor->seek(KeyOperator::kEqual, std::vector{text("1")}));
  const std::string position(cursor->position());
  ASSERT_TRUE(*cursor->next() == false);
  ASSERT_TRUE(*cursor->seek_position(position));
  EXPECT_EQ((*cursor->row())[2].text(), "a");
  ASSERT_TRUE(cursor->erase());
  EXPECT_FALSE(*cursor->seek_position(position));
  EXPECT_FALSE(cursor->row());
  writer->rollback();
}

TEST_F(FakeEngineTest, NextGoesOnFromARowThatWasDeleted) {
  for (const char* id : {"1", "2", "3"}) ASSERT_TRUE(engine.add_row("test", "t", {id, "1", id}));
  const auto writer = session();
  engine::Cursor* cursor = *writer->cursor(all);
  for (KeyOperator op : {KeyOperator::kGreaterOrEqual, KeyOperator::kLessOrEqual}) {
    ASSERT_TRUE(writer->begin_request(*cursor, engine::Access::kDelete, engine::Rows::kMany));
    ASSERT_TRUE(*cursor->seek(op, std::vector{text("2")}));
    ASSERT_TRUE(cursor->erase());
    EXPECT_TRUE(*cursor->next());
    EXPECT_EQ((*cursor->row())[0].text(), op == KeyOperator::kGreaterOrEqual ? "3" : "1");
    writer->undo_request();
  }
}

TEST_F(FakeEngineTest, ForgetsSpecsThatNoClientHasOpen) {
  const auto reader = session();
  std::weak_ptr<const engine::IndexSpec> gone;
  {
    const auto opened = spec("", {"id"});
    gone = opened;
    ASSERT_TRUE(reader->open(opened));
  }
  EXPECT_TRUE(gone.expired());
  ASSERT_TRUE(reader->open(spec("", {"s"})));
}

}  // namespace
}  // namespace hs::testing
