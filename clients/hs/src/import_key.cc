#include "import_key.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>

namespace hs::tool {

ImportKeys::ImportKeys(Server& server, const std::string& table,
                       const std::vector<std::string>& columns) {
  std::map<std::string, bool> makes_ids;
  for (const Row& row : server.describe(table).rows) {
    const std::string extra = row.at(5).value_or("");
    makes_ids[row.at(0).value_or("")] = extra.find("auto_increment") != std::string::npos;
  }
  std::map<std::string, Key> keys;
  for (const Row& row : server.indexes(table).rows) {
    const std::string column = row.at(2).value_or("");
    if (row.at(3) == "1") keys[row.at(0).value_or("")].push_back({column, makes_ids[column]});
  }
  const auto is_there = [&](const Part& part) {
    return columns.empty() ||
           std::find(columns.begin(), columns.end(), part.column) != columns.end();
  };
  for (auto& [name, key] : keys) {
    if (std::all_of(key.begin(), key.end(), is_there)) keys_.push_back(std::move(key));
  }
}

bool ImportKeys::has(const Fields& row, const Part& part) {
  const auto is_it = [&](const Field& field) { return field.column == part.column; };
  const auto found = std::find_if(row.begin(), row.end(), is_it);
  if (found == row.end() || !found->value) return false;
  return !part.makes_ids || std::fabs(std::strtod(found->value->c_str(), nullptr)) >= 0.5;
}

bool ImportKeys::tell(const Fields& row) const {
  const auto is_whole = [&](const Key& key) {
    return std::all_of(key.begin(), key.end(), [&](const Part& part) { return has(row, part); });
  };
  return std::any_of(keys_.begin(), keys_.end(), is_whole);
}

}  // namespace hs::tool
