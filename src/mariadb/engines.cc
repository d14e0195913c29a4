// SPDX-License-Identifier: GPL-2.0-only
#include "mariadb/engines.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace hs::mariadb {
namespace {

std::string_view name_of(const handler* file) {
  const LEX_CSTRING& name = *hton_name(file->partition_ht());
  return {name.str, name.length};
}

}  // namespace

bool is_served(const handler* file) {
  constexpr auto kServed = std::to_array<std::string_view>(
      {"InnoDB", "Aria", "MyISAM", "MEMORY", "ROCKSDB", "ARCHIVE", "BLACKHOLE", "CSV", "FEDERATED",
       "SEQUENCE", "S3", "SPIDER"});
  return std::ranges::find(kServed, name_of(file)) != kServed.end();
}

bool is_of_server(const handler* file) {
  switch (file->partition_ht()->db_type) {
    case DB_TYPE_INNODB:
    case DB_TYPE_MYISAM:
    case DB_TYPE_ARIA:
    case DB_TYPE_HEAP:
      return true;
    default:
      return false;
  }
}

bool is_remote(const handler* file) { return is_spider(file) || name_of(file) == "FEDERATED"; }

bool is_spider(const handler* file) { return name_of(file) == "SPIDER"; }

}  // namespace hs::mariadb
