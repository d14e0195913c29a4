// SPDX-License-Identifier: GPL-2.0-only
// One filter on one column: the client's value in the column's own type, ready to be compared with
// many rows.
#pragma once

#include "server_dialect.h"
// (before anything else)
#include <span>
#include <vector>

#include "base/operator.h"
#include "base/result.h"
#include "base/value.h"
#include "columns/fit.h"
#include "engine/cursor.h"

namespace hs::columns {

class ColumnFilter {
 public:
  // Converts `value`. Overwrites the field in the current record, so it must be called before a row
  // is read. Errors: kFilterBlob; kSql when the value cannot be compared with the column.
  static Result<ColumnFilter> make(Field* field, FilterOperator op, const Value& value);

  // The same for a key value that is compared as text with the whole text of a column. The column
  // may be a BLOB or TEXT.
  static Result<ColumnFilter> make_for_text(Field* field, FilterOperator op, const Value& value);

  Field* field() const { return field_; }

  // Whether the current row meets the condition.
  bool passes();

 private:
  ColumnFilter(Field* field, FilterOperator op) : field_(field), op_(op) {}

  Result<void> take_text(const Value& value);
  void take_stored(const Fit& place);
  int compare();

  Field* field_;
  FilterOperator op_;
  bool is_null_ = false;
  bool as_text_ = false;
  // The result of a comparison that finds both values equal: 0 when they are. -1 or 1 when the
  // client's value lies just above or below the nearest one that the column can hold.
  int when_equal_ = 0;
  std::vector<uchar> image_;  // the value as the column stores it, or its text
  String scratch_;
};

// One for each of `filters` on these columns, in their place. See ColumnFilter::make().
Result<void> make_filters(std::span<Field* const> columns,
                          std::span<const engine::Cursor::Filter> filters,
                          std::vector<ColumnFilter>* made);

}  // namespace hs::columns
