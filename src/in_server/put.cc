// SPDX-License-Identifier: GPL-2.0-only
// Inserts, also those that meet rows with the same value in a unique index: what is the same for all
// servers. The calls that a server makes in between are in put.cc and write.cc of its adapter.
#include "server_parts.h"
// (before anything else)
#include "in_server/row_errors.h"
#include "in_server/row_stores.h"

namespace hs {
namespace {

Result<std::optional<engine::Cursor::Inserted>> optionally(
    Result<engine::Cursor::Inserted> inserted) {
  if (!inserted) return std::move(inserted.error());
  return std::optional(*inserted);
}

}  // namespace

Result<engine::Cursor::Inserted> SqlCursor::insert(std::span<const Value> values) {
  if (values.size() > columns_.size()) return ErrorCode::kValueCount;
  const StrictStores strict(session_.thd(), CHECK_FIELD_ERROR_FOR_NULL);
  const in_server::AutoIncrement auto_increment(table_);
  in_server::GeneratedId id(table_->file);
  if (auto made = make_new_row(values, 0); !made) return made.error();
  id.note();
  const Result<int> error = write_new_row(id);
  if (!error) return error.error();
  if (*error != 0) return failed(*error).error();
  session_.note_change();
  return end_insert(id, 0);
}

Result<engine::Cursor::Inserted> SqlCursor::put(std::span<const Value> values,
                                                std::optional<std::span<const Value>> updates,
                                                RowsInTheWay* in_the_way) {
  const size_t most = columns_.size();
  if (values.size() > most || (updates && updates->size() > most)) return ErrorCode::kValueCount;
  const StrictStores strict(session_.thd(), CHECK_FIELD_ERROR_FOR_NULL);
  const in_server::AutoIncrement auto_increment(table_);
  for (;;) {
    auto done = try_put(values, updates, in_the_way);
    if (!done) return std::move(done.error());
    if (*done) return **done;
    // The row that was to be updated is gone, or another one. So this begins anew.
    end_index();
    if (in_the_way != nullptr) in_the_way->take_back();
  }
}

// None: the row in the way was not changed, but rows that expired gave way, and it is not there any
// more as it was.
Result<std::optional<engine::Cursor::Inserted>> SqlCursor::try_put(
    std::span<const Value> values, std::optional<std::span<const Value>> updates,
    RowsInTheWay* in_the_way) {
  const size_t updated = access_ == engine::Access::kUpsert ? updates.value_or(values).size() : 0;
  in_server::GeneratedId id(table_->file);
  if (auto made = make_new_row(values, updated); !made) return made.error();
  id.note();
  if (access_ == engine::Access::kReplace) return optionally(replace(in_the_way, id));
  const Result<int> error = write_new_row(id);
  if (!error) return error.error();
  if (*error == 0) {
    session_.note_change();
    return optionally(end_insert(id, 0));
  }
  if (!in_server::is_duplicate(*error)) return failed(*error).error();
  const bool ignores = access_ == engine::Access::kInsertIgnore;
  if (!ignores || in_the_way != nullptr)
    if (auto met = meet_duplicate(*error, in_the_way); !met) return met.error();
  if (ignores) return std::optional(Inserted{has_auto_increment(), 0, 0});
  return update_duplicate(values, updates, id);
}

// The new row was written, and has replaced so many.
Result<engine::Cursor::Inserted> SqlCursor::end_insert(in_server::GeneratedId& id,
                                                       uint64_t replaced) {
  const Inserted inserted{has_auto_increment(), table_->file->insert_id_for_cur_row, 1 + replaced};
  if (auto fired = fire(TRG_EVENT_INSERT, TRG_ACTION_AFTER, true); !fired) return fired.error();
  id.keep();
  return inserted;
}

// The row that a failed write was a duplicate of is in record[1] afterwards.
Result<void> SqlCursor::meet_duplicate(int write_error, RowsInTheWay* in_the_way) {
  // Where rows expire it was read already.
  if (!expiry_.exists())
    if (auto read = read_duplicate(write_error); !read) return read;
  if (in_the_way == nullptr) return {};
  const in_server::OldFields old(table_);
  auto row = this->row();
  if (!row) return row.error();
  return in_the_way->take(*row);
}

// After an update that has met another row than the one it was made for.
Result<engine::Cursor::Updated> SqlCursor::look_again() {
  const auto found = seek_position(updated_place_);
  if (!found) return found.error();
  return *found ? Updated::kAltered : Updated::kGone;
}

}  // namespace hs
