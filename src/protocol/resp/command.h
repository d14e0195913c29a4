// What the commands of the protocol have in common. Each family has a file:
//
//   connection.cc client.cc      the connection itself: HELLO, CLIENT, SELECT
//   tools.cc info.cc             what tools ask: COMMAND, CONFIG, INFO
//   scans.cc         all rows: SCAN, DBSIZE
//   reads.cc writes.cc deletes.cc counters.cc expiry.cc    rows as strings
//   hashes.cc hash_writes.cc     rows as hashes
//   sorted_sets.cc   rows as members of sorted sets
//   transactions.cc  MULTI and what belongs to it
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/value.h"
#include "protocol/command.h"
#include "protocol/request.h"
#include "protocol/resp/conversation.h"
#include "protocol/resp/encoder.h"
#include "protocol/resp/error_text.h"

namespace hs::protocol::resp {

using Arguments = std::span<const std::string_view>;

// What the second argument of a command like CLIENT may be.
struct Subcommand {
  std::string_view name;  // in small letters
  int arity;              // arguments with both names; negative: at least so many
  std::string_view text;  // of HELP, or why it is not served
  bool is_served = true;
};

// Whether so many arguments are right. A negative arity: at least so many.
bool takes(int arity, size_t arguments);

// An object is used for one message after the other: start() begins.
class RespCommand : public Command {
 public:
  // `arguments`, of which the first is the command's name, have the right number. All must live
  // until the next call.
  void start(Arguments arguments, RespConversation& conversation, Encoder& out) {
    arguments_ = arguments;
    conversation_ = &conversation;
    out_ = &out;
    refusal_.clear();
    failure_.reset();
    keys_.clear();
    targets_.clear();
    has_begun_again_ = is_no_command_ = false;
    help_ = {};
    take();
    is_malformed_ = is_refused();
  }

  Access access() const final {
    return is_refused() || !help_.empty() ? Access::kNone : row_access();
  }
  std::span<const std::string_view> keys() const final { return keys_; }
  std::span<const Target> targets() const final { return targets_; }
  void begin(std::span<const mapping::Mapping* const> tables, const Facts& facts) final;
  bool next(Request& request) final {
    is_running_ = true;
    return !is_refused() && !failure_ && next_request(request);
  }
  std::optional<ErrorCode> finish(const Error* failed) override;
  // The output is there, and what is written from here on is this command's. After begin(), or
  // before it.
  void open_reply() {
    start_ = out_->size();
    is_running_ = false;
  }
  // Whether its requests have begun, so that what fails may be one of them.
  bool is_running() const { return is_running_; }

  // Whether the reply has the values of the rows, whole.
  virtual bool shows_rows() const { return true; }
  // The result of the last request: as ReplyWriter.
  virtual void count(uint64_t /*number*/) {}
  virtual bool row(std::span<const Value> /*values*/) { return true; }
  virtual void take_back_row() {}
  virtual void end_rows() {}
  virtual void failed(const Error& error) { failure_ = error; }

  bool is_refused() const { return !refusal_.empty(); }
  // Refused for what it is, whatever the rows are: a transaction does not take it.
  bool is_no_command() const { return is_no_command_; }
  // What finish() has told the client, if it was an error.
  std::string error_text() const { return failure_ ? failure_text() : refusal_; }

 protected:
  // Looks at arguments_ and sets keys_, or refuses.
  virtual void take() = 0;
  virtual Access row_access() const { return Access::kNone; }
  // tables_ are known: sets targets_. What an earlier try has left is forgotten here. There may be no
  // output yet.
  virtual void prepare() {}
  virtual bool next_request(Request& /*request*/) { return false; }
  // Writes the reply, or what is missing of it.
  virtual void reply() = 0;

