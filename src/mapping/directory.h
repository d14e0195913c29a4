// All mappings of the process, by the names that keys begin with.
//
// It learns of a table with a name= when the table is made, altered or renamed (refresh()), and of
// `<database>.<table>` when a key names it. What it knows may be out of date, as names are in an
// IndexSpec. So whoever goes by a mapping compares its definition with the open cursor's, and
// forgets a mapping that is stale:
//
//   find_known() or find()  ->  Session::cursor()  ->  Cursor::definition() == Mapping::definition
//                    ^                                     | else, and when it cannot be opened
//                    +---------------  forget()  <---------+
//
// Any thread, all functions. No lock of a table is waited for, other than as the session waits.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/mutex.h"
#include "mapping/containers.h"
#include "mapping/mapping.h"
#include "mapping/tables.h"

namespace hs::mapping {

class Directory {
 public:
  using Warn = void (*)(std::string_view message);
  // `told` is told once of each declaration that is wrong; null: nobody is.
  explicit Directory(Warn told = nullptr) : warn_(told) {}

  // Another one when an answer may be another one.
  uint64_t version() const { return version_.load(std::memory_order_acquire); }

  // The mapping of the name that the key begins with; null: there is no such name. The key's parts
  // stand behind the mapping's prefix, which is empty for the standard container. A key `@@name`
  // has nothing behind it, and not even all of the prefix. None: only find() can tell.
  std::optional<MappingPtr> find_known(std::string_view key) const;

  // The same, with a look into the database. Not inside a request, and what the session did before
  // must be committed. Errors: kTableComment, what was declared is wrong; those of Tables::shape(),
  // which may have to wait. What the session's account does not see is not there.
  Result<MappingPtr> find(std::string_view key, Tables& tables);

  // The table is another one by now, or cannot be opened: its mapping is to be made anew.
  void forget(const Mapping& mapping);

  // All that have a name of their own, in the order of their names.
  std::vector<MappingPtr> list() const;

  // Looks for what is new. `thorough`: see Tables::look_for_news(). Otherwise as find().
  void refresh(Tables& tables, bool thorough);
  // What the old plugin's tables say. Otherwise as find().
  void set_containers(Containers&& containers, Tables& tables);

  // The column by which rows of the table expire, as a container says. Empty: none says so.
  std::string ttl_of_container(std::string_view database, std::string_view table) const;

 private:
  struct Known {
    MappingPtr mapping;  // null: `error` says why
    Error error;
    std::string name;  // that was declared
    TableShape shape;
    bool wants_table = false;  // of a container: what its table is made of is not known
  };
  struct Answer {
    enum class State : uint8_t { kKnown, kWrong, kAskTable, kAskContained, kAskNews };
    State state = State::kKnown;
    MappingPtr mapping;
    Error error;
    TableName table;                   // kWrong, kAskTable, kAskContained
    std::vector<TableName> claimants;  // kWrong: those because of which it is wrong
  };

  // `was_looked_at`: the table that the key names, or whose name it begins with, was looked at for it.
  Answer look_up(std::string_view key, bool was_looked_at) const HS_REQUIRES(mutex_);
  Answer look_up_name(std::string_view name, std::string_view key, bool was_looked_at) const
      HS_REQUIRES(mutex_);
  Answer of_no_table(TableName table, bool was_looked_at) const HS_REQUIRES(mutex_);
  Answer look_up_container(std::string_view key) const HS_REQUIRES(mutex_);
  Answer standard() const HS_REQUIRES(mutex_);
  static Answer answer(const Known& known, const TableName& table);
  Result<void> look_at(const TableName& table, bool is_asked_for, Tables& tables);
  void wait_for_look(const TableName& table) HS_REQUIRES(mutex_) { pending_[table] = ++time_; }
  void note(const TableName& table, TableShape&& shape, bool is_asked_for) HS_REQUIRES(mutex_);
  void erase(const TableName& table) HS_REQUIRES(mutex_);
  bool is_contained(const TableName& table) const HS_REQUIRES(mutex_);
  void make_containers() HS_REQUIRES(mutex_);
  Known make_container(const Container& container, std::string prefix) const HS_REQUIRES(mutex_);
  void warn(const TableName& table, const Error& error);
  void change() { version_.fetch_add(1, std::memory_order_release); }

  const Warn warn_;
  std::atomic<uint64_t> version_{0};
  mutable Mutex mutex_;
  std::map<TableName, Known> tables_ HS_GUARDED_BY(mutex_);
  std::map<std::string, std::set<TableName>, std::less<>> names_ HS_GUARDED_BY(mutex_);
  // Looks overtake one another. What is known of a table is what the last one has seen that was begun.
  struct Looks {
    unsigned under_way = 0;
    uint64_t noted = 0;  // when the last one was begun of those that are done
  };
  uint64_t time_ HS_GUARDED_BY(mutex_) = 0;
  std::map<TableName, Looks> looks_ HS_GUARDED_BY(mutex_);       // of tables with one under way
  std::map<TableName, uint64_t> pending_ HS_GUARDED_BY(mutex_);  // to be looked at, since when
  Containers containers_ HS_GUARDED_BY(mutex_);
  std::map<std::string, Known, std::less<>> of_containers_ HS_GUARDED_BY(mutex_);
  std::map<TableName, TableShape> container_tables_ HS_GUARDED_BY(mutex_);
  std::optional<Known> standard_ HS_GUARDED_BY(mutex_);
  std::atomic<bool> has_containers_{false};
  Mutex refreshing_;  // one at a time; taken before mutex_
};

}  // namespace hs::mapping
