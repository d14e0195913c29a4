// Which row of which table a text key means, and of which columns its value is made.
//
//   COMMENT 'hs: name=user key=user_id value=data flags=f cas=c ttl=expires_at sep=:'
//
//   user:42  ->  table, unique index, key values ("42")
//
// A mapping holds names only, as an IndexSpec does. It is made from what was declared, by the
// table's comment or by a row of the old InnoDB memcached plugin's table `containers`, and from what
// the table is made of. What was not declared the table itself says: its key is the primary key, and
// its value is all other columns.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/value.h"
#include "mapping/tables.h"

namespace hs::mapping {

inline constexpr char kSeparator = ':';
inline constexpr char kValueSeparator = '|';

// What was said of how keys reach the rows. Empty: not said.
struct Declaration {
  std::string name;              // that keys begin with
  std::vector<std::string> key;  // columns
  std::vector<std::string> value;
  std::string flags, cas, ttl;  // columns
  std::string separator;        // between the name and the parts of a key
  std::string value_separator;  // between the values of several columns
  std::string index;            // that the key is of

  bool operator==(const Declaration&) const = default;
};

// What a table's comment says. Error: kTableComment, with a sentence that does not name the table.
Result<Declaration> parse_comment(std::string_view comment);

struct Mapping {
  using Position = uint16_t;  // of a column in `columns`

  std::string name;    // where none was declared: <database>.<table>
  std::string prefix;  // that keys begin with: the name and the separator
  std::string database, table, index;
  std::vector<ColumnShape> columns;  // of the table
  std::vector<Position> key;         // the columns of the index, in its order
  std::vector<Position> value;       // empty: nothing but the key is there
  bool has_computed_value = false;   // a column of the value is computed: it can only be read
  std::optional<Position> flags, cas, ttl;
  // Another index is unique, too, so a new row may be a duplicate of one with another key.
  bool has_other_unique = false;
  bool tells_duplicates = true;  // see TableShape
  // Rows whose keys begin alike are in the order of a number that each has: the one index on all of the
  // key and, in front of its last column, this one. None: there is no such index, or there are several.
  std::optional<Position> score;
  std::string score_index;
  // Such rows are in the order of scores or, without any, of their keys. Not so where several indexes would
  // give them a score, or the one that orders them is DESC.
  bool is_ordered = true;
  bool key_begins_descending = false;  // the key's first column is DESC in its index
  // What a new row must be given: it has no default.
  std::vector<Position> required;
  char separator = kSeparator;
  char value_separator = kValueSeparator;
  uint64_t definition = 0;  // of the table: see engine::Cursor::definition()

  // Whether an insert of these columns that updates the row of its key if it is there does that and no more.
  // It does not where another index is unique: it might change the row that this one finds. Nor where a new
  // row would need more values: the row may be there, and need none. Nor where the engine does not tell
  // which row is in the way.
  bool can_upsert(std::span<const Position> written) const;
  // As SQL compares names, but that it also folds letters beyond ASCII. None: there is no such one.
  std::optional<Position> find(std::string_view column) const;
};
using MappingPtr = std::shared_ptr<const Mapping>;

// Error: kTableComment, with a sentence that does not name the table.
Result<MappingPtr> make(const Declaration& declared, const TableShape& table);

// The values of a key, one for each column of the index. `rest` is what stands behind the mapping's
// prefix; the last part takes all that is left, with separators inside. The values point into
// `rest`. False: it has fewer parts.
bool split_key(const Mapping& mapping, std::string_view rest, std::vector<Value>* parts);

// The same of rows whose keys begin alike: the parts but the last one, of which the last takes the rest.
// Where a key has one part it is all rows, and nothing may be left. False: it has fewer parts.
bool split_group(const Mapping& mapping, std::string_view rest, std::vector<Value>* parts);

// The same of a value, one part for each of Mapping::value. A value with more parts than columns
// is none, since nobody can tell where it would be cut. With one column everything is its value.
bool split_value(const Mapping& mapping, std::string_view text, std::vector<Value>* parts);

}  // namespace hs::mapping
