#include "exec/transaction.h"

#include <string>

#include "testing/fixtures/exec_fixture.h"

namespace hs::exec {
namespace {

class TransactionTest : public ExecTest {
 protected:
  // What becomes of a savepoint of that name: 0, or the number of SQL's error.
  int set_savepoint(std::string_view name) {
    protocol::Request request;
    request.verb = protocol::Verb::kTransaction;
    request.step = protocol::TransactionStep::kSavepoint;
    request.savepoint = name;
    const Result<void> done = take_step(request, *session);
    if (done) return 0;
    return done.error().code == ErrorCode::kSql ? done.error().number : -1;
  }
};

TEST_F(TransactionTest, ASavepointHasANameThatSqlCanSpell) {
  using namespace std::string_view_literals;
  ASSERT_TRUE(session->begin_transaction({}));
  for (const std::string_view name : {"a"sv, " "sv, "\x7f"sv, "\xc2\x80"sv, "\xdf\xbf"sv,
                                      "\xe0\xa0\x80"sv, "a\xef\xbf\xbf"sv, "\x01`'\""sv}) {
    EXPECT_EQ(set_savepoint(name), 0) << name;
  }
  for (const std::string_view name :
       {"\0"sv, "a\0b"sv, "\x80"sv, "\xbf"sv, "\xc0\x80"sv, "\xc1\xbf"sv, "\xc2"sv, "\xc2z"sv,
        "\xc2\xc2"sv, "\xe0\x9f\xbf"sv, "\xe2\x82"sv, "\xe2\x82z"sv, "\xf0\x90\x80\x80"sv,
        "\xff"sv}) {
    EXPECT_EQ(set_savepoint(name), 1300) << name;
  }
}

TEST_F(TransactionTest, TheNameOfASavepointIsBounded) {
  ASSERT_TRUE(session->begin_transaction({}));
  EXPECT_EQ(set_savepoint(std::string(engine::kMaxSavepointName, 'x')), 0);
  EXPECT_EQ(set_savepoint(std::string(engine::kMaxSavepointName + 1, 'x')), 1059);
  EXPECT_EQ(set_savepoint(""), -1);
}

}  // namespace
}  // namespace hs::exec
