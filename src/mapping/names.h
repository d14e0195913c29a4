// The names that keys begin with, and lists of names.
//
// A name has letters, digits, `_`, `-`, `$` and bytes beyond ASCII, a separator is other punctuation
// of ASCII. So the first separator of a key ends its name, and no name can hide another one.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace hs::mapping {

bool is_separator(char c);
// Whether the text is one or more characters that names have.
bool is_plain(std::string_view text);

// ASCII letters are the same in either case.
bool is_same_name(std::string_view one, std::string_view other);

// What stands between any of the characters `between`, without empty ones.
std::vector<std::string> split_names(std::string_view list, std::string_view between);

// What a key begins with, up to its first separator.
struct Head {
  std::string_view name;             // <database>.<table>, too
  std::string_view database, table;  // empty: the name has no dot
  std::string_view rest;             // behind the separator
};
// False: the key has no separator, or what stands before it is no name.
bool take_head(std::string_view key, Head* head);

}  // namespace hs::mapping
