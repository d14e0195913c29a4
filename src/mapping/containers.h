// The configuration of the old InnoDB memcached plugin, as it stands in its tables:
//
//   innodb_memcache.containers      name, db_schema, db_table, key_columns, value_columns, flags,
//                                   cas_column, expire_time_column, unique_idx_name_on_key
//   innodb_memcache.config_options  name, value
//
// A key `@@name.key` is of the container `name`; a key without @@ is of the one named `default`, or
// else of the first by its name.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "mapping/mapping.h"

namespace hs::mapping {

inline constexpr std::string_view kContainerMark = "@@";

struct Container {
  std::string name, database, table;
  Declaration declared;

  bool operator==(const Container&) const = default;
};

struct Containers {
  std::vector<Container> all;   // in the order of their names
  std::string delimiter = ".";  // between @@name and the key
  std::string separator;        // between values

  // Null: there is none.
  const Container* standard() const;

  bool operator==(const Containers&) const = default;
};

}  // namespace hs::mapping
