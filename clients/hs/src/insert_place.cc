#include "insert_place.h"

#include <fmt/format.h>

#include <algorithm>
#include <handlersocket2.hpp>

namespace hs::tool {

Place insert_place(Server& server, const std::string& table) {
  Rows indexes;
  try {
    indexes = server.indexes(table);
  } catch (const UnsupportedError&) {  // a server that describes no tables
    return {table};
  } catch (const AuthenticationError&) {  // the write port may take what the read port does not
    return {table};
  }
  const auto find = [&](auto is_it) {
    return std::find_if(indexes.rows.begin(), indexes.rows.end(), is_it);
  };
  auto found = find([](const Row& part) { return part.at(0) == "PRIMARY"; });
  // FULLTEXT indexes have no order, and cannot be opened.
  if (found == indexes.rows.end()) found = find([](const Row& part) { return bool(part.at(4)); });
  if (found == indexes.rows.end()) {
    throw UsageError(fmt::format("{} has no index: rows are only added by SQL", table));
  }
  return {table, found->at(0).value_or("")};
}

}  // namespace hs::tool
