#include "adapter/settings_age.h"

#include <gtest/gtest.h>

namespace hs::adapter {
namespace {

TEST(SettingsAge, SettingsAreOldWhenASecondHasPassedWhole) {
  SettingsAge age;
  age.note_taken(1000);
  EXPECT_FALSE(age.is_old(1000));
  EXPECT_FALSE(age.is_old(1001));
  EXPECT_TRUE(age.is_old(1002));
  age.note_taken(1002);
  EXPECT_FALSE(age.is_old(1003));
}

TEST(SettingsAge, AClockThatIsSetBackMakesNothingOld) {
  SettingsAge age;
  age.note_taken(1000);
  EXPECT_FALSE(age.is_old(10));
}

}  // namespace
}  // namespace hs::adapter
