// Finds and changes of one row allocate nothing: a program of its own, since it replaces operator new.
#include <gtest/gtest.h>

#include <cstdlib>
#include <new>

#include "testing/fixtures/exec_fixture.h"
#include "testing/fixtures/stub_session.h"

namespace {
size_t allocations = 0;
}

void* operator new(size_t size) {
  ++allocations;
  if (void* memory = std::malloc(size)) return memory;
  throw std::bad_alloc();
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, size_t) noexcept { std::free(memory); }

namespace hs::exec {
namespace {

class CountingReply : public protocol::ReplyWriter {
 public:
  size_t rows = 0;
  size_t errors = 0;
  void ok() override {}
  void count(uint64_t) override {}
  void begin_rows(size_t) override {}
  bool row(std::span<const Value>) override { return ++rows > 0; }
  void take_back_row() override {}
  void end_rows() override {}
  void error(const Error&) override { ++errors; }
};

TEST(Find, AllocatesNothingOnceTheScratchHasGrown) {
  SpecPool pool;
  Client client(pool);
  Meter meter;
  Scratch scratch(meter);
  const Context context;
  StubSession session;
  session.rows.rows = 100;
  client.set(7, pool.intern({"", "", "", {}, {"f"}}));
  CountingReply reply;
  const Ask plain = Ask::find(7, ">", {"0"}, 10, 5);
  const Ask in = Ask::find(7, "=", {"a", "0"}, 10).in(1, {"1", "2", "3"});
  const Ask wrong = Ask::find(7, "=", {"1", "2", "3"});
  const Ask filtered = Ask::find(7, ">", {"0"}, 10).skip_unless(0, "=", "x");
  const Ask unknown = Ask::find(8, "=", {"1"});

  plan_and_execute(context, filtered.request(), client, session, scratch, reply);
  reply.rows = 0;
  const size_t before = allocations;
  plan_and_execute(context, plain.request(), client, session, scratch, reply);
  plan_and_execute(context, in.request(), client, session, scratch, reply);
  plan_and_execute(context, filtered.request(), client, session, scratch, reply);
  plan_and_execute(context, wrong.request(), client, session, scratch, reply);
  plan_and_execute(context, unknown.request(), client, session, scratch, reply);
  EXPECT_EQ(allocations, before);
  EXPECT_EQ(reply.rows, 23u);
  EXPECT_EQ(reply.errors, 2u);
}

TEST(Put, AllocatesNothing) {
  SpecPool pool;
  Client client(pool);
  Meter meter;
  Scratch scratch(meter);
  Context context;
  context.mode = engine::Mode::kReadWrite;
  StubSession session;
  client.set(7, pool.intern({"", "", "", {"a", "b"}, {}}));
  CountingReply reply;
  const Ask asks[] = {Ask::insert(7, {"1", "2"}),
                      Ask::upsert(7, {"1", "2"}),
                      Ask::upsert(7, {"1", "2"}).with({"3"}),
                      Ask::put(7, protocol::OnDuplicate::kIgnore, {"1"}),
                      Ask::put(7, protocol::OnDuplicate::kReplace, {"1"}).returning_old(),
                      Ask::upsert(7, {"1", "2"}).returning_new()};
  const size_t before = allocations;
  for (const Ask& ask : asks) {
    plan_and_execute(context, ask.request(), client, session, scratch, reply);
  }
  EXPECT_EQ(allocations, before);
  EXPECT_EQ(reply.errors, 0u);
  EXPECT_EQ(reply.rows, 5u);
}

}  // namespace
}  // namespace hs::exec
