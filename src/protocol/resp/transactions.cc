// MULTI, EXEC, DISCARD, WATCH and UNWATCH.
//
// What stands between MULTI and EXEC is kept until EXEC, which is one command of all its requests. A
// row that was watched is compared with what it was, and locked, before the first of them.
#include <functional>
#include <utility>

#include "protocol/resp/families.h"
#include "protocol/resp/transaction.h"

namespace hs::protocol::resp {
namespace {

// Of a row, so that another one is told from it.
std::string digest_of(std::span<const Value> values) {
  std::string text;
  for (const Value& value : values) {
    text += value.is_null() ? 'N' : 'V';
    text += std::to_string(value.size);
    text += ':';
    text += value.text();
  }
  constexpr size_t kShort = 256;
  if (text.size() <= kShort) return text;
  const std::hash<std::string_view> hash;
  const std::string_view all(text);
  return std::to_string(text.size()) + '-' + std::to_string(hash(all)) + '-' +
         std::to_string(hash(all.substr(all.size() / 2))) + '-' + text.substr(0, kShort);
}

std::vector<uint16_t> all_columns(const mapping::Mapping& table) {
  std::vector<uint16_t> columns(table.columns.size());
  for (size_t i = 0; i < columns.size(); ++i) columns[i] = static_cast<uint16_t>(i);
  return columns;
}

class Alone : public RespCommand {
 public:
  bool is_alone() const override { return true; }

 protected:
  void take() override {}
};

class Multi final : public Alone {
  void take() override {
    if (conversation_->in_transaction) refuse("ERR MULTI calls can not be nested");
  }
  void reply() override {
    conversation_->in_transaction = true;
    out_->ok();
  }
};

class Discard final : public Alone {
  void take() override {
    if (!conversation_->in_transaction) refuse("ERR DISCARD without MULTI");
  }
  void reply() override {
    conversation_->ends_transaction = true;
    out_->ok();
  }
};

class Unwatch final : public Alone {
  void reply() override {
    // In a transaction it is too late, and EXEC may be executed once more.
    if (!conversation_->in_transaction) conversation_->watched.clear();
    out_->ok();
  }
};

// Keeps what the rows are now.
class Watch final : public Alone {
  void take() override {
    if (conversation_->in_transaction) return refuse("ERR WATCH inside MULTI is not allowed");
    keys_.assign(arguments_.begin() + 1, arguments_.end());
    if (conversation_->watched.size() + keys_.size() > RespConversation::kMostWatched) {
      return refuse("ERR more than 64 keys are watched");
    }
    for (const std::string_view key : keys_) {
      if (key.size() > RespConversation::kLongestWatched) {
        return refuse("ERR a watched key is longer than 1024 bytes");
      }
    }
  }
  Access row_access() const override { return Access::kRead; }
  bool shows_rows() const override { return false; }
  void prepare() override {
    at_ = 0;
    seen_.clear();
    columns_.clear();
    columns_.reserve(tables_.size());
    for (const mapping::Mapping* table : tables_) {
      columns_.push_back(table != nullptr ? all_columns(*table) : std::vector<uint16_t>());
      if (table != nullptr) (void)target(*table, columns_.back());
    }
  }
  bool next_request(Request& request) override {
    for (; at_ < keys_.size(); ++at_) {
      seen_.push_back({std::string(keys_[at_]), false, {}});
      if (!locate(at_)) continue;
      find(request, target(table_of(at_), columns_[at_]));
      ++at_;
      return true;
    }
    return false;
  }
  bool row(std::span<const Value> values) override {
    seen_.back().exists = true;
    seen_.back().row = digest_of(values);
    return true;
  }
  void reply() override {
    conversation_->watched.add(std::move(seen_));
    seen_.clear();
    out_->ok();
  }

