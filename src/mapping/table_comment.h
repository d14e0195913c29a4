// What a table says of itself in its COMMENT, so that dumps, replicas and ALTER keep it:
//
//   COMMENT 'sessions of users; hs: ttl=expires_at'
//
// Behind `hs:` follow words with blanks between them, up to the end of the comment. What stands
// before it means nothing here.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace hs::mapping {

// The values are parts of the comment. Empty: not given.
struct TableComment {
  std::string_view ttl;  // the column that says when a row expires
  // How other front ends see the table: the name that their keys begin with, the columns of the key
  // and of the value, what stands between these, and the columns for flags and versions.
  std::string_view name, key, value, sep, flags, cas;

  // `hs:` stands at the beginning of `comment` or behind a blank; if it is not there, everything is
  // empty. None: *error is one sentence, without the table's name.
  static std::optional<TableComment> parse(std::string_view comment, std::string* error);
};

}  // namespace hs::mapping
