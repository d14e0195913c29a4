#include "adapter/shared_by_key.h"

#include <gtest/gtest.h>

#include <vector>

namespace hs::adapter {
namespace {

TEST(SharedByKeyTest, FindsWhatSomebodyStillHas) {
  SharedByKey<int> objects;
  EXPECT_EQ(objects.find("a"), nullptr);
  auto object = std::make_shared<int>(1);
  objects.add("a", object);
  EXPECT_EQ(objects.find("a"), object);
  EXPECT_EQ(objects.find("b"), nullptr);
  object.reset();
  EXPECT_EQ(objects.find("a"), nullptr);
}

TEST(SharedByKeyTest, TheLastOneOfAKeyCounts) {
  SharedByKey<int> objects;
  const auto first = std::make_shared<int>(1), second = std::make_shared<int>(2);
  objects.add("a", first);
  objects.add("a", second);
  EXPECT_EQ(objects.find("a"), second);
}

TEST(SharedByKeyTest, KeysOfObjectsThatAreGoneAreForgotten) {
  SharedByKey<int> objects;
  for (int i = 0; i < 10'000; ++i) {
    objects.add(std::to_string(i), std::make_shared<int>(i));
    ASSERT_LE(objects.size(), SharedByKey<int>::kFewest);
  }
}

TEST(SharedByKeyTest, ObjectsThatAreHeldStay) {
  SharedByKey<int> objects;
  std::vector<std::shared_ptr<int>> held;
  for (int i = 0; i < 1'000; ++i) {
    held.push_back(std::make_shared<int>(i));
    objects.add(std::to_string(i), held.back());
  }
  for (int i = 0; i < 1'000; ++i) EXPECT_EQ(objects.find(std::to_string(i)), held[size_t(i)]);
}

}  // namespace
}  // namespace hs::adapter
