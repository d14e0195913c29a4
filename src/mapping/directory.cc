#include "mapping/directory.h"

#include <algorithm>
#include <utility>

#include "mapping/names.h"

namespace hs::mapping {
namespace {

// Tables that are waited to be looked at in one go: the thread has other things to do.
constexpr size_t kMostLooks = 200;

std::string text_of(const TableName& table) { return table.database + '.' + table.table; }

bool is_about_lock(const Error& error) { return error.code == ErrorCode::kLockTables; }

}  // namespace

std::optional<MappingPtr> Directory::find_known(std::string_view key) const {
  const MutexLock lock(mutex_);
  Answer found = look_up(key, false);
  if (found.state != Answer::State::kKnown) return std::nullopt;
  return std::move(found.mapping);
}

Result<MappingPtr> Directory::find(std::string_view key, Tables& tables) {
  Answer found;
  bool was_looked_at = false;
  const auto look = [&] {
    const MutexLock lock(mutex_);
    found = look_up(key, was_looked_at);
    return found.state;
  };
  const auto ask_table = [&]() -> Result<void> {
    if (found.state != Answer::State::kAskTable) return {};
    if (auto done = look_at(found.table, true, tables); !done) return done;
    was_looked_at = true;
    look();
    return {};
  };
  look();
  if (auto asked = ask_table(); !asked) return std::move(asked.error());
  if (found.state == Answer::State::kAskContained) {
    if (auto done = look_at(found.table, false, tables); !done) return std::move(done.error());
    look();
  } else if (found.state == Answer::State::kWrong) {
    // It may have been put right. There is no news of a table in whose comment `hs:` does not stand.
    refresh(tables, true);
    if (look() == Answer::State::kWrong) {
      for (const TableName& table : found.claimants) (void)look_at(table, true, tables);
      look();
    }
  } else if (found.state == Answer::State::kAskNews) {
    refresh(tables, true);
    if (look() == Answer::State::kAskNews) {
      std::optional<TableName> locked;
      {
        const MutexLock lock(mutex_);
        if (!pending_.empty()) locked = pending_.begin()->first;
      }
      // The name may be that of a table that could not be looked at.
      if (locked) {
        if (auto done = look_at(*locked, false, tables); !done && is_about_lock(done.error()))
          return std::move(done.error());
        look();
      }
    }
  }
  // The news may have been that the table is another one, of which nothing is known.
  if (auto asked = ask_table(); !asked) return std::move(asked.error());
  if (found.state == Answer::State::kKnown) return std::move(found.mapping);
  const bool is_wrong =
      found.state == Answer::State::kWrong || found.state == Answer::State::kAskContained;
  if (is_wrong && tables.sees(found.table.database, found.table.table))
    return std::move(found.error);
  return MappingPtr();
}

Directory::Answer Directory::look_up(std::string_view key, bool was_looked_at) const {
  if (key.starts_with(kContainerMark)) return look_up_container(key);
  Head head;
  if (!take_head(key, &head)) return standard();
  if (head.table.empty()) return look_up_name(head.name, key, was_looked_at);
  TableName table{std::string(head.database), std::string(head.table)};
  const auto at = tables_.find(table);
  // A table with a name is found by that alone.
  if (at == tables_.end() || !at->second.name.empty())
    return of_no_table(std::move(table), was_looked_at);
  Answer found = answer(at->second, at->first);
  if (found.mapping != nullptr && !key.starts_with(found.mapping->prefix))
    return of_no_table(std::move(table), was_looked_at);
  return found;
}

// As far as is known the key is not the table's. That may be out of date.
Directory::Answer Directory::of_no_table(TableName table, bool was_looked_at) const {
  if (was_looked_at) return standard();
  return {Answer::State::kAskTable, nullptr, {}, std::move(table), {}};
}

Directory::Answer Directory::look_up_name(std::string_view name, std::string_view key,
                                          bool was_looked_at) const {
  const auto at = names_.find(name);
  if (at == names_.end()) {
    // With a standard container nearly every key is such a one.
    if (standard_) return standard();
    return {Answer::State::kAskNews, nullptr, {}, {}, {}};
  }
  const TableName& first = *at->second.begin();
  if (at->second.size() > 1) {
    return {Answer::State::kWrong,
            nullptr,
            Error{ErrorCode::kTableComment, 0, "more than one table has name=" + std::string(name)},
            first,
            {at->second.begin(), at->second.end()}};
  }
  Answer found = answer(tables_.at(first), first);
  if (found.mapping != nullptr && !key.starts_with(found.mapping->prefix))
    return of_no_table(first, was_looked_at);
  return found;
}

Directory::Answer Directory::look_up_container(std::string_view key) const {
  const std::string_view named = key.substr(kContainerMark.size());
  const auto at = of_containers_.find(named.substr(0, named.find(containers_.delimiter)));
  if (at == of_containers_.end()) return {};
  return answer(at->second, {at->second.shape.database, at->second.shape.table});
}

Directory::Answer Directory::standard() const {
  if (!standard_) return {};
  return answer(*standard_, {standard_->shape.database, standard_->shape.table});
}

Directory::Answer Directory::answer(const Known& known, const TableName& table) {
  if (known.mapping != nullptr) return {Answer::State::kKnown, known.mapping, {}, {}, {}};
  const auto state = known.wants_table ? Answer::State::kAskContained : Answer::State::kWrong;
  return {state, nullptr, known.error, table, {table}};
}

void Directory::forget(const Mapping& mapping) {
  const TableName table{mapping.database, mapping.table};
  const MutexLock lock(mutex_);
  const auto at = tables_.find(table);
  if (at != tables_.end() && at->second.shape.definition == mapping.definition) {
    if (!at->second.name.empty()) wait_for_look(table);
    erase(table);
  }
  const auto contained = container_tables_.find(table);
  if (contained != container_tables_.end() && contained->second.definition == mapping.definition) {
    container_tables_.erase(contained);
    make_containers();
  }
}

std::vector<MappingPtr> Directory::list() const {
  std::vector<MappingPtr> all;
  const MutexLock lock(mutex_);
  for (const auto& [name, tables] : names_) {
    const Known& known = tables_.at(*tables.begin());
    if (tables.size() == 1 && known.mapping != nullptr) all.push_back(known.mapping);
  }
  return all;
}

void Directory::refresh(Tables& tables, bool thorough) {
  std::vector<TableName> looks;
  {
    const MutexLock one_at_a_time(refreshing_);
    TableNews news;
    tables.look_for_news(thorough, news);
    const MutexLock lock(mutex_);
    for (const TableName& table : news.gone) {
      erase(table);
      // A look that is under way may have seen the table before it went.
      if (const auto at = looks_.find(table); at != looks_.end()) at->second.noted = ++time_;
    }
    for (const TableName& table : news.changed) wait_for_look(table);
    for (const auto& [table, since] : pending_) {
      if (looks.size() == kMostLooks) break;
      looks.push_back(table);
    }
  }
  for (const TableName& table : looks) (void)look_at(table, false, tables);
}

// Errors: those of Tables::shape(), but for the one of a table that is not there.
Result<void> Directory::look_at(const TableName& table, bool is_asked_for, Tables& tables) {
  uint64_t begun = 0;
  {
    const MutexLock lock(mutex_);
    begun = ++time_;
    ++looks_[table].under_way;
  }
  Result<TableShape> shape = tables.shape(table.database, table.table);
  const MutexLock lock(mutex_);
  const auto looks = looks_.find(table);
  const bool is_overtaken = begun < looks->second.noted;
  const bool is_locked = !shape && shape.error().code != ErrorCode::kOpenTable;
  if (!is_overtaken && !is_locked) looks->second.noted = begun;
  if (--looks->second.under_way == 0) looks_.erase(looks);
  if (is_locked) return std::move(shape.error());
  if (is_overtaken) return {};
  if (shape) {
    note(table, std::move(*shape), is_asked_for);
  } else {
    erase(table);
    if (container_tables_.erase(table) != 0) make_containers();
  }
  // What has changed since is looked at once more.
  const auto pending = pending_.find(table);
  if (pending != pending_.end() && pending->second < begun) pending_.erase(pending);
  return {};
}

void Directory::note(const TableName& table, TableShape&& shape, bool is_asked_for) {
  if (is_contained(table)) {
    TableShape& known = container_tables_[table];
    if (known != shape) {
      known = shape;
      make_containers();
    }
  }
  const auto known = tables_.find(table);
  if (known != tables_.end() && known->second.shape == shape) return;
  Known made;
  Result<Declaration> declared = parse_comment(shape.comment);
  if (declared) {
    made.name = declared->name;
    Result<MappingPtr> mapping = make(*declared, shape);
    if (mapping) {
      made.mapping = std::move(*mapping);
    } else {
      made.error = std::move(mapping.error());
    }
  } else {
    made.error = std::move(declared.error());
  }
  Declaration only_ttl;
  if (declared) only_ttl.ttl = declared->ttl;
  const bool says_nothing = declared && *declared == only_ttl;
  if (made.mapping == nullptr && !says_nothing) warn(table, made.error);
  erase(table);
  // Of the others only those that somebody asks for are kept.
  if (says_nothing && !is_asked_for) return;
  if (!made.name.empty()) names_[made.name].insert(table);
  made.shape = std::move(shape);
  tables_.emplace(table, std::move(made));
  change();
}

void Directory::erase(const TableName& table) {
  const auto at = tables_.find(table);
  if (at == tables_.end()) return;
  if (const auto named = names_.find(at->second.name); named != names_.end()) {
    named->second.erase(table);
    if (named->second.empty()) names_.erase(named);
  }
  tables_.erase(at);
  change();
}

void Directory::set_containers(Containers&& containers, Tables& tables) {
  std::set<TableName> missing;
  {
    const MutexLock lock(mutex_);
    if (containers != containers_) {
      containers_ = std::move(containers);
      container_tables_.clear();
      make_containers();
    }
    for (const Container& one : containers_.all) {
      TableName table{one.database, one.table};
      if (!container_tables_.contains(table)) missing.insert(std::move(table));
    }
    has_containers_.store(!containers_.all.empty(), std::memory_order_release);
  }
  for (const TableName& table : missing) {
    Result<TableShape> shape = tables.shape(table.database, table.table);
    const MutexLock lock(mutex_);
    if (shape) {
      container_tables_.insert_or_assign(table, std::move(*shape));
      make_containers();
    }
  }
}

bool Directory::is_contained(const TableName& table) const {
  return std::any_of(containers_.all.begin(), containers_.all.end(), [&](const Container& one) {
    return one.database == table.database && one.table == table.table;
  });
}

void Directory::make_containers() {
  of_containers_.clear();
  standard_.reset();
  const Container* const standard = containers_.standard();
  for (const Container& one : containers_.all) {
    const std::string prefix = std::string(kContainerMark) + one.name + containers_.delimiter;
    of_containers_.insert_or_assign(one.name, make_container(one, prefix));
    if (&one == standard) standard_ = make_container(one, "");
  }
  change();
}

Directory::Known Directory::make_container(const Container& container, std::string prefix) const {
  Known made;
  made.shape.database = container.database;
  made.shape.table = container.table;
  const auto at = container_tables_.find({container.database, container.table});
  if (at == container_tables_.end()) {
    made.error = Error{ErrorCode::kTableComment, 0,
                       "the table of the container " + container.name + " cannot be opened"};
    made.wants_table = true;
    return made;
  }
  Result<MappingPtr> mapping = make(container.declared, at->second);
  if (!mapping) {
    made.error = std::move(mapping.error());
    made.error.message = "the container " + container.name + ": " + made.error.message;
    return made;
  }
  auto named = std::make_shared<Mapping>(**mapping);
  named->name = container.name;
  named->prefix = std::move(prefix);
  made.mapping = std::move(named);
  return made;
}

std::string Directory::ttl_of_container(std::string_view database, std::string_view table) const {
  if (!has_containers_.load(std::memory_order_acquire)) return {};
  const MutexLock lock(mutex_);
  for (const Container& one : containers_.all)
    if (one.database == database && one.table == table && !one.declared.ttl.empty())
      return one.declared.ttl;
  return {};
}

void Directory::warn(const TableName& table, const Error& error) {
  if (warn_ != nullptr) warn_("the comment of " + text_of(table) + ": " + error.message);
}

}  // namespace hs::mapping