  virtual std::string failure_text() const { return text_of(*failure_); }
  void refuse(std::string_view text) { refusal_ = text; }
  size_t count_of_arguments() const { return arguments_.size(); }
  std::string_view argument(size_t at) const { return arguments_[at]; }
  // Whether the argument is this word, in any case.
  bool is_word(size_t at, std::string_view word) const;
  // False: refused.
  bool take_integer(size_t at, int64_t* number);
  // Whether the second argument is one of these, with a right number of arguments. False: refused, or
  // the command is answered with these.
  bool take_subcommand(std::span<const Subcommand> known);

  void write_help();

  // The parts of a key, in parts_. False: it names no row of any table.
  bool locate(size_t key);
  const mapping::Mapping& table_of(size_t key) const { return *tables_[key]; }
  // The number of the target with these columns, which is added if it is not there yet.
  uint32_t target(const mapping::Mapping& table, std::span<const uint16_t> columns);
  // A request for the row of parts_.
  void find(Request& request, uint32_t target_number) const;
  void modify(Request& request, uint32_t target_number, Modification modification,
              std::span<const Value> values) const;
  // A plain insert has failed: another client has inserted the row meanwhile, or a row of another key
  // has the same value in another unique index. Once for each row, this is true: when the row is looked
  // for once more it is known which.
  bool begins_again(const Error& error) {
    return is_duplicate(error) && !std::exchange(has_begun_again_, true);
  }
  // A row that was found and locked is not there for the change behind that: it has expired between the two,
  // as each request has its own time. Once for each row, this is true.
  bool begins_again_as_expired() { return !std::exchange(has_begun_again_, true); }
  void go_to_next_row() { has_begun_again_ = false; }
  // What a client is told that writes to a key of no table.
  void refuse_key(std::string_view key);

  Arguments arguments_;
  RespConversation* conversation_ = nullptr;
  Encoder* out_ = nullptr;
  size_t start_ = 0;  // of the reply, in the output
  std::string refusal_;
  bool is_running_ = false;
  bool is_malformed_ = false;  // refused whatever the tables are
  bool is_no_command_ = false;
  std::span<const Subcommand> help_;  // what is told instead of reply()
  bool has_begun_again_ = false;
  std::optional<Error> failure_;
  Facts facts_;
  std::vector<std::string_view> keys_;
  std::vector<Target> targets_;
  std::span<const mapping::Mapping* const> tables_;
  std::vector<Value> parts_;
};

// A command of one key, which does one thing after the other.
class OneKeyCommand : public RespCommand {
 protected:
  void take() override {
    keys_.assign(1, argument(1));
    take_options();
  }
  virtual void take_options() {}
  void prepare() final {
    step_ = 0;
    has_row_ = false;
    exists_ = locate(0);
    prepare_row();
  }
  // exists_: the key is of a table, whose columns the command may ask for now.
  virtual void prepare_row() = 0;

  const mapping::Mapping& table() const { return table_of(0); }
  // How many fields a command may name: no table has more columns. More are refused.
  static constexpr size_t kMostFields = 4096;
  void take_fields(size_t count) {
    if (count > kMostFields) refuse("ERR more than 4096 fields in one command");
  }
  // The column that is this field of a hash. None: there is no such one.
  std::optional<uint16_t> field(std::string_view name) const;
  // Likewise, to be set. None: refused.
  std::optional<uint16_t> settable_field(std::string_view name);

  bool exists_ = false;   // the key names a row of a table, which may be there or not
  bool has_row_ = false;  // a row was found
  int step_ = 0;
};

// A cursor as Redis reads it: -1 is the largest, and nothing at all is 0.
bool parse_cursor(std::string_view text, uint64_t* cursor);

// Whether `text` is like the pattern, as Redis' KEYS means it.
bool is_like(std::string_view text, std::string_view pattern);

std::string lower(std::string_view text);
std::string upper(std::string_view text);

// The bytes of a value that is made of several columns.
void write_value(std::span<const Value> values, char separator, Encoder& out);
size_t size_of_value(std::span<const Value> values);
std::string join_value(std::span<const Value> values, char separator);

}  // namespace hs::protocol::resp
