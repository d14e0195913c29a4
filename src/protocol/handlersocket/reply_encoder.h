// Writes replies as HandlerSocket lines.
//
//   ok           0 \t 1 \n
//   count        0 \t 1 \t <number> \n
//   rows         0 \t <columns> { \t <value> } \n      the values of all rows, one after another
//   error        <code> \t 1 \t <text> \n
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/buffer.h"
#include "protocol/reply.h"

namespace hs::protocol::handlersocket {

class ReplyEncoder final : public ReplyWriter {
 public:
  // A reply is streamed when it has grown to this size, in bytes, in pieces of this size.
  static constexpr size_t kStreamFrom = 1u << 20;
  static constexpr size_t kPiece = 64u << 10;

  // `max_reply_size`: bytes of a reply of rows, without its LF, up to which row() returns true.
  // `stream` must outlive the encoder; null: every reply is kept until it is complete.
  explicit ReplyEncoder(size_t max_reply_size, ReplyStream* stream = nullptr)
      : max_reply_size_(max_reply_size), stream_(stream) {}

  // Where replies are appended from now on; must outlive the writing. Between begin_rows() and
  // end_rows() or error(), nothing else may append to the target or consume from it. Set before the
  // first reply.
  void set_target(Buffer& target) { target_ = &target; }

  void ok() override;
  void count(uint64_t number) override;
  void begin_rows(size_t columns) override;
  [[nodiscard]] bool row(std::span<const Value> values) override;
  void take_back_row() override;
  void end_rows() override;
  bool should_stream() const override;
  bool measure(std::span<const Value> values) override;
  void stream() override;
  void error(const Error& error) override;

  // Between replies: from here on.
  void set_max_reply_size(size_t size) { max_reply_size_ = size; }

  // Forgets a reply that was begun. The caller takes its bytes back.
  void drop_reply() { in_rows_ = streams_ = false; }

 private:
  static constexpr size_t kShortRow = 4u << 10;  // bytes

  void write_short_row(std::span<const Value> values, char* begin);
  bool write_long_row(std::span<const Value> values);
  uint64_t size() const { return sent_ + target_->size() - rows_start_; }
  bool send_piece();

  size_t max_reply_size_;
  ReplyStream* const stream_;
  Buffer* target_ = nullptr;
  bool in_rows_ = false;
  size_t rows_start_ = 0;  // size of the target before the reply that begin_rows() began
  size_t last_row_ = 0;    // size of the target before the last row
  uint64_t measured_ = 0;  // bytes of the reply, including the rows that were only measured
  bool streams_ = false;   // after stream()
  uint64_t sent_ = 0;      // bytes of the reply that are no longer in the target
};

}  // namespace hs::protocol::handlersocket
