// SPDX-License-Identifier: GPL-2.0-only
#include "columns/expired_rows.h"

#include <utility>

#include "adapter/ttl_tables.h"

namespace hs::columns {
namespace {

// The first index that has the rows in the order in which they expire. Empty: there is none.
std::string_view index_for_purge(const TABLE* table, const Field* field) {
  const TABLE_SHARE* const share = table->s;
  for (uint i = 0; i < share->keys; ++i) {
    const KEY& key = table->key_info[i];
    const KEY_PART_INFO& first = key.key_part[0];
    const bool is_whole = (first.key_part_flag & (HA_PART_KEY_SEG | HA_REVERSE_SORT)) == 0 &&
                          first.fieldnr == number_of(field) + 1U;
    const bool is_ordered = (table->file->index_flags(i, 0, true) & HA_READ_ORDER) != 0;
    if (is_whole && is_ordered && share->keys_in_use.is_set(i)) return name_of(key);
  }
  return {};
}

std::string_view bytes_of_definition(const uint64_t& definition) {
  return {reinterpret_cast<const char*>(&definition), sizeof definition};
}

}  // namespace

Result<Expiry> noted_expiry(TABLE* table, const std::string& database, const std::string& name,
                            const std::string& of_container) {
  auto expiry = Expiry::of(table, of_container);
  if (!expiry) {
    adapter::ttl_tables().note_error(database, name, expiry.error().message);
  } else if (!expiry->is_of_comment()) {
    // What only a container says deletes no rows.
    adapter::ttl_tables().forget(database, name);
  } else {
    const Field* const field = expiry->field();
    adapter::ttl_tables().note(database, name, name_of(field), index_for_purge(table, field));
  }
  return expiry;
}

int seek_first_to_expire(IndexSearch& search, Expiry& expiry, uint64_t definition,
                         std::string_view from) {
  const std::string_view prefix = bytes_of_definition(definition);
  const bool is_known =
      from.size() == prefix.size() + search.size_of_first_part() && from.starts_with(prefix);
  if (is_known) return search.walk_from(from.substr(prefix.size()), true);
  expiry.store_never();
  return search.walk_from(search.first_part(), false);
}

std::string place_of_row(IndexSearch& search, uint64_t definition) {
  return std::string(bytes_of_definition(definition)).append(search.first_part());
}

Result<Value> moment_to_store(const Expiry& expiry, const THD* thd, std::optional<int64_t> seconds,
                              MomentToStore* moment) {
  if (!expiry.exists())
    return Error{ErrorCode::kTableComment, 0, "the table's comment has no ttl="};
  auto made = expiry.text_of(thd, seconds);
  if (!made) return std::move(made.error());
  moment->text = std::move(*made);
  moment->seconds = seconds;
  return moment->text ? Value::of(*moment->text) : Value::null();
}

void MomentToStore::put_right(Field* field) const {
  // The zero date is what a lenient server makes of a moment that the column cannot hold.
  if (seconds && field->type() == MYSQL_TYPE_TIMESTAMP && read_timestamp(field) != Moment())
    store_timestamp(field, *seconds);
}

}  // namespace hs::columns
