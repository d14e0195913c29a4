#include "protocol/handlersocket/error_text.h"

#include <gtest/gtest.h>

#include <set>

namespace hs::protocol::handlersocket {
namespace {

TEST(Errors, EveryTextIsOneTokenAndDistinct) {
  std::set<std::string> seen;
  for (size_t i = 0; i < error_count(); ++i) {
    const auto code = static_cast<ErrorCode>(i);
    EXPECT_GE(wire_code(code), 1);
    EXPECT_LE(wire_code(code), 3);
    for (char c : wire_text(code)) EXPECT_GT(c, ' ') << error_name(code);
    EXPECT_TRUE(seen.insert(std::string(wire_text(code))).second) << error_name(code);
  }
}

TEST(Errors, EngineErrorsAreDecimalNumbers) { EXPECT_EQ(wire_text(Error::engine(121)), "121"); }

TEST(Errors, ADeniedRequestSaysTheNumberOfTheSqlErrorBehindABlank) {
  EXPECT_EQ(wire_text(Error::access_denied(1143)), "access_denied 1143");
}

TEST(Errors, SqlErrorsCarryTheServersSentenceOnOneLine) {
  EXPECT_EQ(wire_text(Error::sql(1366, "Incorrect value: 'a\tb\n\x01'")),
            "sql_1366 Incorrect value: 'a?b?\?'");
}

}  // namespace
}  // namespace hs::protocol::handlersocket
