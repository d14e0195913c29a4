#include "protocol/memcached/command.h"

#include <unistd.h>

#include "protocol/memcached/refusals.h"

namespace hs::protocol::memcached {

using mapping::Mapping;

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
  refusal_ = {};
  failure_.reset();
  columns_.clear();
  targets_.clear();
  digits_.clear();
  count_.reset();
  outcome_.reset();
  old_hit_ = {};
  at_ = 0;
  step_ = 0;
  has_row_ = is_duplicate_ = may_be_duplicate_ = is_second_try_ = false;
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
  targets_.push_back({kept.table, kept.columns, kept.filters, {}});
  return static_cast<uint32_t>(targets_.size() - 1);
}

bool MemcachedCommand::next(Request& request) {
  is_running_ = true;
  if (is_refused() || failure_ || outcome_ || keys_.empty()) return false;
  if (access() == Access::kNone) return false;
  if (is_get()) return next_get(request);
  may_be_duplicate_ = false;
  if (stores(ask_.verb)) return next_store(request);
  if (joins(ask_.verb)) return next_join(request);
  return ask_.verb == Verb::kDelete ? next_delete(request) : next_touch(request);
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

void MemcachedCommand::failed(const Error& error) {
  // For the account there is no such table.
  if (error.code == ErrorCode::kOpenTable && !(is_get() && step_ == 3)) {
    has_row_ = false;
    if (is_get()) {
      step_ = 2;
      return;
    }
    return note_missing_key();
  }
  const bool is_duplicate =
      error.code == ErrorCode::kEngine && error.number == Error::kDuplicateKey;
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
  if (!ask_.is_silent) Answer(ask_, *output_).error(error);
}

std::optional<ErrorCode> MemcachedCommand::finish(const Error* failed) {
  if (failed != nullptr) failure_ = *failed;
  if (failure_) {
    refuse_with(*failure_);
    return failure_->code;
  }
  if (is_refused()) {
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
        answer.stat("pid", std::to_string(::getpid()));
        answer.stat("time", std::to_string(facts_.now_ms() / 1000));
        answer.stat("version", facts_.version);
        answer.stat("pointer_size", std::to_string(sizeof(void*) * 8));
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
      return answer.error(kUnauthenticated);
    default:
      break;
  }
  const bool is_number = ask_.verb == Verb::kCount && outcome_ == Outcome::kStored;
  if (is_number) return answer.number(old_hit_);
  answer.outcome(*outcome_, old_hit_);
}

}  // namespace hs::protocol::memcached
