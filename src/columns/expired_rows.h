// SPDX-License-Identifier: GPL-2.0-only
// What the cursors of both servers do for rows that expire: they tell the purge of their tables, and
// walk over the rows in the order in which they expire.
#pragma once

#include "server_rows.h"
// (before anything else)
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/value.h"
#include "columns/expiry.h"
#include "columns/index_search.h"

namespace hs::columns {

// How the rows of the table expire, which is open; noted in adapter::ttl_tables(). `of_container`: see
// Expiry::of(). Error: kTableComment.
Result<Expiry> noted_expiry(TABLE* table, const std::string& database, const std::string& name,
                            const std::string& of_container);

// With an index that begins with the column by which rows expire, and whose use has begun: goes to the
// row that expires first. `from`: a place_of_row(), where it begins; empty, or of another definition of
// the table: at the beginning. Returns 0 or an error of the handler.
int seek_first_to_expire(IndexSearch& search, Expiry& expiry, uint64_t definition,
                         std::string_view from);
// Where the current row is in that order, in this definition of the table.
std::string place_of_row(IndexSearch& search, uint64_t definition);

// A moment that is to be stored, as Expiry::text_of() has it.
struct MomentToStore {
  std::optional<std::string> text;
  std::optional<int64_t> seconds;

  // Whether it is this value, not one that has the same text.
  bool is(const Value& value) const { return text && value.data == text->data(); }
  // The field has got the text. Of a TIMESTAMP it names two moments, in an hour that the time zone has
  // twice: the field gets the right one.
  void put_right(Field* field) const;
};

// The value points to moment->text. Error: kTableComment, rows do not expire.
Result<Value> moment_to_store(const Expiry& expiry, const THD* thd, std::optional<int64_t> seconds,
                              MomentToStore* moment);

}  // namespace hs::columns
