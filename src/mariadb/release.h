// SPDX-License-Identifier: GPL-2.0-only
// What differs between the releases of MariaDB that this folder is compiled for, 10.11 and 11.8: each
// difference is one function with one meaning. Only this file asks for the release.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>

#include "mariadb/server_headers.h"

#if MYSQL_VERSION_ID >= 110800
#define HS_SINCE_11_8 1
#include <vector_mhnsw.h>
#else
#define HS_SINCE_11_8 0
#endif

namespace hs::mariadb::release {

/// The values of a variable that has a few. `names` ends with a null pointer, and is kept.
template <size_t kSize>
TYPELIB choices(const char* (&names)[kSize]) {
  TYPELIB made{};  // the later releases have more members
  made.count = kSize - 1;
  made.name = "";
  made.type_names = names;
  return made;
}

/// What the account of the thread may do with a column.
inline privilege_t column_grant(THD* thd, GRANT_INFO& grant, const char* database,
                                const char* table, const LEX_CSTRING& column) {
#if HS_SINCE_11_8
  return get_column_grant(thd, &grant, database, table, Lex_ident_column(column));
#else
  return get_column_grant(thd, &grant, database, table, column.str);
#endif
}

#if HS_SINCE_11_8
inline LEX_CSTRING name(const char* text) { return {text, text != nullptr ? strlen(text) : 0}; }
#else
inline const char* name(const char* text) { return text; }
#endif

/// Looks an account up by its user and where it comes from, and fills the context with its
/// privileges. False: there is none.
inline bool find_account(Security_context& context, const char* user, const char* host,
                         const char* ip) {
  return !acl_getroot(&context, name(user), name(host), name(ip), name(nullptr));
}

/// Gives the thread's context the privileges of a role, if it may have them.
inline void take_role(THD* thd, const char* role) {
  privilege_t access = NO_ACL;
  if (acl_check_setrole(thd, name(role), &access) == 0) (void)acl_setrole(thd, name(role), access);
}

/// Adds to the rows of an account's statistics.
inline void count_rows(USER_STATS& entry, uint64_t read, uint64_t inserted, uint64_t updated,
                       uint64_t deleted) {
#if HS_SINCE_11_8
  entry.rows_stats.read += read;
  entry.rows_stats.inserted += inserted;
  entry.rows_stats.updated += updated;
  entry.rows_stats.deleted += deleted;
#else
  entry.rows_read += read;
  entry.rows_inserted += inserted;
  entry.rows_updated += updated;
  entry.rows_deleted += deleted;
#endif
}

/// Whether the index is of words, or of places.
inline bool is_fulltext(const KEY& key) {
#if HS_SINCE_11_8
  return key.algorithm == HA_KEY_ALG_FULLTEXT;
#else
  return key.algorithm == HA_KEY_ALG_FULLTEXT || (key.flags & HA_FULLTEXT) != 0;
#endif
}

inline bool is_spatial(const KEY& key) {
#if HS_SINCE_11_8
  return key.algorithm == HA_KEY_ALG_RTREE;
#else
  return key.algorithm == HA_KEY_ALG_RTREE || (key.flags & HA_SPATIAL) != 0;
#endif
}

/// Whether the index is an ordered or a hash index over values of its columns.
inline bool is_of_values(const KEY& key) {
#if HS_SINCE_11_8
  if (key.algorithm == HA_KEY_ALG_VECTOR) return false;
#endif
  return !is_fulltext(key) && !is_spatial(key) && key.algorithm != HA_KEY_ALG_LONG_HASH;
}

/// Whether the table has an index that the server itself keeps, in a table beside it: one of vectors.
inline bool has_index_beside([[maybe_unused]] TABLE_SHARE* share) {
#if HS_SINCE_11_8
  return share->hlindexes() != 0;
#else
  return false;
#endif
}

/// What the server keeps in memory of indexes of vectors until the transaction ends takes part in the
/// statement. The server sees to that in the first one only, and does not undo it with another.
inline void undo_indexes_beside_with_statement([[maybe_unused]] THD* thd) {
#if HS_SINCE_11_8
  auto* const graphs = static_cast<transaction_participant*>(mhnsw_plugin->data);
  if (thd->ha_data[graphs->slot].ha_info[1].is_started()) [[unlikely]]
    trans_register_ha(thd, false, graphs, 0);
#endif
}

/// The name of a table or a database as files have it where letters are folded.
inline std::string fold_file_name(const std::string& name) {
  std::string folded(name.size() * files_charset_info->casedn_multiply(), '\0');
#if HS_SINCE_11_8
  folded.resize(files_charset_info->casedn(name.data(), name.size(), folded.data(), folded.size()));
#else
  std::memcpy(folded.data(), name.c_str(), name.size());
  folded.resize(my_casedn_str(files_charset_info, folded.data()));
#endif
  return folded;
}

/// Whether REPLACE may make an old row of the table the new one, as far as the table's history goes.
inline bool may_become_new(const TABLE* table) {
#if HS_SINCE_11_8
  return !table->versioned(VERS_TRX_ID);
#else
  return !table->versioned();
#endif
}

/// Whether AFTER UPDATE triggers run for INSERT … ON DUPLICATE KEY UPDATE when the values are those
/// that the row has already.
inline bool upsert_of_same_fires() { return !HS_SINCE_11_8; }

/// Whether SHOW gives a default of this value as hexadecimal digits.
inline bool shows_as_hexadecimal([[maybe_unused]] const String& value) {
#if HS_SINCE_11_8
  return value.charset() == &my_charset_bin;
#else
  return false;
#endif
}

/// Whether there is a table, view or sequence of this name, and of which kind.
inline bool table_exists(THD* thd, const LEX_CSTRING& database, const LEX_CSTRING& table,
                         handlerton** engine, bool* is_sequence) {
#if HS_SINCE_11_8
  return ha_table_exists(thd, &database, &table, nullptr, engine, is_sequence);
#else
  return ha_table_exists(thd, &database, &table, nullptr, nullptr, engine, is_sequence);
#endif
}

/// Stores a moment, cut to what the column holds of a second.
inline void store_moment(Field* field, my_time_t seconds, ulong microseconds) {
#if HS_SINCE_11_8
  my_timeval moment = {seconds, microseconds};
#else
  timeval moment = {static_cast<time_t>(seconds), static_cast<suseconds_t>(microseconds)};
#endif
  my_timeval_trunc(&moment, field->decimals());
  field->store_timestamp_dec(moment, TIME_SECOND_PART_DIGITS);
}

/// Prepares the handler for writes. `updates`: existing rows are changed, too.
inline bool prepare_for_writes(handler* file, bool adds, bool updates) {
#if HS_SINCE_11_8
  return file->prepare_for_modify(adds || updates, updates) == 0;
#else
  return (!adds && !updates) || file->prepare_for_insert(updates) == 0;
#endif
}

/// Runs the triggers of one kind for the row. False: one has failed, and has raised an error. So does a
/// BEFORE trigger that asks to pass over the row (SQLSTATE 02TRG), as one can since 11.8.
inline bool run_triggers(Table_triggers_list& triggers, THD* thd, trg_event_type event,
                         trg_action_time_type time, bool old_is_beside) {
#if HS_SINCE_11_8
  bool skips = false;
  if (triggers.process_triggers(thd, event, time, old_is_beside,
                                time == TRG_ACTION_BEFORE ? &skips : nullptr))
    return false;
  if (skips) my_error(ER_SIGNAL_SKIP_ROW_FROM_TRIGGER, MYF(0));
  return !skips;
#else
  return !triggers.process_triggers(thd, event, time, old_is_beside);
#endif
}

/// Whether a trigger runs only with updates that name certain columns (UPDATE OF, since 11.8).
inline bool has_triggers_of_columns(Table_triggers_list& triggers) {
#if HS_SINCE_11_8
  for (const trg_action_time_type time : {TRG_ACTION_BEFORE, TRG_ACTION_AFTER})
    for (const Trigger* trigger = triggers.get_trigger(TRG_EVENT_UPDATE, time); trigger != nullptr;
         trigger = trigger->next)
      if (trigger->updatable_columns != nullptr && !trigger->updatable_columns->is_empty())
        return true;
#else
  (void)triggers;
#endif
  return false;
}

}  // namespace hs::mariadb::release
