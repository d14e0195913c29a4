#include "adapter/ttl_tables.h"

namespace hs::adapter {

TtlTables& ttl_tables() {
  static TtlTables tables;
  return tables;
}

void TtlTables::note(const std::string& database, const std::string& table, std::string_view column,
                     std::string_view index) {
  const MutexLock lock(mutex_);
  TtlTable& known = known_as(database, table);
  if (known.column.empty()) known.last_error.clear();
  known.column = column;
  known.index = index;
}

void TtlTables::note_error(const std::string& database, const std::string& table,
                           std::string_view error) {
  const MutexLock lock(mutex_);
  TtlTable& known = known_as(database, table);
  known.column.clear();
  known.index.clear();
  known.last_error = error;
}

TtlTable& TtlTables::known_as(const std::string& database, const std::string& table) {
  TtlTable& known = tables_[{database, table}];
  known.database = database;
  known.table = table;
  size_.store(tables_.size(), std::memory_order_relaxed);
  return known;
}

void TtlTables::forget(const std::string& database, const std::string& table) {
  // Nearly always there is none, and tables are opened often.
  if (size_.load(std::memory_order_relaxed) == 0) return;
  const MutexLock lock(mutex_);
  tables_.erase({database, table});
  size_.store(tables_.size(), std::memory_order_relaxed);
}

void TtlTables::note_round(const TtlTable& table, uint64_t rows, int64_t behind_s, int64_t now,
                           std::string_view error) {
  const MutexLock lock(mutex_);
  TtlTable* const known = note_rows(table, rows, error);
  if (known == nullptr) return;
  ++known->rounds;
  known->behind_s = behind_s;
  known->last_round = now;
}

void TtlTables::note_failure(const TtlTable& table, uint64_t rows, std::string_view error) {
  const MutexLock lock(mutex_);
  (void)note_rows(table, rows, error);
}

TtlTable* TtlTables::note_rows(const TtlTable& table, uint64_t rows, std::string_view error) {
  const auto at = tables_.find({table.database, table.table});
  if (at == tables_.end()) return nullptr;
  at->second.last_error = error;
  at->second.rows_purged += rows;
  return &at->second;
}

std::vector<TtlTable> TtlTables::list() const {
  const MutexLock lock(mutex_);
  std::vector<TtlTable> all;
  all.reserve(tables_.size());
  for (const auto& [name, table] : tables_) all.push_back(table);
  return all;
}

}  // namespace hs::adapter
