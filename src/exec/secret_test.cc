#include "exec/secret.h"

#include <gtest/gtest.h>

#include <cstring>
#include <string>

namespace hs::exec {
namespace {

TEST(Secret, MatchesItsOwnTextOnly) {
  const Secret secret("sesame");
  EXPECT_TRUE(secret.is_set());
  EXPECT_TRUE(secret.matches("sesame"));
  for (const char* other : {"", "s", "sesam", "sesames", "Sesame", "sesamesesame"}) {
    EXPECT_FALSE(secret.matches(other)) << other;
  }
  EXPECT_FALSE(secret.matches({"sesame\0", 7}));
  const std::string longest(4096, 'x');
  EXPECT_TRUE(Secret(longest).matches(longest));
  EXPECT_FALSE(Secret(longest).matches(longest + "x"));
}

TEST(Secret, WithoutOneOnlyTheEmptyTextIsRight) {
  for (const Secret& none : {Secret(), Secret("")}) {
    EXPECT_FALSE(none.is_set());
    EXPECT_TRUE(none.matches(""));
    EXPECT_FALSE(none.matches("x"));
  }
}

TEST(Secret, KeepsNothingOfItsText) {
  const Secret secret("open sesame");
  const std::string bytes(reinterpret_cast<const char*>(&secret), sizeof secret);
  EXPECT_EQ(bytes.find("sesame"), std::string::npos);
}

}  // namespace
}  // namespace hs::exec
