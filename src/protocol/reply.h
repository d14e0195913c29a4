// The writing of a reply, in no particular wire format. exec/ says what happened. A protocol's
// encoder turns it into bytes at the end of the connection's output.
#pragma once

#include <cstdint>
#include <span>

#include "base/result.h"
#include "base/value.h"

namespace hs::protocol {

// One reply at a time: exactly one of ok(), count(), error(), or begin_rows() row()* end_rows().
// error() may follow begin_rows() and any row(): it takes back what was written of this reply so
// far. If a part of the reply was sent already, it ends the connection instead.
class ReplyWriter {
 public:
  virtual ~ReplyWriter() = default;

  virtual void ok() = 0;                    // done, nothing to tell
  virtual void count(uint64_t number) = 0;  // rows changed, or the generated id of an insert
  virtual void begin_rows(size_t columns) = 0;
  // False: the reply has grown past its limit. The caller stops and answers with
  // error(kReplyTooLong).
  [[nodiscard]] virtual bool row(std::span<const Value> values) = 0;
  // Forgets the last row() of this reply. Call it at most once behind each, and never when the reply
  // is being sent in pieces.
  virtual void take_back_row() = 0;
  virtual void end_rows() = 0;

  // True, between begin_rows() and end_rows(), when it is better to send the rows so far than to
  // keep them. The caller then measures the rows that follow. It answers with error(kReplyTooLong)
  // if measure() returns false. Otherwise it calls stream() and writes the rows. After stream()
  // row() may send, and may also return false because the client has gone.
  virtual bool should_stream() const { return false; }
  virtual bool measure(std::span<const Value>) { return true; }
  virtual void stream() {}

  virtual void error(const Error& error) = 0;
};

// Sends a reply of rows while it is being written.
class ReplyStream {
 public:
  virtual ~ReplyStream() = default;

  // False: replies must not be sent now.
  virtual bool may_stream() const = 0;
  // The rest of the reply will be sent in pieces.
  virtual void begin() = 0;
  // Sends what the client takes of the connection's output now. False: the client has gone.
  virtual bool send() = 0;
  // The reply was sent in part and cannot be completed.
  virtual void fail() = 0;
};

}  // namespace hs::protocol
