// A command of a protocol whose clients name rows by keys: one message that may be several requests,
// and one reply. A codec fills it in when it decodes a message. exec/ carries it out:
//
//   keys() -> the mapping of each is found
//     -> begin() -> targets() -> ( next() -> the request's result, by the ReplyWriter )* -> finish()
//
// The requests of a command are executed one after the other, with no other client's between them,
// and are committed together. A command that fails changes nothing. It may be begun again at any
// time, and then does the same.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "base/result.h"
#include "mapping/mapping.h"

namespace hs::protocol {

struct Request;
class ServerView;

// What a command may tell its client of the server and of the connection. Valid until finish().
struct Facts {
  std::string_view version;         // of this program
  std::string_view server_version;  // of the database
  uint64_t connection = 0;          // its id
  std::string_view client_name;     // what the client calls itself
  int64_t (*now_ms)() = nullptr;    // what time it is, in milliseconds since 1970
  ServerView* server = nullptr;     // null: there is no server around it
};

// Columns of a table that requests of a command work on. Columns are positions in the mapping's.
struct Target {
  const mapping::Mapping* table = nullptr;
  std::span<const uint16_t> columns;
  std::span<const uint16_t> filter_columns;
  std::string_view index;  // another one than the key's; empty: the key's
};

class Command {
 public:
  virtual ~Command() = default;

  // What it does to the rows, for their locks and for statistics. A command that reads has only
  // requests that read.
  enum class Access : uint8_t { kNone, kRead, kPut, kUpdate, kDelete };
  virtual Access access() const = 0;
  // It changes what the conversation remembers, or depends on that. It is executed for itself, and
  // once it is final Conversation::settle() is called, before another message is decoded.
  virtual bool is_alone() const { return false; }
  // A client that has shown nothing of itself is answered, too.
  virtual bool needs_no_login() const { return false; }
  // Each names a row. Views of the message.
  virtual std::span<const std::string_view> keys() const { return {}; }
  // It is about all tables instead.
  virtual bool wants_all_tables() const { return false; }

  // `tables`: those of keys(), in their order, or all; null: there is none for the key. They are valid
  // until finish().
  virtual void begin(std::span<const mapping::Mapping* const> tables, const Facts& facts) = 0;
  // Since begin(): the table, which is one of those, cannot be opened, and finish() is told why.
  virtual void cannot_open(const mapping::Mapping& /*table*/) {}
  // What the requests name by Request::index_id: 0 is the first.
  virtual std::span<const Target> targets() const { return {}; }
  // Fills in the next request: its verb, and all that this verb has. False: there is none, and
  // finish() is called. Views must be valid until the next call. The last request's error, too, was
  // told by ReplyWriter::error(), and then nothing is left of that request.
  virtual bool next(Request& request) = 0;
  // Writes the reply, or nothing where the client wants none. `failed`: null, or why the command
  // cannot go on, which is its reply then. The error that the command ends with; none: it is done,
  // and what it has changed stays.
  virtual std::optional<ErrorCode> finish(const Error* failed) = 0;
};

}  // namespace hs::protocol
