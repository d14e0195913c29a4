#include "adapter/lasting_text.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace hs::adapter {
namespace {

TEST(LastingText, StaysWhereItIsAndIsOneForTheSameWords) {
  const char* const text =
      lasting_text("handlersocket: a name that is too long for a string itself");
  std::vector<const char*> others;
  others.reserve(1000);
  for (int i = 0; i < 1000; ++i) others.push_back(lasting_text("other " + std::to_string(i)));
  EXPECT_STREQ(text, "handlersocket: a name that is too long for a string itself");
  EXPECT_EQ(lasting_text("handlersocket: a name that is too long for a string itself"), text);
  for (int i = 0; i < 1000; ++i) EXPECT_EQ(lasting_text("other " + std::to_string(i)), others[i]);
}

}  // namespace
}  // namespace hs::adapter