  size_t at_ = 0;
  std::vector<Watched> seen_;
  std::vector<std::vector<uint16_t>> columns_;
};

}  // namespace

void Exec::add(Made command) { parts_of_.push_back(std::move(command)); }

void Exec::add_refused(Made command) {
  refused_.push_back(parts_of_.size());
  add(std::move(command));
}

// `is_block`: MULTI and what follows are in the same message, so their answers come with EXEC's.
void Exec::begin_message(bool is_block) {
  parts_of_.clear();
  refused_.clear();
  is_block_ = is_block;
}

void Exec::take() {
  starts_.clear();
  spoilt_ = !is_block_ && conversation_->is_spoilt;
  ends_ = !is_block_ || !conversation_->watched.empty();
  if (!is_block_ && !conversation_->in_transaction) {
    ends_ = false;
    return refuse("ERR EXEC without MULTI");
  }
  spoilt_ |= !refused_.empty();
  if (spoilt_) return;
  for (const auto& watched : conversation_->watched) keys_.push_back(watched.key);
  for (const Made& part : parts_of_) {
    starts_.push_back(keys_.size());
    const auto keys = part->keys();
    keys_.insert(keys_.end(), keys.begin(), keys.end());
  }
}

Command::Access Exec::row_access() const { return keys_.empty() ? Access::kNone : Access::kUpdate; }

void Exec::prepare() {
  at_ = 0;
  is_open_ = has_head_ = part_has_changed_ = is_changed_ = false;
  watched_ = 0;
  abort_.clear();
  offsets_.clear();
  watched_columns_.clear();
  const size_t watched = spoilt_ ? 0 : conversation_->watched.size();
  watched_columns_.reserve(watched);
  for (size_t i = 0; i < watched; ++i) {
    const mapping::Mapping* const table = i < tables_.size() ? tables_[i] : nullptr;
    watched_columns_.push_back(table != nullptr ? all_columns(*table) : std::vector<uint16_t>());
    if (table != nullptr) (void)target(*table, watched_columns_.back());
  }
  if (spoilt_) return;
  for (size_t i = 0; i < parts_of_.size(); ++i) {
    RespCommand& part = *parts_of_[i];
    part.begin(tables_.empty() ? tables_ : tables_.subspan(starts_[i], part.keys().size()), facts_);
    offsets_.push_back(static_cast<uint32_t>(targets_.size()));
    targets_.insert(targets_.end(), part.targets().begin(), part.targets().end());
  }
}

// A watched row that is not as it was ends the transaction before it has begun.
bool Exec::next_watched(Request& request) {
  while (!is_changed_ && watched_ < watched_columns_.size()) {
    if (watched_ != 0) judge_watched();
    if (is_changed_) return false;
    has_row_ = false;
    if (!locate(watched_++)) continue;
    find(request, target(table_of(watched_ - 1), watched_columns_[watched_ - 1]));
    return true;
  }
  if (watched_ != 0 && at_ == 0 && !has_head_) judge_watched();
  return false;
}

void Exec::judge_watched() {
  const auto& was = conversation_->watched[watched_ - 1];
  if (was.exists != has_row_ || (has_row_ && was.row != row_)) is_changed_ = true;
}

bool Exec::next_request(Request& request) {
  if (spoilt_) return false;
  if (!has_head_ && next_watched(request)) return true;
  if (is_changed_) return false;
  write_head();
  for (; at_ < parts_of_.size() && !failure_; end_part()) {
    RespCommand& part = *parts_of_[at_];
    if (!std::exchange(is_open_, true)) part.open_reply();
    if (part.next(request)) {
      request.index_id += offsets_[at_];
      is_change_ = request.verb == Verb::kModify || request.verb == Verb::kInsert;
      return true;
    }
  }
  return false;
}

void Exec::write_head() {
  if (std::exchange(has_head_, true)) return;
  write_queued();
  out_->array(parts_of_.size());
}

void Exec::write_queued() {
  if (!is_block_) return;
  out_->ok();
  auto refused = refused_.begin();
  for (size_t i = 0; i < parts_of_.size(); ++i) {
    if (refused == refused_.end() || *refused != i) {
      out_->simple("QUEUED");
      continue;
    }
    ++refused;
    parts_of_[i]->open_reply();
    (void)parts_of_[i]->finish(nullptr);
  }
}

// A part that fails after it has changed something cannot be undone alone.
void Exec::end_part() {
  const std::optional<ErrorCode> error = parts_of_[at_]->finish(nullptr);
  if (error && part_has_changed_) {
    abort_ = parts_of_[at_]->error_text();
    failure_ = Error{*error, 0, {}};
  }
  ++at_;
  is_open_ = part_has_changed_ = false;
}

RespCommand* Exec::part() {
  return has_head_ && at_ < parts_of_.size() ? parts_of_[at_].get() : nullptr;
}

void Exec::count(uint64_t number) {
  part_has_changed_ |= is_change_ && number != 0;
  if (part() != nullptr) part()->count(number);
}

bool Exec::row(std::span<const Value> values) {
  if (part() == nullptr) {
    has_row_ = true;
    row_ = digest_of(values);
    return true;
  }
  part_has_changed_ |= is_change_;
  return part()->row(values);
}

bool Exec::shows_rows() const {
  return has_head_ && at_ < parts_of_.size() && parts_of_[at_]->shows_rows();
}

void Exec::take_back_row() {
  if (part() != nullptr) part()->take_back_row();
}

void Exec::end_rows() {
  if (part() != nullptr) part()->end_rows();
}

// What is wrong with a command is that command's answer. A kill is meant for all of them.
void Exec::failed(const Error& error) {
  const bool is_kill = error.code == ErrorCode::kInterrupted || error.code == ErrorCode::kShutdown;
  part() != nullptr && !is_kill ? part()->failed(error) : RespCommand::failed(error);
}

// Written in place of everything so far, also when the whole command fails.
std::optional<ErrorCode> Exec::finish(const Error* failed) {
  conversation_->ends_transaction |= ends_;
  if (failed != nullptr) failure_ = *failed;
  if (!failure_ || !is_block_) {
    if (!failure_) return RespCommand::finish(nullptr);
    out_->truncate(start_);
    write_abort(*failure_);
    return failure_->code;
  }
  write_failure(*failure_);
  return failure_->code;
}

void Exec::write_failure(const Error& error) {
  out_->truncate(start_);
  write_queued();
  write_abort(error);
}

void Exec::write_no_login() {
  out_->truncate(start_);
  const size_t messages = is_block_ ? parts_of_.size() + 2 : 1;
  for (size_t i = 0; i < messages; ++i) out_->error(kNoAuth);
}

void Exec::write_abort(const Error& error) {
  out_->error("EXECABORT Transaction discarded because of: " +
              (abort_.empty() ? text_of(error) : abort_));
}

void Exec::reply() {
  if (spoilt_) {
    write_queued();
    return out_->error("EXECABORT Transaction discarded because of previous errors.");
  }
  if (is_changed_) {
    write_queued();
    return out_->null_array();
  }
  if (keys_.empty()) {
    Request none;
    (void)next_request(none);
  }
}

void Queue::take() {
  const bool is_full = conversation_->queued_count >= RespConversation::kMostQueued ||
                       (conversation_->queued_count != 0 &&
                        conversation_->queued->size() + text_.size() > most_bytes_);
  if (!error_.empty()) {
    refuse(error_);
  } else if (is_full) {
    refuse(
        "ERR the transaction has more than 10000 commands, or is longer than "
        "handlersocket_max_request_size");
  }
}

void Queue::reply() {
  conversation_->queued->append(text_);
  ++conversation_->queued_count;
  out_->simple("QUEUED");
}

// A command for which there is no memory is missing from the transaction as one that is refused.
std::optional<ErrorCode> Queue::finish(const Error* failed) {
  if (is_refused() || failed != nullptr) conversation_->is_spoilt = true;
  conversation_->ends_transaction |= ends_;
  return RespCommand::finish(failed);
}

Made make_multi() { return std::make_unique<Multi>(); }
Made make_exec() { return std::make_unique<Exec>(); }
Made make_discard() { return std::make_unique<Discard>(); }
Made make_watch() { return std::make_unique<Watch>(); }
Made make_unwatch() { return std::make_unique<Unwatch>(); }

}  // namespace hs::protocol::resp
