// set, add, replace, cas, touch and delete: one row as a whole.
#include "mapping/versions.h"
#include "protocol/memcached/command.h"
#include "protocol/memcached/refusals.h"

namespace hs::protocol::memcached {

void MemcachedCommand::prepare_change() {
  is_there_ = locate(0);
  if (!is_there_) {
    if (tables_[0] != nullptr) return refuse(kNoKey);
    return note_missing_key();
  }
  const bool stores_value = stores(ask_.verb) || joins(ask_.verb);
  if (stores_value && table().value.empty()) return refuse(kNoValue);
  if (stores_value && table().has_computed_value) return refuse(kComputedValue);
  if (joins(ask_.verb) && table().value.size() != 1) return refuse(kOneValue);
  // Its text has fewer digits than the value.
  const bool is_real = !table().value.empty() &&
                       table().columns[table().value.front()].kind == mapping::ColumnKind::kReal;
  if (ask_.verb == Verb::kCount && is_real) return refuse(kNotANumber);
  if ((ask_.compares || ask_.new_cas) && !table().cas) return refuse(kNoCas);
  const bool has_exptime = ask_.exptime.value_or(0) != 0 || ask_.initial_exptime.value_or(0) != 0;
  if (has_exptime && !table().ttl) return refuse(kNoTtl);
  if (stores(ask_.verb) && ask_.flags != 0 && !table().flags) return refuse(kNoFlags);
  new_cas_ = ask_.new_cas ? *ask_.new_cas : table().cas ? mapping::next_version() : 0;
  // Neither a row that is deleted nor one that is touched gets a version.
  old_hit_.cas = stores_value ? new_cas_ : 0;
  old_hit_.flags = ask_.flags;
  old_hit_.value = ask_.value;
  if (stores(ask_.verb) && !mapping::split_value(table(), ask_.value, &value_))
    return refuse(kWrongParts);
  // Those that next() may ask for.
  const bool sets_ttl = table().ttl && (stores(ask_.verb) || ask_.exptime);
  std::vector<uint16_t> written;
  if (stores_value) written = table().value;
  if (stores(ask_.verb) && table().flags) written.push_back(*table().flags);
  if (stores_value && table().cas) written.push_back(*table().cas);
  if (sets_ttl) written.push_back(*table().ttl);
  if (ask_.verb == Verb::kDelete || written.empty()) written = table().key;
  look_target_ = target(columns_of_get(), false);
  write_target_ = target(written, ask_.compares && !joins(ask_.verb));
  if (!stores(ask_.verb) && !ask_.initial) return;
  if (joins(ask_.verb)) {
    written = table().value;
    if (table().flags) written.push_back(*table().flags);
    if (table().cas) written.push_back(*table().cas);
    if (table().ttl) written.push_back(*table().ttl);
  }
  written.insert(written.end(), table().key.begin(), table().key.end());
  insert_target_ = target(written, false);
}

bool MemcachedCommand::next_store(Request& request) {
  const bool upserts = table().can_upsert(targets_[insert_target_].columns);
  const bool may_insert = ask_.verb != Verb::kReplace && !ask_.compares;
  if (step_ == 0) take_values(ask_.value);
  const size_t written = values_.size() - parts_.size();
  const auto update = [&] {
    modify(request, write_target_, std::span(values_).first(written));
    if (table().ttl) request.expiry = {written - 1, moment()};
    compare(request);
    return true;
  };
  if (ask_.verb == Verb::kAdd) {
    // An INSERT IGNORE would forgive a duplicate in another index.
    switch (step_++) {
      case 0:
        if (!upserts) {
          find(request, look_target_, false);
          return true;
        }
        [[fallthrough]];
      case 1:
        step_ = 2;
        if (has_row_) break;
        insert(request, false);
        may_be_duplicate_ = true;
        return true;
      case 2:
        if (!is_duplicate_) {
          outcome_ = Outcome::kStored;
          return false;
        }
        if (upserts) break;
        find(request, look_target_, false);
        return true;
      default:
        // The row of another key is in the way.
        if (!has_row_) {
          failure_ = Error::engine(Error::kDuplicateKey);
          return false;
        }
        break;
    }
    outcome_ = Outcome::kNotStored;
    return false;
  }
  switch (step_++) {
    case 0:
      if (may_insert && upserts) {
        insert(request, true);
        step_ = 4;
        return true;
      }
      return update();
    case 1:
      if (count_.value_or(0) != 0) break;
      if (!may_insert) return look_why(request);
      insert(request, false);
      may_be_duplicate_ = true;
      return true;
    case 2:
      if (!may_insert) {
        outcome_ = has_row_ ? Outcome::kExists : Outcome::kNotFound;
        return false;
      }
      if (!is_duplicate_) break;
      // Another client has inserted it meanwhile, or the row of another key is in the way.
      return update();
    case 3:
      if (count_.value_or(0) != 0) break;
      failure_ = Error::engine(Error::kDuplicateKey);
      return false;
    default:
      break;
  }
  outcome_ = Outcome::kStored;
  return false;
}

// Whether the row is not there, or has another version.
bool MemcachedCommand::look_why(Request& request) {
  if (!ask_.compares) {
    outcome_ = ask_.verb == Verb::kReplace ? Outcome::kNotStored : Outcome::kNotFound;
    return false;
  }
  find(request, look_target_, false);
  return true;
}

bool MemcachedCommand::next_touch(Request& request) {
  if (step_++ == 0) {
    if (!table().ttl) {
      find(request, look_target_, false);
    } else {
      touch(request);
    }
    return true;
  }
  const bool is_found = table().ttl ? count_.value_or(0) != 0 : has_row_;
  outcome_ = is_found ? Outcome::kTouched : Outcome::kNotFound;
  return false;
}

bool MemcachedCommand::next_delete(Request& request) {
  switch (step_++) {
    case 0:
      erase(request);
      compare(request);
      return true;
    case 1:
      if (count_.value_or(0) == 0) return look_why(request);
      outcome_ = Outcome::kDeleted;
      return false;
    default:
      outcome_ = has_row_ ? Outcome::kExists : Outcome::kNotFound;
      return false;
  }
}

}  // namespace hs::protocol::memcached
