// How an answer is written, in no particular wire format: exec/ says what happened, a protocol's
// encoder turns it into bytes at the end of the connection's output.
#pragma once

#include <cstdint>
#include <span>

#include "base/result.h"
#include "base/value.h"

namespace hs::protocol {

// One reply at a time: exactly one of ok(), count(), error(), or begin_rows() row()* end_rows().
// error() may follow begin_rows() and any row(): what was written of this reply so far is then
// taken back, or if some of it was sent, the connection ends.
class ReplyWriter {
 public:
  virtual ~ReplyWriter() = default;

  virtual void ok() = 0;                    // done, nothing to tell
  virtual void count(uint64_t number) = 0;  // rows changed, or the generated id of an insert
  virtual void begin_rows(size_t columns) = 0;
  // False: the reply has grown past its limit; the caller stops and answers with
  // error(kReplyTooLong).
  [[nodiscard]] virtual bool row(std::span<const Value> values) = 0;
  virtual void end_rows() = 0;

  // True between begin_rows() and end_rows() when the rows so far had better be sent than kept. The
  // caller then measures the rows that follow, answers with error(kReplyTooLong) if measure() says
  // false, and else calls stream() and writes them: row() may send from there on. It may return
  // false, too, when the client has gone.
  virtual bool should_stream() const { return false; }
  virtual bool measure(std::span<const Value>) { return true; }
  virtual void stream() {}

  virtual void error(const Error& error) = 0;
};

// Sends a reply of rows while it is written.
class ReplyStream {
 public:
  virtual ~ReplyStream() = default;

  // False: replies must not be sent yet.
  virtual bool may_stream() const = 0;
  // The rest of the reply will come in pieces.
  virtual void begin() = 0;
  // Sends what the client takes of the connection's output. False: the client has gone.
  virtual bool send() = 0;
  // The reply cannot be completed.
  virtual void fail() = 0;
};

}  // namespace hs::protocol
