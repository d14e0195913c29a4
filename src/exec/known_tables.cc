#include "exec/known_tables.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "exec/client.h"
#include "exec/open.h"

namespace hs::exec {
namespace {

bool is_same(const std::vector<uint16_t>& known, std::span<const uint16_t> wanted) {
  return std::equal(known.begin(), known.end(), wanted.begin(), wanted.end());
}

std::vector<std::string> names_of(const mapping::Mapping& table,
                                  std::span<const uint16_t> columns) {
  std::vector<std::string> names;
  names.reserve(columns.size());
  for (const uint16_t column : columns) names.push_back(table.columns[column].name);
  return names;
}

}  // namespace

// An empty prefix says nothing: what begins with @@, too, begins with it.
const mapping::Mapping* KnownTables::find(std::string_view key) {
  for (size_t i = 0; i < mappings_.size(); ++i) {
    const size_t at = i == 0 ? last_mapping_ : i <= last_mapping_ ? i - 1 : i;
    const mapping::Mapping& known = *mappings_[at];
    if (known.prefix.empty() || !key.starts_with(known.prefix)) continue;
    last_mapping_ = at;
    return &known;
  }
  return nullptr;
}

const mapping::Mapping* KnownTables::add(mapping::MappingPtr mapping) {
  if (mapping == nullptr) return nullptr;
  const bool is_known = std::ranges::find(mappings_, mapping) != mappings_.end();
  const mapping::Mapping* const added = mapping.get();
  if (!is_known) mappings_.push_back(std::move(mapping));
  return added;
}

// False: the database must be asked.
bool KnownTables::find_tables(protocol::Command& command, const mapping::Directory* directory) {
  tables_.clear();
  if (command.wants_all_tables()) return false;
  for (const std::string_view key : command.keys()) {
    const mapping::Mapping* table = find(key);
    if (table == nullptr && directory != nullptr) {
      std::optional<mapping::MappingPtr> known = directory->find_known(key);
      if (!known) return false;
      table = add(*std::move(known));
    }
    tables_.push_back(table);
  }
  return true;
}

Result<void> KnownTables::ask_for_tables(protocol::Command& command, mapping::Directory* directory,
                                         engine::Session& session) {
  tables_.clear();
  if (directory == nullptr) {
    tables_.resize(command.keys().size());
    return {};
  }
  if (command.wants_all_tables()) {
    // Tables that were made just now belong to all. Asked are the times of a few directories.
    directory->refresh(session, true);
    // One that the account may not see must not make the command fail either.
    for (mapping::MappingPtr& table : directory->list()) {
      if (session.sees(table->database, table->table)) tables_.push_back(add(std::move(table)));
    }
    return {};
  }
  for (const std::string_view key : command.keys()) {
    const mapping::Mapping* table = find(key);
    if (table == nullptr) {
      Result<mapping::MappingPtr> found = directory->find(key, session);
      if (!found) return std::move(found.error());
      table = add(*std::move(found));
    }
    tables_.push_back(table);
  }
  return {};
}

// What a command is told of a table must be true, even where it makes no request of it.
template <class Visit>
bool KnownTables::each_target(const protocol::Command& command, Visit visit) {
  const std::span<const protocol::Target> targets = command.targets();
  if (!std::ranges::all_of(targets, visit)) return false;
  const mapping::Mapping* last = nullptr;
  for (const mapping::Mapping* table : tables_) {
    if (table == nullptr || table == std::exchange(last, table)) continue;
    const auto is_bound = [table](const Bound& bound) { return bound.table == table; };
    if (std::ranges::any_of(bound_, is_bound)) continue;
    if (!visit(protocol::Target{table, table->key, {}, {}})) return false;
  }
  return true;
}

bool KnownTables::bind(protocol::Command& command, const protocol::Facts& facts,
                       const mapping::Directory* directory) {
  bound_.clear();
  if (directory != nullptr && version_ != directory->version()) return false;
  return find_tables(command, directory) && begin(command, facts);
}

bool KnownTables::leave_out(const mapping::Mapping& table, protocol::Command& command,
                            const protocol::Facts& facts) {
  bound_.clear();
  std::ranges::replace(tables_, &table, nullptr);
  return begin(command, facts);
}

bool KnownTables::begin(protocol::Command& command, const protocol::Facts& facts) {
  command.begin(tables_, facts);
  return each_target(command, [&](const protocol::Target& target) {
    const engine::IndexSpecPtr* const spec = find_spec(target);
    if (spec != nullptr) bound_.push_back({target.table, spec});
    return spec != nullptr;
  });
}

Result<void> KnownTables::look_up(protocol::Command& command, const protocol::Facts& facts,
                                  mapping::Directory* directory, engine::Session& session,
                                  SpecPool& pool, size_t most_specs) {
  const uint64_t version = directory != nullptr ? directory->version() : 0;
  // A command adds a few at a time.
  const bool is_much = specs_.size() >= most_specs / 2 || mappings_.size() >= most_specs / 2 ||
                       names_ >= kMaxOpenColumns / 2;
  if (version != version_ || is_much) forget_all();
  version_ = version;
  bound_.clear();
  if (Result<void> done = ask_for_tables(command, directory, session); !done) return done;
  command.begin(tables_, facts);
  const bool has_room = each_target(command, [&](const protocol::Target& target) {
    const engine::IndexSpecPtr* spec = find_spec(target);
    if (spec == nullptr) {
      if (specs_.size() >= most_specs) return false;
      spec = make_spec(target, pool);
    }
    bound_.push_back({target.table, spec});
    return true;
  });
  if (!has_room) return ErrorCode::kTooManyIndexes;
  return {};
}

const engine::IndexSpecPtr* KnownTables::find_spec(const protocol::Target& target) {
  for (size_t i = 0; i < specs_.size(); ++i) {
    const size_t at = i == 0 ? last_spec_ : i <= last_spec_ ? i - 1 : i;
    const Known& known = *specs_[at];
    if (known.table != target.table || !is_same(known.columns, target.columns) ||
        !is_same(known.filter_columns, target.filter_columns) ||
        (known.is_of_other_index ? target.index != known.spec->index : !target.index.empty())) {
      continue;
    }
    last_spec_ = at;
    return &known.spec;
  }
  return nullptr;
}

const engine::IndexSpecPtr* KnownTables::make_spec(const protocol::Target& target, SpecPool& pool) {
  pool_ = &pool;
  const mapping::Mapping& table = *target.table;
  auto made = std::make_unique<Known>(
      Known{&table,
            {target.columns.begin(), target.columns.end()},
            {target.filter_columns.begin(), target.filter_columns.end()},
            !target.index.empty(),
            pool.intern({table.database, table.table,
                         target.index.empty() ? table.index : std::string(target.index),
                         names_of(table, target.columns), names_of(table, target.filter_columns)}),
            0});
  specs_.reserve(specs_.size() + 1);
  take_memory(pool.memory(), sizeof(Known));
  made->memory = sizeof(Known);
  usage_of(*made->spec).open();
  names_ += engine::column_count(*made->spec);
  last_spec_ = specs_.size();
  specs_.push_back(std::move(made));
  return &specs_.back()->spec;
}

void KnownTables::drop(const Known& known) {
  usage_of(*known.spec).close();
  if (pool_->memory() != nullptr) pool_->memory()->give_back(known.memory);
}

void KnownTables::forget(const mapping::Mapping& mapping) {
  bound_.clear();
  last_spec_ = last_mapping_ = 0;
  std::erase_if(specs_, [&](std::unique_ptr<Known>& known) {
    if (known->table != &mapping) return false;
    names_ -= engine::column_count(*known->spec);
    forgotten_specs_.push_back(std::move(known));
    return true;
  });
  std::erase_if(mappings_, [&](mapping::MappingPtr& known) {
    if (known.get() != &mapping) return false;
    forgotten_mappings_.push_back(std::move(known));
    return true;
  });
}

void KnownTables::forget_all() {
  bound_.clear();
  last_spec_ = last_mapping_ = names_ = 0;
  std::ranges::move(specs_, std::back_inserter(forgotten_specs_));
  std::ranges::move(mappings_, std::back_inserter(forgotten_mappings_));
  specs_.clear();
  mappings_.clear();
}

void KnownTables::shrink() {
  constexpr size_t kUsual = 1024;
  if (tables_.capacity() > kUsual) std::vector<const mapping::Mapping*>().swap(tables_);
  if (bound_.capacity() > kUsual) std::vector<Bound>().swap(bound_);
}

void KnownTables::destroy_forgotten() {
  for (const std::unique_ptr<Known>& known : forgotten_specs_) drop(*known);
  forgotten_specs_.clear();
  forgotten_mappings_.clear();
}

}  // namespace hs::exec
