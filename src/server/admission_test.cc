#include "server/admission.h"

#include <gtest/gtest.h>

#include "testing/fake_engine.h"

namespace hs::server {
namespace {

class AdmissionTest : public ::testing::Test {
 protected:
  class WantingEngine final : public testing::FakeEngine {
   public:
    uint64_t wanted_descriptors() const override { return wanted; }
    uint64_t wanted = 0;
  };

  bool admits(int number, uint64_t connections) const {
    return admission_.has_room(number, connections);
  }

  WantingEngine engine_;
  uint64_t limit_ = 1000;
  Admission admission_{engine_, 50, [this] { return limit_; }};
};

TEST_F(AdmissionTest, ConnectionsTakeWhatTheDatabaseDoesNotWant) {
  engine_.wanted = 200;
  EXPECT_EQ(admission_.most_connections(), 750u);
  EXPECT_TRUE(admits(10, 749));
  EXPECT_FALSE(admits(10, 750));
}

TEST_F(AdmissionTest, TheDatabaseNeverTakesMoreThanHalf) {
  engine_.wanted = 40'000;
  EXPECT_EQ(admission_.most_connections(), 450u);
  EXPECT_TRUE(admits(10, 449));
  EXPECT_FALSE(admits(10, 450));
}

TEST_F(AdmissionTest, SomeAreFreeWhateverTheDatabaseHasTaken) {
  engine_.wanted = 200;
  EXPECT_TRUE(admits(949, 1));
  EXPECT_FALSE(admits(950, 1));
}

TEST_F(AdmissionTest, AnEngineThatWantsNoneLeavesAllToConnections) {
  EXPECT_EQ(admission_.most_connections(), 950u);
  EXPECT_TRUE(admits(999, 949));
  EXPECT_FALSE(admits(999, 950));
}

TEST_F(AdmissionTest, ALimitThatChangesCountsAtOnce) {
  engine_.wanted = 100;
  EXPECT_TRUE(admits(10, 400));
  limit_ = 300;
  EXPECT_FALSE(admits(10, 400));
  EXPECT_EQ(admission_.most_connections(), 150u);
  limit_ = 60;
  EXPECT_EQ(admission_.most_connections(), 0u);
  limit_ = 0;
  EXPECT_FALSE(admits(10, 0));
  limit_ = UINT64_MAX;
  EXPECT_TRUE(admits(1 << 30, 1'000'000));
}

TEST_F(AdmissionTest, TheReasonNamesTheNumbers) {
  engine_.wanted = 200;
  EXPECT_EQ(admission_.reason(),
            "the process may open 1000 files, and 200 of them are for the database "
            "(open_files_limit)");
}

}  // namespace
}  // namespace hs::server
