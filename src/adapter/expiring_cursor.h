// A cursor on a table whose rows expire, as the purge walks over them.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/result.h"

namespace hs::adapter {

// What a cursor can do for the purge, in a request that deletes, with an index that begins with the column
// by which rows expire.
class ExpiringCursor {
 public:
  virtual ~ExpiringCursor() = default;

  // Goes to the row that has expired first, and to the one that did so next. False: no other has.
  // `from`: a place_of_expired(), where it begins; empty, or of the table as it was before an ALTER:
  // at the beginning. The row may be one of a versioned table's past: see pass_over_history().
  virtual Result<bool> seek_expired(std::string_view from) = 0;
  virtual Result<bool> next_expired() = 0;
  // Where the current row is. Rows that have expired at the same time are at the same place. Valid
  // until the next call.
  virtual std::string_view place_of_expired() = 0;
  // The same of a row that expires now.
  virtual std::string_view place_of_now() = 0;
  // Tells the current row from all others. Valid until it is asked for again.
  virtual std::string_view row_of_expired() = 0;
  // True: the current row is history, and with READ COMMITTED it is not locked any more.
  virtual bool pass_over_history() { return false; }
  // For how long the current row has expired.
  virtual int64_t seconds_expired() = 0;
  // As engine::Cursor::erase().
  virtual Result<void> erase_expired() = 0;
  // Whether a row that cannot be erased leaves nothing behind: no triggers run, and no other tables are
  // reached.
  virtual bool undoes_rows() const = 0;
};

}  // namespace hs::adapter
