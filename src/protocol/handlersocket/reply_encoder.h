// Writes replies as HandlerSocket lines.
//
//   ok           0 \t 1 \n
//   count        0 \t 1 \t <number> \n
//   rows         0 \t <columns> { \t <value> } \n      the values of all rows, one after another
//   error        <code> \t 1 \t <text> \n
#pragma once

#include <cstddef>

#include "base/buffer.h"
#include "protocol/reply.h"

namespace hs::protocol::handlersocket {

class ReplyEncoder final : public ReplyWriter {
 public:
  // `max_reply_size`: bytes of a reply of rows, without its LF, up to which row() returns true.
  explicit ReplyEncoder(size_t max_reply_size) : max_reply_size_(max_reply_size) {}

  // Where replies are appended from now on; must outlive the writing. Nobody else may append to or
  // consume from it between begin_rows() and end_rows() or error(). Set before the first reply.
  void set_target(Buffer& target) { target_ = &target; }

  void ok() override;
  void count(uint64_t number) override;
  void begin_rows(size_t columns) override;
  [[nodiscard]] bool row(std::span<const Value> values) override;
  void end_rows() override;
  void error(const Error& error) override;

 private:
  const size_t max_reply_size_;
  Buffer* target_ = nullptr;
  bool in_rows_ = false;
  size_t rows_start_ = 0;  // size of the target before the reply that begin_rows() began
};

}  // namespace hs::protocol::handlersocket
