// EXEC, and what stands between it and MULTI.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "protocol/resp/families.h"

namespace hs::protocol::resp {

// All commands of a transaction as one. Each must have been started.
class Exec final : public RespCommand {
 public:
  // Before start(): the commands, in their order.
  void begin_message(bool is_block);
  void add(Made command);
  // One that there is not, or with a wrong number of arguments: nothing is executed.
  void add_refused(Made command);

  bool is_alone() const override { return !is_block_ || !conversation_->watched.empty(); }
  std::optional<ErrorCode> finish(const Error* failed) override;

  void count(uint64_t number) override;
  bool shows_rows() const override;
  bool row(std::span<const Value> values) override;
  void take_back_row() override;
  void end_rows() override;
  void failed(const Error& error) override;
  // Everything has failed, with no command begun.
  void write_failure(const Error& error);
  void write_no_login();

 protected:
  void take() override;
  Access row_access() const override;
  void prepare() override;
  bool next_request(Request& request) override;
  void reply() override;

 private:
  bool next_watched(Request& request);
  void judge_watched();
  void write_head();
  void write_queued();
  void write_abort(const Error& error);
  void end_part();
  RespCommand* part();

  bool is_block_ = false;
  bool spoilt_ = false;  // a command was refused: none is executed
  bool ends_ = false;    // the conversation's transaction
  std::vector<Made> parts_of_;
  std::vector<size_t> refused_;    // parts, in their order
  std::vector<size_t> starts_;     // of each part's keys, in keys_
  std::vector<uint32_t> offsets_;  // of each part's targets, in targets_
  size_t at_ = 0;                  // the part that is executed
  bool is_open_ = false;           // it has begun its reply
  bool has_head_ = false;
  bool is_change_ = false;  // the last request
  bool part_has_changed_ = false;
  std::string abort_;  // why a part has failed that cannot be undone alone
  // The watched rows.
  size_t watched_ = 0;
  bool has_row_ = false, is_changed_ = false;
  std::string row_;
  std::vector<std::vector<uint16_t>> watched_columns_;
};

// A command between MULTI and EXEC: its message is kept.
class Queue final : public RespCommand {
 public:
  // Before start(). `error`: why it is refused; empty: it is not. `ends`: the transaction has ended.
  // `most_bytes`: of all messages.
  void set(std::string_view text, std::string error, bool ends, size_t most_bytes) {
    text_ = text;
    error_ = std::move(error);
    ends_ = ends;
    most_bytes_ = most_bytes;
  }
  bool is_alone() const override { return true; }
  std::optional<ErrorCode> finish(const Error* failed) override;

 protected:
  void take() override;
  void reply() override;

 private:
  std::string_view text_;
  std::string error_;
  bool ends_ = false;
  size_t most_bytes_ = 0;
};

}  // namespace hs::protocol::resp
