// A command of memcached on rows: what it asks of the tables, and what it answers.
#pragma once

#include <deque>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/buffer.h"
#include "protocol/command.h"
#include "protocol/memcached/answer.h"
#include "protocol/memcached/ask.h"
#include "protocol/memcached/conversation.h"
#include "protocol/request.h"

namespace hs::protocol::memcached {

// One object for one message after the other.
class MemcachedCommand final : public Command {
 public:
  // Parse a message into it, then call start(). Both must live until the next message.
  Ask& ask() { return ask_; }
  void start(MemcachedConversation& conversation);

  Access access() const override;
  bool is_alone() const override { return is_alone_; }
  bool needs_no_login() const override;
  std::span<const std::string_view> keys() const override { return keys_; }
  void begin(std::span<const mapping::Mapping* const> tables, const Facts& facts) override;
  std::span<const Target> targets() const override { return targets_; }
  bool next(Request& request) override;
  std::optional<ErrorCode> finish(const Error* failed) override;

  // Where the reply goes.
  void open_reply(Buffer& output, size_t max_reply_size);
  // The result of the last request: as ReplyWriter.
  void count(uint64_t number) { count_ = number; }
  bool row(std::span<const Value> values);
  void take_back_row();
  void end_rows() {}
  void failed(const Error& error);
  // The command was not carried out at all.
  void refuse_with(const Error& error);
  bool is_running() const { return is_running_; }

 private:
  const mapping::Mapping& table() const { return *tables_[at_]; }
  bool is_get() const { return ask_.verb == Verb::kGet || ask_.verb == Verb::kDebug; }
  bool wants_expiry() const { return ask_.verb == Verb::kDebug || ask_.meta_has('t'); }
  bool locate(size_t key);
  void prepare_get();
  void prepare_change();
  void refuse(const Refusal& why) {
    if (!is_refused()) refusal_ = why;
  }
  bool is_refused() const { return !refusal_.line.empty(); }

  uint32_t target(std::vector<uint16_t> columns, bool compares);
  std::vector<uint16_t> columns_of_get() const;

  bool next_get(Request& request);
  bool expires_at_once() const;
  bool touch_got(Request& request);
  bool next_store(Request& request);
  bool next_join(Request& request);
  bool next_touch(Request& request);
  bool next_delete(Request& request);
  void find(Request& request, uint32_t target_number, bool with_expiry);
  void modify(Request& request, uint32_t target_number, std::span<const Value> values);
  void erase(Request& request);
  void insert(Request& request, bool upserts);
  void compare(Request& request);
  void touch(Request& request);
  bool look_why(Request& request);
  void set_expiry(Request& request, std::optional<int64_t> at_s);
  void note_written(std::string_view value);
  bool has_gone() const { return !inserts_ && !has_row_ && count_.value_or(0) == 0; }
  bool compute_joined();
  bool compute_count();

  void take_values(std::string_view text);
  std::optional<int64_t> moment() const { return moment_of(ask_.exptime.value_or(0)); }
  std::optional<int64_t> moment_of(int64_t exptime) const;
  int64_t seconds_left(int64_t at_s) const;
  std::string_view digits(uint64_t number);
  void note_missing_key();
  void reply();
  void reply_to_get();
  Hit hit_of(std::span<const Value> values, const mapping::Mapping& mapped);

  Ask ask_;
  MemcachedConversation* conversation_ = nullptr;
  Buffer* output_ = nullptr;
  size_t start_ = 0;  // of the reply, in the output
  size_t max_reply_size_ = 0;
  bool is_alone_ = false;
  bool is_running_ = false;
  std::vector<std::string_view> keys_;
  std::deque<std::string> named_;  // keys with the selected container's name

  std::span<const mapping::Mapping* const> tables_;
  Facts facts_;
  Refusal refusal_;
  std::optional<Error> failure_;

  struct Columns {
    const mapping::Mapping* table;
    std::vector<uint16_t> columns, filters;
  };
  std::deque<Columns> columns_;
  std::vector<Target> targets_;

  size_t at_ = 0;  // the present key
  int step_ = 0;
  bool is_there_ = false;  // the present key is of a table
  bool has_row_ = false;
  std::optional<uint64_t> count_;
  std::optional<Outcome> outcome_;
  bool inserts_ = false;  // the last request does
  bool is_of_one_table_ = false;
  uint32_t look_target_ = 0, write_target_ = 0, insert_target_ = 0;
  bool may_be_duplicate_ = false, is_duplicate_ = false, is_second_try_ = false;
  size_t row_start_ = 0;  // of the last hit, in the output

  std::vector<Value> parts_, values_, value_;
  std::vector<Filter> filters_;
  std::deque<std::string> digits_;
  std::string joined_, old_, number_;
  uint64_t new_cas_ = 0;
  Hit old_hit_;
};

}  // namespace hs::protocol::memcached
