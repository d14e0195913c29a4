// SPDX-License-Identifier: GPL-2.0-only
#include "mariadb/foreign_keys.h"

#include <algorithm>

namespace hs::mariadb {
namespace {

const uint8 kUpdateOrDelete = trg2bit(TRG_EVENT_UPDATE) | trg2bit(TRG_EVENT_DELETE);

thr_lock_type lock_of(const FOREIGN_KEY_INFO& key) { return lock_of_child(key, kUpdateOrDelete); }

// Gives the THD other memory while it lives, for what must not be kept until the commit.
class OwnMemory {
 public:
  explicit OwnMemory(THD* thd) : thd_(thd), before_(thd->mem_root) {
    init_alloc_root(PSI_NOT_INSTRUMENTED, &memory_, 2048, 0, MYF(0));
    thd->mem_root = &memory_;
  }
  ~OwnMemory() {
    thd_->mem_root = before_;
    free_root(&memory_, MYF(0));
  }
  OwnMemory(const OwnMemory&) = delete;
  OwnMemory& operator=(const OwnMemory&) = delete;

 private:
  THD* const thd_;
  MEM_ROOT* const before_;
  MEM_ROOT memory_;
};

bool equal(const LEX_CSTRING& name, const std::string& other) {
  return other == std::string_view(name.str, name.length);
}

}  // namespace

thr_lock_type lock_of_child(const FOREIGN_KEY_INFO& key, uint8 events) {
  const bool cascades =
      ((events & trg2bit(TRG_EVENT_DELETE)) && fk_modifies_child(key.delete_method)) ||
      ((events & trg2bit(TRG_EVENT_UPDATE)) && fk_modifies_child(key.update_method));
  return cascades ? TL_FIRST_WRITE : TL_READ;
}

bool all_referring_keys(THD* thd, TABLE* parent,
                        const std::function<bool(const FOREIGN_KEY_INFO&)>& has) {
  if (!parent->file->referenced_by_foreign_key()) return true;
  const OwnMemory memory(thd);
  List<FOREIGN_KEY_INFO> keys;
  parent->file->get_parent_foreign_key_list(thd, &keys);
  if (thd->is_error()) return false;
  List_iterator<FOREIGN_KEY_INFO> next(keys);
  while (const FOREIGN_KEY_INFO* key = next++)
    if (!has(*key)) return false;
  return true;
}

bool ForeignKeyChildren::open(THD* thd, TABLE_LIST* parent) {
  children_.clear();  // of an earlier try
  last_ = parent;
  return open_children_of(thd, parent->table);
}

bool ForeignKeyChildren::open_children_of(THD* thd, TABLE* parent) {
  if (!parent->file->referenced_by_foreign_key()) return true;
  List<FOREIGN_KEY_INFO> keys;
  parent->file->get_parent_foreign_key_list(thd, &keys);
  if (thd->is_error()) return false;
  List_iterator<FOREIGN_KEY_INFO> next(keys);
  while (const FOREIGN_KEY_INFO* key = next++)
    if (!has(*key, lock_of(*key)) && !open_child(thd, *key)) return false;
  return true;
}

bool ForeignKeyChildren::may_open_again(THD* thd) {
  const uint error = thd->is_error() ? thd->get_stmt_da()->sql_errno() : 0;
  return error == ER_NO_SUCH_TABLE || error == ER_LOCK_DEADLOCK;
}

bool ForeignKeyChildren::complete(THD* thd, TABLE* parent) const {
  return has_children_of(thd, parent) &&
         std::all_of(children_.begin(), children_.end(), [&](const Child& child) {
           return child.list.table == nullptr || has_children_of(thd, child.list.table);
         });
}

bool ForeignKeyChildren::has_children_of(THD* thd, TABLE* parent) const {
  return all_referring_keys(thd, parent,
                            [this](const FOREIGN_KEY_INFO& key) { return has(key, lock_of(key)); });
}

bool ForeignKeyChildren::has(const FOREIGN_KEY_INFO& key, thr_lock_type lock) const {
  return std::any_of(children_.begin(), children_.end(), [&](const Child& child) {
    return child.list.lock_type >= lock && equal(*key.foreign_db, child.database) &&
           equal(*key.foreign_table, child.table);
  });
}

bool ForeignKeyChildren::open_child(THD* thd, const FOREIGN_KEY_INFO& key) {
  Child& child = children_.emplace_back();
  child.database.assign(key.foreign_db->str, key.foreign_db->length);
  child.table.assign(key.foreign_table->str, key.foreign_table->length);
  const LEX_CSTRING database{child.database.data(), child.database.size()};
  const LEX_CSTRING table{child.table.data(), child.table.size()};
  child.list.reset();
  TABLE_LIST** place = &last_->next_global;
  child.list.init_one_table_for_prelocking(&database, &table, nullptr, lock_of(key),
                                           TABLE_LIST::PRELOCK_FK, nullptr, kUpdateOrDelete, &place,
                                           false);
  last_ = &child.list;
  Open_table_context context(thd, 0);
  // Where nothing cascades the metadata lock is enough, and no table is opened.
  if (open_table(thd, &child.list, &context)) return false;
  if (child.list.table == nullptr) return true;
  child.list.table->reginfo.lock_type = child.list.lock_type;
  return open_children_of(thd, child.list.table);
}

bool ForeignKeyChildren::is_waited_for() const {
  return std::any_of(children_.begin(), children_.end(), [](const Child& child) {
    const MDL_ticket* ticket = child.list.mdl_request.ticket;
    return (child.list.table != nullptr && child.list.table->s->tdc->flushed) ||
           (ticket != nullptr && ticket->has_pending_conflicting_lock());
  });
}

void ForeignKeyChildren::list_locks(std::vector<MDL_ticket*>& locks) const {
  for (const Child& child : children_)
    if (child.list.mdl_request.ticket != nullptr) locks.push_back(child.list.mdl_request.ticket);
}

}  // namespace hs::mariadb
