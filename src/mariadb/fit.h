// SPDX-License-Identifier: GPL-2.0-only
// Where a client's value lies among those that a column can hold: what keys and filters are made
// of, so that both compare as SQL compares the text with the column.
#pragma once

#include "mariadb/server_headers.h"
// (before anything else)
#include "base/result.h"
#include "base/value.h"

namespace hs::mariadb {

struct Fit {
  enum class Place : uint8_t {
    kStored,   // the field holds the nearest value; see `side`
    kByText,   // it has no place in the column's order: rows compare by their text alone
    kNowhere,  // it compares with nothing, as NULL in SQL
  };
  // Why SQL does not compare the two, if so: an error for who asks for an order.
  enum class Trouble : uint8_t { kNone, kBrokenText, kForeignText, kOutOfMemory };

  Place place = Place::kStored;
  Trouble trouble = Trouble::kNone;
  // The column can hold the value itself, and the field does.
  bool exact = false;
  // It is a value of the column's type at all, and not read as one by leaving something away.
  bool sound = true;
  // Of what the field holds against the client's value, as SQL compares them: -1 below, 0, 1 above.
  int side = 0;

  Error error(const Field* field) const;  // of the trouble
};

// Stores `value`, which is not NULL, or what is nearest to it, into the field's place in the
// current record.
Fit fit(Field* field, const Value& value);

// The text of `value` in the column's character set; false: out of memory. *errors: characters
// that the character set lacks. May point to the value itself.
bool text_for(const Field* field, const Value& value, String* text, uint* errors);

}  // namespace hs::mariadb
