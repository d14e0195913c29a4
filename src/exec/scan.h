// The rows that a find, count or modify request means, one after the other: operator and key, IN,
// filters, offset and limit. Changes nothing and writes nothing.
//
// Nearly every request is one search. An IN that takes all rows of its values is one for each value,
// with a limit and an offset for each.
//
// Allocates nothing once the scratch has grown.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <utility>

#include "engine/cursor.h"
#include "exec/scratch.h"
#include "protocol/request.h"

namespace hs::exec {

// Key values that a request with IN may have: no server has indexes with more columns.
inline constexpr size_t kMaxInKeyParts = 64;

// Two checks come before a Scan, in this order. A change checks its values between them.
// The first: whether `cursor` takes as many key values. Errors: kKeyParts.
Result<void> check_key(const protocol::Request& request, const engine::Cursor& cursor);
// The second: whether the request itself has an error left. Errors: its own, kKeyParts (IN).
Result<void> check_contents(const protocol::Request& request);

// The request's filters in the cursor. A few may stay there, which costs nothing. Very many are
// taken out again, since a client can use many cursors.
class FiltersInCursor {
 public:
  static constexpr size_t kKept = 1024;

  FiltersInCursor(const protocol::Request& request, engine::Cursor& cursor)
      : request_(request), cursor_(cursor) {}
  FiltersInCursor(const FiltersInCursor&) = delete;
  FiltersInCursor& operator=(const FiltersInCursor&) = delete;
  ~FiltersInCursor() { take_out(); }

  // Errors: those of Cursor::set_filters().
  Result<void> set(Scratch& scratch);
  // Call it before the request ends.
  void take_out() {
    if (std::exchange(are_many_, false)) (void)cursor_.set_filters({});
  }

 private:
  bool are_many_ = false;
  const protocol::Request& request_;
  engine::Cursor& cursor_;
};

class Scan {
 public:
  // All arguments must outlive the Scan. `done`: how many rows to pass over because they were
  // returned before.
  Scan(const protocol::Request& request, engine::Cursor& cursor, Scratch& scratch,
       uint64_t done = 0);

  // Moves the cursor onto the next row of the request. False: there is none left, and next() must
  // not be called again. Between two calls the caller may read the row, and may update or erase it
  // as far as the cursor allows.
  Result<bool> next();

  // The same in two steps, for a caller that must know where a search ends: the next row of the
  // present search; and whether there is a further search, which is then the present one.
  Result<bool> next_of_search();
  bool begin_next_search();

  // Whether the cursor's row meets all filters. For a row that the cursor left and came back to.
  bool meets_filters() { return judge() == Verdict::kTake; }

 private:
  enum class Verdict : uint8_t { kTake, kSkip, kStop };

  bool takes_all() const { return request_.in && request_.in->takes_all; }
  void begin_search();
  Result<bool> advance();
  Result<bool> advance_in();
  Verdict judge();

  const protocol::Request& request_;
  engine::Cursor& cursor_;
  Scratch& scratch_;
  uint64_t done_;            // rows of the request that are still to be passed over
  uint64_t skip_ = 0;        // rows of the search that are still to be passed over
  uint64_t left_ = 0;        // rows of the search that are still to be returned
  size_t in_position_ = 0;   // IN values used so far
  bool positioned_ = false;  // seek() was called
  // With IN: the key, with the current value in its place.
  std::optional<std::array<Value, kMaxInKeyParts>> in_key_;
};

}  // namespace hs::exec
