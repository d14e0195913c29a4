// SPDX-License-Identifier: GPL-2.0-only
// A search in one index: from the text of a request to the bytes of a key, and from there to the
// rows, one after the other.
//
// A value that its column cannot hold exactly equals no row, so such a key finds nothing. It is
// never clamped, rounded or cut into another key. As the bound of a range it stands where SQL's
// comparison puts it, between two values that the column can hold.
#pragma once

#include "server_rows.h"
// (before anything else)
#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "base/operator.h"
#include "base/result.h"
#include "base/value.h"
#include "columns/filter.h"

namespace hs::columns {

// What returns an int returns 0 or an error of the handler.
class IndexSearch {
 public:
  // --- the index ---

  // In index number `number` of the table, which is open. Error: kUnsupportedTable, the server would
  // merge the rows of partitions by a column that it has not computed.
  Result<void> open(TABLE* table, uint number);
  // The same index in this TABLE from here on; null: in none at present.
  void bind(TABLE* table) {
    table_ = table;
    conditions_.clear();
  }

  // From here on only the rows that equal a key are searched for, whatever the engine can do.
  void leave_out_ranges() { flags_ &= ~HA_READ_ORDER; }

  uint number() const { return number_; }
  size_t parts() const { return index_parts_; }
  ulong flags() const {
    return flags_;
  }  // what the engine can do with it: HA_READ_RANGE and others
  bool has_prefixes() const { return has_prefixes_; }  // it has only the beginning of some column
  // The whole column of a part: a part's own field may be cut to what the index has of it.
  Field* column(size_t part) const;
  // Whether the column is one of the first `parts`.
  bool has_column(const Field* field, size_t parts) const;

  // --- the key ---

  // Makes the key, and overwrites its columns in record[0] with it. `changes`: the rows are to be
  // changed. False: no row has it. Errors: kKeyLength, kKeyParts; kOperator, the index has no such
  // order; those that SQL raises.
  Result<bool> build(KeyOperator op, std::span<const Value> key, bool changes);
  // Whether the engine can search so.
  bool allows(KeyOperator op, size_t parts) const;

  // --- the rows ---

  // Whether it looks at the key's columns in rows that it finds.
  bool looks_at_key() const { return backwards_ || !conditions_.empty(); }
  // Begins to use the index, if that is to be done. end() ends the use of the table's rows.
  int begin();
  void end();
  // Goes to the first row that the key finds, and to the next one. Rows that do not meet the conditions
  // are among them.
  int first();
  int next();
  bool meets_conditions();
  // Whether the search would find the current row.
  bool meets_key();
  // Where the current row is, for go_to(). Valid until the next call of anything.
  std::string_view position();
  int go_to(std::string_view position);

  // --- the first part alone, for a walk over all rows ---

  // What it has in the current row. Valid until the next call of anything.
  std::string_view first_part();
  size_t size_of_first_part() const;
  // Goes to the first row with that value or a greater one, or with a greater one only, and to the
  // row behind it.
  int walk_from(std::string_view first_part, bool with_equal);
  int walk_on() { return table_->file->ha_index_next(table_->record[0]); }

 private:
  bool descends(size_t part) const;
  bool is_cut(size_t part) const;  // the index has only the beginning of the column
  uint length_of_parts(size_t parts) const;
  Result<bool> place(KeyOperator op, size_t part, const Value& value, bool changes);
  Result<void> check_prefixes(KeyOperator op, std::span<const Value> key);
  Result<void> add_condition(KeyOperator op, size_t part, const Value& value);
  void copy_key();
  int step_back();

  TABLE* table_ = nullptr;
  uint number_ = 0;
  size_t index_parts_ = 0;
  ulong flags_ = 0;
  bool has_prefixes_ = false;
  // The key is one integer column that is not NULL: the column's bytes are the key's.
  bool is_plain_ = false;

  std::vector<uchar> key_;
  uint length_ = 0;
  key_part_map map_ = 0;
  // For the bytes in key_, which may lie beside the client's key. Never kEqualDescending: that is
  // kEqual with backwards_.
  KeyOperator op_ = KeyOperator::kEqual;
  bool backwards_ = false;
  // With how many parts of the key the index is searched. Parts behind one that no row has mean
  // nothing. A part without a place in the index is only in conditions_.
  size_t parts_ = 0;
  // Further conditions on rows, which the key cannot express. They are compared as text.
  std::vector<ColumnFilter> conditions_;
  uint before_condition_ = 0;  // bytes of the key before the part of the last condition
};

}  // namespace hs::columns
