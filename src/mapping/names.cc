#include "mapping/names.h"

#include <algorithm>

namespace hs::mapping {
namespace {

// A name of 64 characters, twice, each of four bytes at most, with a dot between them.
constexpr size_t kLongestName = 2 * 64 * 4 + 1;

char folded(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool is_of_names(char c) {
  const char small = folded(c);
  return (small >= 'a' && small <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '-' ||
         c == '$' || static_cast<unsigned char>(c) >= 0x80;
}

}  // namespace

bool is_separator(char c) { return c > ' ' && c <= '~' && c != '.' && !is_of_names(c); }

bool is_plain(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), is_of_names);
}

bool is_same_name(std::string_view one, std::string_view other) {
  return std::equal(one.begin(), one.end(), other.begin(), other.end(),
                    [](char a, char b) { return folded(a) == folded(b); });
}

std::vector<std::string> split_names(std::string_view list, std::string_view between) {
  std::vector<std::string> names;
  for (;;) {
    list.remove_prefix(std::min(list.find_first_not_of(between), list.size()));
    if (list.empty()) return names;
    const std::string_view name = list.substr(0, list.find_first_of(between));
    names.emplace_back(name);
    list.remove_prefix(name.size());
  }
}

bool take_head(std::string_view key, Head* head) {
  const std::string_view near = key.substr(0, kLongestName + 1);
  const auto* const end = std::find_if(near.begin(), near.end(), is_separator);
  if (end == near.end()) return false;
  *head = {};
  head->name = near.substr(0, static_cast<size_t>(end - near.begin()));
  head->rest = key.substr(head->name.size() + 1);
  const size_t dot = head->name.find('.');
  if (dot == std::string_view::npos) return is_plain(head->name);
  head->database = head->name.substr(0, dot);
  head->table = head->name.substr(dot + 1);
  return is_plain(head->database) && is_plain(head->table);
}

}  // namespace hs::mapping
