// SPDX-License-Identifier: GPL-2.0-only
// Where a client's value lies among the values that a column can hold. Keys and filters are made
// from this, so that both compare as SQL compares the text with the column.
#pragma once

#include "server_dialect.h"
// (before anything else)
#include "base/result.h"
#include "base/value.h"

namespace hs::columns {

struct Fit {
  enum class Place : uint8_t {
    kStored,   // the field holds the nearest value; see `side`
    kByText,   // the value has no place in the column's order: rows compare by their text alone
    kNowhere,  // the value compares with nothing, as NULL in SQL
  };
  // Why SQL cannot compare the value with the column, if so. An error where an order is asked for.
  // kNoDate is MySQL's.
  enum class Trouble : uint8_t { kNone, kBrokenText, kForeignText, kNoDate, kOutOfMemory };

  Place place = Place::kStored;
  Trouble trouble = Trouble::kNone;
  // The column can hold the value itself, and the field holds it.
  bool exact = false;
  // All of the value was understood as the column's type. False: a part of it had to be left away.
  bool sound = true;
  // Where the held value lies, seen from the client's, as SQL compares them: -1 below, 0, 1 above.
  int side = 0;

  Error error(const Field* field) const;  // of the trouble
};

// Stores `value`, which must not be NULL, or the nearest value into the field, in the current
// record.
Fit fit(Field* field, const Value& value);

// The text of `value` in the column's character set. It may point to the value itself. *errors: how
// many characters the character set lacks. False: out of memory.
bool text_for(const Field* field, const Value& value, String* text, uint* errors);

}  // namespace hs::columns
