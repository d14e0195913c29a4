// SPDX-License-Identifier: GPL-2.0-only
#include "mysql/definition_news.h"

#include <map>
#include <memory>
#include <utility>

#include "mysql/table_description.h"
#include "sql/dd/impl/raw/raw_record.h"
#include "sql/dd/impl/raw/raw_record_set.h"
#include "sql/dd/impl/raw/raw_table.h"
#include "sql/dd/impl/tables/schemata.h"
#include "sql/dd/impl/tables/tables.h"
#include "sql/dd/impl/transaction_impl.h"

namespace hs::mysql {
namespace {

constexpr size_t kMostRead = 200;     // definitions in one look: some 20 µs each
constexpr size_t kMostNoted = 20000;  // names; with more, the whole dictionary is read

bool is_systems(std::string_view database) {
  return database == "mysql" || database == "performance_schema" || database == "sys" ||
         database == "information_schema";
}

// Temporary tables of DDL begin so.
bool is_temporary(std::string_view table) { return table.starts_with("#sql"); }

bool is_marked(std::string_view comment) { return comment.find("hs:") != std::string_view::npos; }

std::string text_of(const dd::String_type& text) { return {text.data(), text.size()}; }

// Calls `take` with each row of a table of the dictionary. False: that failed, and the error is raised.
template <class Table, class Take>
bool read_rows(dd::Transaction_ro& transaction, Take take) {
  dd::Raw_table* const table = transaction.otx.get_table(Table::instance().name());
  std::unique_ptr<dd::Raw_record_set> rows;
  if (table == nullptr || table->open_record_set(nullptr, rows)) return false;
  dd::Raw_record* row = rows->current_record();
  while (row != nullptr) {
    take(*row);
    if (rows->next(row)) return false;
  }
  return true;
}

// --- the hook ---

notify_exclusive_mdl_t before_ours = nullptr;

bool on_exclusive_lock(THD* thd, const MDL_key* key, ha_notification_type when, bool* victimized) {
  if (when == HA_NOTIFY_POST_EVENT && key->mdl_namespace() == MDL_key::TABLE)
    definition_news().note({key->db_name(), key->db_name_length()},
                           {key->name(), key->name_length()});
  return before_ours != nullptr && before_ours(thd, key, when, victimized);
}

}  // namespace

DefinitionNews& definition_news() {
  static DefinitionNews news;
  return news;
}

void install_definition_hook() {
  if (innodb_hton->notify_exclusive_mdl == on_exclusive_lock) return;
  before_ours = innodb_hton->notify_exclusive_mdl;
  innodb_hton->notify_exclusive_mdl = on_exclusive_lock;
  definition_news().begin_again();
}

void remove_definition_hook() {
  if (innodb_hton->notify_exclusive_mdl == on_exclusive_lock)
    innodb_hton->notify_exclusive_mdl = before_ours;
}

void DefinitionNews::note(std::string_view database, std::string_view table) {
  if (is_systems(database) || is_temporary(table)) return;
  const MutexLock lock(mutex_);
  is_any_.store(true, std::memory_order_release);
  if (wants_all_) return;
  try {
    if (noted_.size() < kMostNoted) {
      noted_.insert({std::string(database), std::string(table)});
      return;
    }
  } catch (const std::bad_alloc&) {
    // As with too many names.
  }
  wants_all_ = true;
  noted_.clear();
}

void DefinitionNews::begin_again() {
  const MutexLock lock(mutex_);
  wants_all_ = true;
  noted_.clear();
  is_any_.store(true, std::memory_order_release);
}

bool DefinitionNews::look(THD* thd, mapping::TableNews& news) {
  std::set<Name> noted;
  {
    const MutexLock lock(mutex_);
    is_any_.store(false, std::memory_order_release);
    if (!wants_all_) noted.swap(noted_);
    if (!std::exchange(wants_all_, false) && noted.empty()) return true;
  }
  if (noted.empty()) {
    if (read_all(thd, news)) return true;
    begin_again();
    return false;
  }
  bool done = true;
  for (size_t i = 0; i < kMostRead && done && !noted.empty(); ++i) {
    done = read(thd, *noted.begin(), news);
    if (done) noted.erase(noted.begin());
  }
  // Who looks for one of its keys must know that nothing is known of it.
  if (!done) news.changed.push_back(*noted.begin());
  for (const Name& left : noted) note(left.database, left.table);
  return done;
}

// What is committed when it is read. A statement whose changes come behind that is told of behind it,
// too.
bool DefinitionNews::read_all(THD* thd, mapping::TableNews& news) {
  using dd::tables::Schemata;
  using dd::tables::Tables;
  dd::Transaction_ro transaction(thd, ISO_READ_COMMITTED);
  transaction.otx.add_table<Schemata>();
  transaction.otx.add_table<Tables>();
  if (transaction.otx.open_tables()) return false;
  std::map<dd::Object_id, std::string> databases;
  const bool has_databases = read_rows<Schemata>(transaction, [&](const dd::Raw_record& row) {
    databases.emplace(row.read_uint(Schemata::FIELD_ID),
                      text_of(row.read_str(Schemata::FIELD_NAME)));
  });
  if (!has_databases) return false;
  std::map<Name, std::string> found;
  const bool has_tables = read_rows<Tables>(transaction, [&](const dd::Raw_record& row) {
    const std::string comment = text_of(row.read_str(Tables::FIELD_COMMENT, {}));
    const auto database = databases.find(row.read_uint(Tables::FIELD_SCHEMA_ID));
    if (!is_marked(comment) || database == databases.end() || is_systems(database->second)) return;
    std::string name = text_of(row.read_str(Tables::FIELD_NAME));
    if (!is_temporary(name)) found.emplace(Name{database->second, std::move(name)}, comment);
  });
  if (!has_tables) return false;
  for (const Name& table : marked_)
    if (!found.contains(table)) news.gone.push_back(table);
  marked_.clear();
  for (const auto& [table, comment] : found) take(table, comment, news);
  return true;
}

bool DefinitionNews::read(THD* thd, const Name& table, mapping::TableNews& news) {
  HeldDefinition definition(thd);
  const dd::Abstract_table* const found = definition.table(table.database, table.table);
  if (found != nullptr) {
    take(table, comment_of(*found), news);
  } else if (!definition.is_missing()) {
    return false;
  } else if (marked_.erase(table) != 0) {
    news.gone.push_back(table);
  }
  return true;
}

void DefinitionNews::take(const Name& table, std::string_view comment, mapping::TableNews& news) {
  if (!is_marked(comment)) {
    if (marked_.erase(table) != 0) news.changed.push_back(table);
    return;
  }
  marked_.insert(table);
  news.changed.push_back(table);
  if (comment.find("ttl=") == std::string_view::npos) return;
  const MutexLock lock(mutex_);
  with_ttl_.push_back(table);
}

std::vector<DefinitionNews::Name> DefinitionNews::take_with_ttl(size_t most) {
  const MutexLock lock(mutex_);
  const size_t count = std::min(most, with_ttl_.size());
  std::vector<Name> taken(with_ttl_.end() - static_cast<ptrdiff_t>(count), with_ttl_.end());
  with_ttl_.resize(with_ttl_.size() - count);
  return taken;
}

}  // namespace hs::mysql
