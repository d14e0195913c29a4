#include "known_row.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace hs::bench {
namespace {

bool is_row(uint32_t key, std::string_view text, EmailForm form = {}) {
  return KnownRow(key, form).take_from(&text) && text.empty();
}

std::string updated(uint32_t key, uint64_t update, EmailForm form = {}) {
  std::string text;
  KnownRow(key, form).append_updated_email(update, &text);
  return text;
}

TEST(KnownRowTest, AcceptsTheColumnsOfItsKey) {
  EXPECT_TRUE(is_row(7, "user name 7\tuser7@example.com\t2010-02-03 11:22:33"));
  EXPECT_TRUE(
      is_row(4294967295, "user name 4294967295\tuser4294967295@example.com\t2010-02-03 11:22:33"));
}

TEST(KnownRowTest, TheRow101IsTheSampleRow) {
  EXPECT_TRUE(is_row(101, "Yukari Takeba\tyukari.takeba@dena.jp\t2010-02-03 11:22:33"));
  EXPECT_FALSE(is_row(101, "user name 101\tuser101@example.com\t2010-02-03 11:22:33"));
}

TEST(KnownRowTest, RefusesEverythingElse) {
  EXPECT_FALSE(is_row(7, "user name 8\tuser8@example.com\t2010-02-03 11:22:33"));
  EXPECT_FALSE(is_row(7, "user name 7\tuser8@example.com\t2010-02-03 11:22:33"));
  EXPECT_FALSE(is_row(7, "user name 7\tuser7@example.com\t2010-02-03 11:22:34"));
  EXPECT_FALSE(is_row(7, "user name 7\tuser7@example.comx\t2010-02-03 11:22:33"));
  EXPECT_FALSE(is_row(7, "user name 7\tuser7+1@example.com\t2010-02-03 11:22:33"));
  EXPECT_FALSE(is_row(7, "user name 7\tuser7@example.com\t2010-02-03 11:22:33\tx"));
  EXPECT_FALSE(is_row(7, "user name 7\tuser7@example.com"));
  EXPECT_FALSE(is_row(7, ""));
}

TEST(KnownRowTest, KnowsTheKeyOfAName) {
  EXPECT_EQ(KnownRow::key_of("user name 7"), 7u);
  EXPECT_EQ(KnownRow::key_of("Yukari Takeba"), 101u);
  EXPECT_EQ(KnownRow::key_of("user name 7x"), std::nullopt);
  EXPECT_EQ(KnownRow::key_of("user name "), std::nullopt);
  EXPECT_EQ(KnownRow::key_of(""), std::nullopt);
}

TEST(KnownRowTest, EmailsArePaddedToTheirSize) {
  const EmailForm form{64, false};
  std::string email;
  KnownRow(7, form).append_email(&email);
  EXPECT_EQ(email, "user7@example.com" + std::string(64 - 17, 'x'));
  EXPECT_TRUE(KnownRow(7, form).matches("user name 7", email, "2010-02-03 11:22:33"));
  EXPECT_FALSE(KnownRow(7).matches("user name 7", email, "2010-02-03 11:22:33"));
  email.pop_back();
  EXPECT_FALSE(KnownRow(7, form).matches("user name 7", email, "2010-02-03 11:22:33"));
  email += 'y';
  EXPECT_FALSE(KnownRow(7, form).matches("user name 7", email, "2010-02-03 11:22:33"));
}

TEST(KnownRowTest, UpdatesDifferAndAreAcceptedWhereTheyMayBe) {
  EXPECT_EQ(updated(7, 12), "user7+12@example.com");
  EXPECT_EQ(updated(101, 12), "user101+12@example.com");
  const EmailForm form{64, true};
  const KnownRow row(7, form);
  EXPECT_EQ(updated(7, UINT64_MAX, form).size(), 64u);
  EXPECT_TRUE(row.matches("user name 7", updated(7, 12, form), row.created()));
  EXPECT_FALSE(row.matches("user name 7", updated(8, 12, form), row.created()));
  EXPECT_FALSE(row.matches("user name 7", updated(7, 12), row.created()));
  EXPECT_FALSE(KnownRow(7).matches("user name 7", updated(7, 12), row.created()));
}

}  // namespace
}  // namespace hs::bench
