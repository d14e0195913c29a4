#include "mapping/table_comment.h"

#include <algorithm>
#include <array>
#include <utility>

namespace hs::mapping {
namespace {

constexpr std::string_view kMark = "hs:";
constexpr std::string_view kBlanks = " \t\r\n";

using Member = std::string_view TableComment::*;
constexpr std::array<std::pair<std::string_view, Member>, 7> kWords = {{
    {"ttl", &TableComment::ttl},
    {"name", &TableComment::name},
    {"key", &TableComment::key},
    {"value", &TableComment::value},
    {"sep", &TableComment::sep},
    {"flags", &TableComment::flags},
    {"cas", &TableComment::cas},
}};

// What follows the mark. None: there is no mark.
std::optional<std::string_view> behind_mark(std::string_view comment) {
  for (size_t at = comment.find(kMark); at != std::string_view::npos;
       at = comment.find(kMark, at + 1)) {
    if (at == 0 || kBlanks.find(comment[at - 1]) != std::string_view::npos)
      return comment.substr(at + kMark.size());
  }
  return std::nullopt;
}

std::string_view take_word(std::string_view& text) {
  text.remove_prefix(std::min(text.find_first_not_of(kBlanks), text.size()));
  const std::string_view word = text.substr(0, text.find_first_of(kBlanks));
  text.remove_prefix(word.size());
  return word;
}

// Whether the word was understood. Else *error is set.
bool take(std::string_view word, TableComment& made, std::string* error) {
  const auto fail = [&](const char* what) {
    *error = std::string(what) + " in the comment: " + std::string(word);
    return false;
  };
  const size_t equals = word.find('=');
  if (equals == std::string_view::npos) return fail("a word without =");
  const std::string_view name = word.substr(0, equals);
  const auto* const known = std::find_if(kWords.begin(), kWords.end(),
                                         [name](const auto& one) { return one.first == name; });
  if (known == kWords.end()) return fail("an unknown word");
  if (equals + 1 == word.size()) return fail("a word without a value");
  std::string_view& value = made.*known->second;
  if (!value.empty()) return fail("a word that is there already");
  value = word.substr(equals + 1);
  return true;
}

}  // namespace

std::optional<TableComment> TableComment::parse(std::string_view comment, std::string* error) {
  TableComment made;
  std::optional<std::string_view> rest = behind_mark(comment);
  if (!rest) return made;
  for (;;) {
    const std::string_view word = take_word(*rest);
    if (word.empty()) return made;
    if (!take(word, made, error)) return std::nullopt;
  }
}

}  // namespace hs::mapping
