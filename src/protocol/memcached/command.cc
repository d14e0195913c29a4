#include "protocol/memcached/command.h"

#include <algorithm>
#include <limits>

#include "mapping/versions.h"
#include "protocol/memcached/words.h"

namespace hs::protocol::memcached {
namespace {

using mapping::Mapping;

constexpr int kDuplicateKey = 121;  // the handler's number
// Up to 30 days a time is counted from now on.
constexpr int64_t kMostRelative = 60 * 60 * 24 * 30;

constexpr std::string_view kNoTable =
    "SERVER_ERROR the key is of no table: name a table by its COMMENT 'hs: name=...'";
constexpr std::string_view kNoKey = "CLIENT_ERROR the key has too few parts for its table";
constexpr std::string_view kNoFlags =
    "SERVER_ERROR the table has no column for flags (flags= in its COMMENT)";
constexpr std::string_view kNoCas =
    "SERVER_ERROR the table has no column for versions (cas= in its COMMENT)";
constexpr std::string_view kNoTtl =
    "SERVER_ERROR the table has no column by which rows expire (ttl= in its COMMENT)";
constexpr std::string_view kNoValue = "SERVER_ERROR the table has no column for a value";
constexpr std::string_view kOneValue =
    "CLIENT_ERROR the value is made of several columns and can only be set as a whole";
constexpr std::string_view kWrongParts =
    "CLIENT_ERROR the value has not as many parts as the table has columns for it";
constexpr std::string_view kNotANumber =
    "CLIENT_ERROR cannot increment or decrement non-numeric value";
constexpr std::string_view kNoFlush =
    "SERVER_ERROR flush_all is not served: delete the rows of the table with SQL";

bool stores(Verb verb) {
  return verb == Verb::kSet || verb == Verb::kAdd || verb == Verb::kReplace;
}
bool joins(Verb verb) {
  return verb == Verb::kAppend || verb == Verb::kPrepend || verb == Verb::kCount;
}

}  // namespace

void MemcachedCommand::start(MemcachedConversation& conversation) {
  conversation_ = &conversation;
  is_alone_ = is_running_ = false;
  output_ = nullptr;
  keys_.clear();
  named_.clear();
  for (const std::string_view key : ask_.keys) {
    constexpr std::string_view kMark = "@@";
    if (key.starts_with(kMark)) {
      const std::string& selected = conversation.selected;
      is_alone_ |= selected.empty() || !key.starts_with(selected);
      keys_.push_back(key);
    } else if (conversation.selected.empty()) {
      keys_.push_back(key);
    } else {
      keys_.push_back(named_.emplace_back(conversation.selected).append(key));
    }
  }
}

Command::Access MemcachedCommand::access() const {
  switch (ask_.verb) {
    case Verb::kGet:
    case Verb::kDebug:
      return ask_.touches ? Access::kUpdate : Access::kRead;
    case Verb::kSet:
    case Verb::kAdd:
      return Access::kPut;
    case Verb::kReplace:
    case Verb::kTouch:
      return Access::kUpdate;
    case Verb::kAppend:
    case Verb::kPrepend:
    case Verb::kCount:
      return ask_.initial ? Access::kPut : Access::kUpdate;
    case Verb::kDelete:
      return Access::kDelete;
    default:
      return Access::kNone;
  }
}

bool MemcachedCommand::needs_no_login() const {
  return ask_.verb == Verb::kVersion || ask_.verb == Verb::kQuit || ask_.verb == Verb::kNoop ||
         ask_.verb == Verb::kMechanisms || ask_.verb == Verb::kWrong || ask_.verb == Verb::kLogin;
}

void MemcachedCommand::begin(std::span<const Mapping* const> tables, const Facts& facts) {
  tables_ = tables;
  facts_ = facts;
  refusal_.clear();
  failure_.reset();
  columns_.clear();
  targets_.clear();
  digits_.clear();
  count_.reset();
  outcome_.reset();
  old_hit_ = {};
  at_ = 0;
  step_ = 0;
  has_row_ = is_duplicate_ = may_be_duplicate_ = false;
  new_cas_ = 0;
  if (keys_.empty() || access() == Access::kNone) return;
  is_get() ? prepare_get() : prepare_change();
}

// The parts of a key. False: it names no row of any table.
bool MemcachedCommand::locate(size_t key) {
  at_ = key;
  if (tables_[key] == nullptr || keys_[key].size() < tables_[key]->prefix.size()) return false;
  return mapping::split_key(*tables_[key], keys_[key].substr(tables_[key]->prefix.size()), &parts_);
}

std::vector<uint16_t> MemcachedCommand::columns_of_get() const {
  std::vector<uint16_t> columns = table().value;
  if (table().flags) columns.push_back(*table().flags);
  if (table().cas) columns.push_back(*table().cas);
  // A table that has nothing but its key is read for its rows' being there.
  if (columns.empty()) columns = table().key;
  return columns;
}

uint32_t MemcachedCommand::target(std::vector<uint16_t> columns, bool compares) {
  Columns made{&table(), std::move(columns), {}};
  if (compares && table().cas) made.filters.push_back(*table().cas);
  for (size_t i = 0; i < columns_.size(); ++i) {
    const Columns& known = columns_[i];
    if (known.table == made.table && known.columns == made.columns && known.filters == made.filters)
      return static_cast<uint32_t>(i);
  }
  const Columns& kept = columns_.emplace_back(std::move(made));
  targets_.push_back({kept.table, kept.columns, kept.filters});
  return static_cast<uint32_t>(targets_.size() - 1);
}

void MemcachedCommand::prepare_get() {
  const Mapping* last = nullptr;
  is_of_one_table_ = true;
  for (size_t key = 0; key < keys_.size(); ++key) {
    at_ = key;
    if (tables_[key] == nullptr || tables_[key] == last) continue;
    if (last != nullptr) is_of_one_table_ = false;
    last = tables_[key];
    look_target_ = target(columns_of_get(), false);
    if (!ask_.touches) continue;
    if (table().ttl) {
      write_target_ = target({*table().ttl}, false);
    } else if (ask_.exptime != 0) {
      return refuse(kNoTtl);
    }
  }
  at_ = 0;
}

void MemcachedCommand::prepare_change() {
  is_there_ = locate(0);
  if (!is_there_) {
    if (tables_[0] != nullptr) return refuse(kNoKey);
    return note_missing_key();
  }
  const bool stores_value = stores(ask_.verb) || joins(ask_.verb);
  if (stores_value && table().value.empty()) return refuse(kNoValue);
  if (joins(ask_.verb) && table().value.size() != 1) return refuse(kOneValue);
  if ((ask_.compares || ask_.new_cas) && !table().cas) return refuse(kNoCas);
  const bool has_exptime = ask_.exptime.value_or(0) != 0 || ask_.initial_exptime.value_or(0) != 0;
  if (has_exptime && !table().ttl) return refuse(kNoTtl);
  if (stores(ask_.verb) && ask_.flags != 0 && !table().flags) return refuse(kNoFlags);
  new_cas_ = ask_.new_cas ? *ask_.new_cas : table().cas ? mapping::next_version() : 0;
  old_hit_.cas = new_cas_;
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

void MemcachedCommand::note_missing_key() {
  if (ask_.verb == Verb::kSet && ask_.compares) {
    outcome_ = Outcome::kNotFound;
  } else if (ask_.verb == Verb::kSet || ask_.verb == Verb::kAdd || ask_.initial) {
    refuse(kNoTable);
  } else {
    const bool stores_it =
        ask_.verb == Verb::kReplace || ask_.verb == Verb::kAppend || ask_.verb == Verb::kPrepend;
    outcome_ = stores_it ? Outcome::kNotStored : Outcome::kNotFound;
  }
}

bool MemcachedCommand::next(Request& request) {
  is_running_ = true;
  if (!refusal_.empty() || failure_ || outcome_ || keys_.empty()) return false;
  if (access() == Access::kNone) return false;
  if (is_get()) return next_get(request);
  may_be_duplicate_ = false;
  if (stores(ask_.verb)) return next_store(request);
  if (joins(ask_.verb)) return next_join(request);
  return ask_.verb == Verb::kDelete ? next_delete(request) : next_touch(request);
}

bool MemcachedCommand::next_get(Request& request) {
  while (at_ < keys_.size()) {
    const size_t key = at_;
    if (step_ == 0) {
      has_row_ = false;
      if (!locate(key)) {
        ++at_;
        if (tables_[key] != nullptr && keys_[key].size() < tables_[key]->prefix.size()) {
          // It only selects the container.
          const std::string name = tables_[key]->database + '/' + tables_[key]->table;
          Answer(ask_, *output_).hit(ask_.keys[key], {name, 0, 0, {}});
        } else {
          Answer(ask_, *output_).miss(ask_.keys[key]);
        }
        continue;
      }
      step_ = 1;
      if (ask_.touches && table().ttl) {
        count_.reset();
        touch(request);
        if (!is_of_one_table_) request.index_id = target({*table().ttl}, false);
        return true;
      }
    }
    if (step_ == 1) {
      step_ = 2;
      // Nearly always all keys are of one table.
      find(request, is_of_one_table_ ? look_target_ : target(columns_of_get(), false),
           ask_.meta_has('t'));
      return true;
    }
    if (!has_row_) Answer(ask_, *output_).miss(ask_.keys[key]);
    step_ = 0;
    ++at_;
  }
  return false;
}

void MemcachedCommand::find(Request& request, uint32_t target_number, bool with_expiry) {
  request.verb = protocol::Verb::kFind;
  request.index_id = target_number;
  request.op = KeyOperator::kEqual;
  request.key = parts_;
  request.key_count = static_cast<uint32_t>(parts_.size());
  request.limit = 1;
  request.returns_expiry = with_expiry;
  has_row_ = inserts_ = false;
}

void MemcachedCommand::modify(Request& request, uint32_t target_number,
                              std::span<const Value> values) {
  find(request, target_number, false);
  request.verb = protocol::Verb::kModify;
  request.modification = Modification::kUpdate;
  request.values = values;
  count_.reset();
}

void MemcachedCommand::erase(Request& request) {
  modify(request, write_target_, {});
  request.modification = Modification::kDelete;
}

void MemcachedCommand::compare(Request& request) {
  if (!ask_.compares) return;
  filters_.clear();
  Filter& filter = filters_.emplace_back();
  filter.op = FilterOperator::kEqual;
  filter.value = Value::of(digits(ask_.cas));
  request.filters = filters_;
}

std::string_view MemcachedCommand::digits(uint64_t number) {
  return digits_.emplace_back(std::to_string(number));
}

std::optional<int64_t> MemcachedCommand::moment_of(int64_t exptime) const {
  const int64_t now = facts_.now_ms() / 1000;
  if (exptime == 0) return std::nullopt;
  // What is over at once was there all the same.
  if (exptime < 0) return now - 1;
  return exptime <= kMostRelative ? now + exptime : exptime;
}

// The values of a row, in the order of prepare_change(): value, flags, version, expiry, key.
void MemcachedCommand::take_values(std::string_view text) {
  if (!mapping::split_value(table(), text, &value_)) return refuse(kWrongParts);
  values_.assign(value_.begin(), value_.end());
  if (table().flags) values_.push_back(Value::of(digits(ask_.flags)));
  if (table().cas) values_.push_back(Value::of(digits(new_cas_)));
  if (table().ttl) values_.push_back(Value::null());
  values_.insert(values_.end(), parts_.begin(), parts_.end());
}

void MemcachedCommand::insert(Request& request, bool upserts) {
  request.verb = protocol::Verb::kInsert;
  request.index_id = insert_target_;
  inserts_ = true;
  request.values = values_;
  request.key_count = static_cast<uint32_t>(values_.size());
  const size_t before_key = values_.size() - parts_.size();
  request.on_duplicate = OnDuplicate::kFail;
  if (upserts) {
    request.on_duplicate = OnDuplicate::kUpdate;
    request.updates = std::span(values_).first(before_key);
  }
  if (table().ttl) request.expiry = {before_key - 1, moment()};
  count_.reset();
}

bool MemcachedCommand::next_store(Request& request) {
  // Where another index is unique, too, an upsert might change the row that this one finds.
  const bool is_sole = !table().has_other_unique;
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
        if (!is_sole) {
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
        if (is_sole) break;
        find(request, look_target_, false);
        return true;
      default:
        // The row of another key is in the way.
        if (!has_row_) {
          failure_ = Error::engine(kDuplicateKey);
          return false;
        }
        break;
    }
    outcome_ = Outcome::kNotStored;
    return false;
  }
  switch (step_++) {
    case 0:
      if (may_insert && is_sole) {
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
        outcome_ = has_row_                      ? Outcome::kExists
                   : ask_.verb == Verb::kReplace ? Outcome::kNotStored
                                                 : Outcome::kNotFound;
        return false;
      }
      if (!is_duplicate_) break;
      // Another client has inserted it meanwhile, or the row of another key is in the way.
      return update();
    case 3:
      if (count_.value_or(0) != 0) break;
      failure_ = Error::engine(kDuplicateKey);
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

bool MemcachedCommand::next_join(Request& request) {
  switch (step_++) {
    case 0:
      find(request, look_target_, ask_.meta_has('t'));
      return true;
    case 1: {
      if (!has_row_) {
        const bool counts = ask_.verb == Verb::kCount;
        if (!ask_.initial) {
          outcome_ = counts ? Outcome::kNotFound : Outcome::kNotStored;
          return false;
        }
        std::string_view initial = *ask_.initial;
        if (ask_.form == Form::kBinary) {
          uint64_t number = 0;
          for (const char c : initial) number = number << 8 | static_cast<uint8_t>(c);
          initial = digits(number);
        }
        number_ = initial;
        take_values(number_);
        insert(request, false);
        if (table().ttl) {
          const int64_t exptime = ask_.initial_exptime.value_or(0);
          request.expiry->at_s = moment_of(exptime);
        }
        return true;
      }
      if (ask_.compares && old_hit_.cas != ask_.cas) {
        outcome_ = Outcome::kExists;
        return false;
      }
      if (ask_.verb == Verb::kCount ? !compute_count() : !compute_joined()) return false;
      values_.assign(1, Value::of(number_));
      if (table().cas) values_.push_back(Value::of(digits(new_cas_)));
      const bool sets_ttl = table().ttl && ask_.exptime;
      if (sets_ttl) values_.push_back(Value::null());
      modify(request, write_target_, values_);
      if (sets_ttl) request.expiry = {values_.size() - 1, moment()};
      return true;
    }
    default:
      outcome_ = Outcome::kStored;
      old_hit_.value = number_;
      old_hit_.cas = new_cas_;
      return false;
  }
}

bool MemcachedCommand::compute_joined() {
  number_ = ask_.verb == Verb::kAppend ? old_ : std::string(ask_.value);
  number_ += ask_.verb == Verb::kAppend ? ask_.value : std::string_view(old_);
  return true;
}

// As memcached counts: from 0 to 64 bits, upwards past the end to the beginning, downwards to 0.
bool MemcachedCommand::compute_count() {
  std::string_view digits_there = old_;
  while (digits_there.ends_with(' ')) digits_there.remove_suffix(1);
  uint64_t number = 0;
  if (!read_number(digits_there, &number)) {
    refuse(kNotANumber);
    return false;
  }
  if (ask_.subtracts) {
    number -= std::min(number, ask_.delta);
  } else {
    number += ask_.delta;
  }
  number_ = std::to_string(number);
  return true;
}

void MemcachedCommand::touch(Request& request) {
  values_.assign(1, Value::null());
  modify(request, write_target_, values_);
  request.expiry = {0, moment()};
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

Hit MemcachedCommand::hit_of(std::span<const Value> values, const Mapping& mapped) {
  Hit hit;
  const size_t count = mapped.value.size();
  if (count == 1) {
    hit.value = values[0].text();
  } else {
    joined_.clear();
    for (size_t i = 0; i < count; ++i) {
      if (i != 0) joined_ += mapped.value_separator;
      joined_ += values[i].text();
    }
    hit.value = joined_;
  }
  size_t next = count;
  if (mapped.flags) {
    int64_t flags = 0;
    if (read_number(values[next++].text(), &flags)) hit.flags = static_cast<uint32_t>(flags);
  }
  if (mapped.cas) read_number(values[next++].text(), &hit.cas);
  return hit;
}

bool MemcachedCommand::row(std::span<const Value> values) {
  has_row_ = true;
  // The id that was made.
  if (inserts_) return true;
  Hit hit = hit_of(values, table());
  int64_t at = 0;
  if (ask_.meta_has('t') && read_number(values.back().text(), &at))
    hit.seconds_left = std::max<int64_t>(at - facts_.now_ms() / 1000, 0);
  if (!is_get()) {
    if (!joins(ask_.verb)) return true;
    old_ = hit.value;
    old_hit_ = hit;
    old_hit_.value = old_;
    return true;
  }
  constexpr size_t kRoomForNumbers = 128;
  row_start_ = output_->size();
  const size_t size = row_start_ - start_ + hit.value.size() + kMostKeySize + kRoomForNumbers;
  if (size > max_reply_size_) return false;
  if (ask_.verb == Verb::kDebug) {
    output_->append("ME ");
    output_->append(ask_.key_as_sent);
    output_->append(" exp=-1 la=0 cas=" + std::to_string(hit.cas) +
                    " fetch=no cls=1 size=" + std::to_string(hit.value.size()) + "\r\n");
  } else {
    Answer(ask_, *output_).hit(ask_.keys[at_], hit);
  }
  return true;
}

void MemcachedCommand::take_back_row() {
  has_row_ = false;
  if (is_get()) output_->truncate(row_start_);
}

void MemcachedCommand::failed(const Error& error) {
  // For the account there is no such table.
  if (error.code == ErrorCode::kOpenTable) {
    has_row_ = false;
    if (is_get()) {
      step_ = 2;
      return;
    }
    return note_missing_key();
  }
  const bool is_duplicate = error.code == ErrorCode::kEngine && error.number == kDuplicateKey;
  if (is_duplicate && may_be_duplicate_) {
    is_duplicate_ = true;
    return;
  }
  failure_ = error;
}

void MemcachedCommand::open_reply(Buffer& output, size_t max_reply_size) {
  output_ = &output;
  start_ = output.size();
  max_reply_size_ = max_reply_size;
  is_running_ = false;
}

void MemcachedCommand::refuse_with(const Error& error) {
  output_->truncate(start_);
  if (!ask_.is_silent) Answer(ask_, *output_).error(text_of(error));
}

std::optional<ErrorCode> MemcachedCommand::finish(const Error* failed) {
  if (failed != nullptr) failure_ = *failed;
  if (failure_) {
    refuse_with(*failure_);
    return failure_->code;
  }
  if (!refusal_.empty()) {
    output_->truncate(start_);
    if (!ask_.is_silent) Answer(ask_, *output_).error(refusal_);
    return ErrorCode::kNotImplemented;
  }
  if (is_alone_ && tables_.size() == keys_.size()) {
    for (size_t key = 0; key < keys_.size(); ++key) {
      if (tables_[key] != nullptr && keys_[key].starts_with("@@"))
        conversation_->chosen = tables_[key]->prefix;
    }
  }
  if (!ask_.is_silent) reply();
  return std::nullopt;
}

void MemcachedCommand::reply() {
  Answer answer(ask_, *output_);
  switch (ask_.verb) {
    case Verb::kWrong:
      return answer.error(ask_.refusal);
    case Verb::kGet:
    case Verb::kDebug:
      return answer.end_of_hits();
    case Verb::kVersion:
      return answer.version(facts_.version);
    case Verb::kStats:
      if (ask_.value.empty()) {
        answer.stat("pid", "0");
        answer.stat("time", std::to_string(facts_.now_ms() / 1000));
        answer.stat("version", facts_.version);
        answer.stat("pointer_size", "64");
      }
      return answer.end_of_stats();
    case Verb::kVerbosity:
    case Verb::kNoop:
      return answer.ok();
    case Verb::kQuit:
      if (ask_.form == Form::kBinary && !ask_.is_quiet) answer.ok();
      return;
    case Verb::kFlush:
      return answer.error(kNoFlush);
    case Verb::kMechanisms:
      return answer.mechanisms();
    case Verb::kLogin:
      return answer.error("CLIENT_ERROR unauthenticated");
    default:
      break;
  }
  const bool is_number = ask_.verb == Verb::kCount && outcome_ == Outcome::kStored;
  if (is_number) return answer.number(old_hit_);
  answer.outcome(*outcome_, old_hit_);
}

}  // namespace hs::protocol::memcached
