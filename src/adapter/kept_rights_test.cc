#include "adapter/kept_rights.h"

#include <gtest/gtest.h>

#include <memory>
#include <vector>

namespace hs::adapter {
namespace {

using Kept = KeptRights<int>;

TEST(KeptRights, AreThoseOfTheAccountUntilTheyAreTooOld) {
  RightsRoom room;
  Kept kept(room);
  EXPECT_EQ(kept.find(1, 0), nullptr);
  EXPECT_EQ(kept.keep(1, 1000, 10), 10);
  ASSERT_NE(kept.find(1, 1000 + kKeepRightsMs - 1), nullptr);
  EXPECT_EQ(*kept.find(1, 1000 + kKeepRightsMs - 1), 10);
  EXPECT_EQ(kept.find(1, 1000 + kKeepRightsMs), nullptr);
  EXPECT_EQ(kept.find(2, 1000), nullptr);
  kept.forget();
  EXPECT_EQ(kept.find(1, 1000), nullptr);
}

TEST(KeptRights, OfManyAccountsAreKeptAtOnce) {
  RightsRoom room;
  Kept kept(room);
  for (int account = 1; account <= 256; ++account) kept.keep(account, 0, account);
  for (int account = 1; account <= 256; ++account) {
    ASSERT_NE(kept.find(account, 0), nullptr) << account;
    EXPECT_EQ(*kept.find(account, 0), account);
  }
  EXPECT_EQ(kept.keep(257, 0, 257), 257);  // in the place of another
  EXPECT_EQ(kept.places(), Kept::kMost);
}

TEST(KeptRights, OfAllCursorsTogetherAreBounded) {
  RightsRoom room;
  std::vector<std::unique_ptr<Kept>> cursors;
  for (int i = 0; i < 100; ++i) {
    Kept& kept = *cursors.emplace_back(std::make_unique<Kept>(room));
    for (int account = 1; account <= 300; ++account) {
      EXPECT_EQ(kept.keep(account, 0, account), account);
    }
  }
  size_t places = 0;
  for (const auto& kept : cursors) places += kept->places();
  EXPECT_LE(places, RightsRoom::kMost + 100 * Kept::kFewest);
  EXPECT_EQ(cursors.back()->places(), Kept::kFewest);
  cursors.front()->forget();
  EXPECT_GE(room.left(), Kept::kMost - Kept::kFewest);
  cursors.clear();
  EXPECT_EQ(room.left(), RightsRoom::kMost);
}

}  // namespace
}  // namespace hs::adapter
