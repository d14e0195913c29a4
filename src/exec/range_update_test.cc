// Changes of several rows, whose positions are collected first: cases that the fake engine cannot
// produce.
#include <gtest/gtest.h>

#include "exec/positions.h"
#include "testing/fixtures/exec_fixture.h"
#include "testing/fixtures/stub_session.h"

namespace hs::exec {
namespace {

std::string update_all(StubSession& session, bool returns_old = false) {
  SpecPool pool;
  Client client(pool);
  Meter meter;
  Scratch scratch(meter);
  Context context;
  context.mode = engine::Mode::kReadWrite;
  RecordingReply reply;
  client.set(1, pool.intern({}));
  Ask ask = Ask::find(1, ">", {"0"}, 1000000).update({});
  if (returns_old) ask = std::move(ask).returning_old();
  plan_and_execute(context, ask.request(), client, session, scratch, reply);
  return reply.take();
}

TEST(RangeUpdate, LeavesRowsAloneThatNoLongerMeetTheFilters) {
  StubSession session;
  session.rows.rows = 5;  // passes() takes the even ones at first, and none later
  SpecPool pool;
  Client client(pool);
  Meter meter;
  Scratch scratch(meter);
  Context context;
  context.mode = engine::Mode::kReadWrite;
  RecordingReply reply;
  engine::IndexSpec spec;
  spec.filter_columns = {"f"};
  client.set(1, pool.intern(spec));
  session.rows.passing_stops_after = 2;
  plan_and_execute(context,
                   Ask::find(1, ">", {"0"}, 1000000).skip_unless(0, "=", "x").update({}).request(),
                   client, session, scratch, reply);
  EXPECT_EQ(reply.take(), "count 0");
  EXPECT_EQ(session.rows.updated, 0u);
}

TEST(RangeUpdate, SkipsRowsThatAreGone) {
  StubSession session;
  session.rows.rows = 5;
  session.rows.row_is_there = [](uint64_t nth) { return nth % 2 == 0; };
  EXPECT_EQ(update_all(session), "count 3");
  EXPECT_EQ(session.rows.updated, 3u);
}

// By a cascade from a row that has expired and gives way.
TEST(RangeUpdate, TakesBackRowsThatItsOwnChangeHasTakenAway) {
  StubSession session;
  session.rows.rows = 3;
  session.rows.update_outcome = [](uint64_t nth) {
    return nth == 1 ? StubCursor::Updated::kGone : StubCursor::Updated::kDone;
  };
  EXPECT_EQ(update_all(session), "count 2");
  session.rows.update_outcome = [](uint64_t nth) {
    return nth == 4 ? StubCursor::Updated::kGone : StubCursor::Updated::kDone;
  };
  EXPECT_EQ(update_all(session, true), "rows 0: [] []");
}

TEST(RangeUpdate, SetsARowAnewThatItsOwnChangeHasAltered) {
  StubSession session;
  session.rows.rows = 3;
  session.rows.update_outcome = [](uint64_t nth) {
    return nth == 1 ? StubCursor::Updated::kAltered : StubCursor::Updated::kDone;
  };
  EXPECT_EQ(update_all(session), "count 3");
  EXPECT_EQ(session.rows.updated, 3u);
  session.rows.update_outcome = [](uint64_t nth) {
    return nth == 5 ? StubCursor::Updated::kAltered : StubCursor::Updated::kDone;
  };
  EXPECT_EQ(update_all(session, true), "rows 0: [] [] []");
}

TEST(RangeUpdate, BoundsTheBytesOfItsPositions) {
  const size_t rows = 16;
  const std::string position(kMaxPositionBytes / rows - sizeof(uint32_t) + 1, 'p');
  StubSession fits;
  fits.rows.rows = rows;
  fits.rows.position_text = std::string_view(position).substr(1);
  EXPECT_EQ(update_all(fits), "count 16");
  StubSession exceeds;
  exceeds.rows.rows = rows;
  exceeds.rows.position_text = position;
  EXPECT_EQ(update_all(exceeds), "error too_many_rows");
  EXPECT_EQ(exceeds.rows.updated, 0u);
  EXPECT_TRUE(exceeds.undone);
}

}  // namespace
}  // namespace hs::exec
