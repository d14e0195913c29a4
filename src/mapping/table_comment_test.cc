#include "mapping/table_comment.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <random>
#include <sstream>
#include <vector>

namespace hs::mapping {
namespace {

using Words = std::map<std::string, std::string>;

constexpr std::array<std::string_view, 7> kNames = {"ttl", "name",  "key", "value",
                                                    "sep", "flags", "cas"};

Words words_of(const TableComment& made) {
  const std::array<std::string_view, 7> values = {made.ttl, made.name,  made.key, made.value,
                                                  made.sep, made.flags, made.cas};
  Words words;
  for (size_t i = 0; i < values.size(); ++i)
    if (!values[i].empty()) words.emplace(kNames[i], values[i]);
  return words;
}

// What the header says, once more. None: it cannot be understood.
std::optional<Words> expected(const std::string& comment) {
  size_t at = 0;
  while (comment.substr(at, 3) != "hs:" ||
         (at > 0 && std::string(" \t\r\n").find(comment[at - 1]) == std::string::npos)) {
    if (++at > comment.size()) return Words();
  }
  std::istringstream rest(comment.substr(at + 3));
  Words words;
  for (std::string word; rest >> word;) {
    const size_t equals = word.find('=');
    if (equals == std::string::npos || equals + 1 == word.size()) return std::nullopt;
    const std::string name = word.substr(0, equals);
    if (std::find(kNames.begin(), kNames.end(), name) == kNames.end()) return std::nullopt;
    if (!words.emplace(name, word.substr(equals + 1)).second) return std::nullopt;
  }
  return words;
}

void check(const std::string& text) {
  // Of its own size, so that a read behind it is seen.
  const std::vector<char> comment(text.begin(), text.end());
  std::string error;
  const auto made = TableComment::parse({comment.data(), comment.size()}, &error);
  const auto wanted = expected(text);
  ASSERT_EQ(made.has_value(), wanted.has_value()) << text;
  ASSERT_EQ(error.empty(), wanted.has_value()) << text;
  if (made) {
    ASSERT_EQ(words_of(*made), *wanted) << text;
  }
}

std::string error_of(std::string_view comment) {
  std::string error;
  return TableComment::parse(comment, &error) ? "none" : error;
}

TableComment parse(std::string_view comment) {
  std::string error;
  const auto made = TableComment::parse(comment, &error);
  EXPECT_TRUE(made) << error;
  return made.value_or(TableComment());
}

TEST(TableCommentTest, TheColumnOfTheEndIsNamed) {
  EXPECT_EQ(parse("hs: ttl=expires_at").ttl, "expires_at");
  EXPECT_EQ(parse("hs:ttl=e").ttl, "e");
  EXPECT_EQ(parse("Sessions of users; hs:  ttl=e \n").ttl, "e");
  EXPECT_EQ(parse("hs: ttl=größe").ttl, "größe");
}

TEST(TableCommentTest, OtherCommentsSayNothing) {
  for (const char* comment : {"", "ttl=e", "the hs", "HS: ttl=e", "paths: ttl=e", "hs : ttl=e"})
    EXPECT_EQ(parse(comment).ttl, "") << comment;
  EXPECT_EQ(parse("hs:").ttl, "");
  EXPECT_EQ(parse("hs: ").ttl, "");
}

TEST(TableCommentTest, AllWordsAreKnown) {
  const TableComment all =
      parse("hs: name=user key=user_id,part value=data flags=f cas=c ttl=expires_at sep=:");
  EXPECT_EQ(all.name, "user");
  EXPECT_EQ(all.key, "user_id,part");
  EXPECT_EQ(all.value, "data");
  EXPECT_EQ(all.flags, "f");
  EXPECT_EQ(all.cas, "c");
  EXPECT_EQ(all.ttl, "expires_at");
  EXPECT_EQ(all.sep, ":");
  EXPECT_EQ(parse("hs: sep==").sep, "=");
}

TEST(TableCommentTest, WhatIsNotUnderstoodIsSaid) {
  EXPECT_EQ(error_of("hs: tll=e"), "an unknown word in the comment: tll=e");
  EXPECT_EQ(error_of("hs: ttl"), "a word without = in the comment: ttl");
  EXPECT_EQ(error_of("hs: ttl="), "a word without a value in the comment: ttl=");
  EXPECT_EQ(error_of("hs: ttl=a ttl=b"), "a word that is there already in the comment: ttl=b");
  EXPECT_EQ(error_of("hs: ttl=e, and more"), "a word without = in the comment: and");
  EXPECT_EQ(error_of("x hs: ttl=e hs: ttl=f"), "a word without = in the comment: hs:");
}

TEST(TableCommentTest, EveryCommentOfAFewPiecesIsUnderstoodAsItIsWritten) {
  constexpr std::array<std::string_view, 8> kPieces = {"hs:", " ",    "ttl", "=",
                                                       "e",   "cas=", "\n",  ":"};
  for (size_t length = 0, count = 1; length <= 6; ++length, count *= kPieces.size()) {
    for (size_t number = 0; number < count; ++number) {
      std::string comment;
      for (size_t rest = number, i = 0; i < length; ++i, rest /= kPieces.size())
        comment += kPieces[rest % kPieces.size()];
      ASSERT_NO_FATAL_FAILURE(check(comment));
    }
  }
}

TEST(TableCommentTest, RandomBytesAreUnderstoodAsTheyAreWritten) {
  constexpr std::array<std::string_view, 10> kPieces = {
      "hs:", " hs: ", "ttl=", "name=", "key=", "value=", "sep=", " ", "=", "\xc3"};
  std::mt19937 draw(1);  // NOLINT(cert-msc51-cpp): the same comments each time
  for (int i = 0; i < 100'000; ++i) {
    std::string comment;
    for (size_t pieces = draw() % 12; pieces > 0; --pieces) {
      if (draw() % 2 == 0) {
        comment += kPieces[draw() % kPieces.size()];
      } else {
        // Other blanks than the four are none.
        const char byte = static_cast<char>(draw() % 256);
        if (byte != '\v' && byte != '\f') comment += byte;
      }
    }
    ASSERT_NO_FATAL_FAILURE(check(comment));
  }
}

}  // namespace
}  // namespace hs::mapping
