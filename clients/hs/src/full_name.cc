#include "full_name.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "rows.h"

namespace hs::tool {
namespace {

// Takes the first part from `text`; empty: there is none.
std::string take_part(std::string& text) {
  if (text.empty() || text[0] != '`') {
    const size_t end = std::min(text.find('.'), text.size());
    std::string part = text.substr(0, end);
    text.erase(0, end);
    return part;
  }
  std::string part;
  for (size_t at = 1; at < text.size(); at++) {
    if (text[at] == '`' && text[++at] != '`') {  // behind the last character is a NUL
      text.erase(0, at);
      return part;
    }
    part += text[at];
  }
  return "";
}

std::string part_of(const std::string& name) {
  if (name.find_first_of(".`") == std::string::npos) return name;
  std::string quoted = "`";
  for (const char c : name) quoted.append(c == '`' ? 2 : 1, c);
  return quoted + "`";
}

}  // namespace

FullName full_name_of(const std::string& text) {
  std::string rest = text;
  FullName name;
  name.table = take_part(rest);
  if (!name.table.empty() && rest.empty()) return name;
  if (!name.table.empty() && rest[0] == '.') {
    rest.erase(0, 1);
    name.database = std::move(name.table);
    const bool quoted = !rest.empty() && rest[0] == '`';
    name.table = quoted ? take_part(rest) : std::exchange(rest, "");
    if (!name.table.empty() && rest.empty()) return name;
  }
  throw UsageError(fmt::format("\"{}\" is no name; a table is named DATABASE.TABLE", text));
}

std::string text_of(const FullName& name) {
  const std::string table = part_of(name.table);
  return name.database.empty() ? table : part_of(name.database) + "." + table;
}

}  // namespace hs::tool
