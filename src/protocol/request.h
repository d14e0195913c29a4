// What a client can ask, in no particular wire format. A protocol's parser fills a Request; exec/
// carries it out.
//
// Everything in a Request is a view: into the request's bytes or into the parser's scratch memory.
// It is valid until the parser is called again or the bytes move. Filling a Request allocates
// nothing once the scratch has grown.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "base/isolation.h"
#include "base/operator.h"
#include "base/result.h"
#include "base/value.h"

namespace hs::protocol {

enum class Verb : uint8_t {
  kInvalid,  // no command at all: answered with `error`, whatever the connection's state
  kForeign,  // another protocol: the connection ends without an answer
  kOpen,
  kAuth,
  kHello,      // asks who serves
  kDescribe,   // asks what tables there are, or what one is made of
  kLastGtid,   // asks for the GTID of the connection's last change
  kAwaitGtid,  // waits until transactions are applied here
  kFind,
  kCount,  // a find that answers how many rows there are
  kInsert,
  kModify,       // a find whose rows are changed
  kTransaction,  // begins or ends a transaction, or marks a place in it
  kCommand,      // of a protocol whose clients name rows by keys: `command`
};

enum class TransactionStep : uint8_t {
  kBegin,
  kCommit,
  kRollback,
  kSavepoint,   // marks the present place by a name
  kRollbackTo,  // undoes what was done since that place
};

// What an insert does when a row with the same value in a unique index is there already.
enum class OnDuplicate : uint8_t { kFail, kIgnore, kUpdate, kReplace };

// How a client proves that it may be served.
enum class AuthMethod : uint8_t {
  kUnknown,
  kSecret,     // the endpoint's secret, in `auth_key`
  kChallenge,  // asks for the challenge of a login to `auth_user`; `auth_key`: methods, see there
  kResponse,   // `auth_key` answers the challenge, in hexadecimal
  kPassword,   // `auth_key` is the password of `auth_user`
  // Whichever the endpoint asks for: `auth_key` is its secret, or the password of `auth_user`. Without
  // a user `auth_key` may also be both, with a colon between them.
  kNameAndSecret,
};

// Where an `error` stands in the order of checks, which clients can observe. The checks that need
// the connection's state lie between the stages and are made by the caller:
//
//   authentication
//   kIndexId        the index id is no number
//     index open?
//   kCounts         more values than a request may have, or an IN of none
//     filters: type and column of each
//   kFilters        a filter type is unknown (set together with Filter::type_ok = false)
//   kOperation      operator unknown, no key values, operation not served
//     changes allowed on this endpoint?
//   kModification   the modify operator is unknown
//     key_count against the parts of the index; number of values against the columns
//   kContents       the rest: numbers, escapes, missing values, filter operators
enum class ErrorStage : uint8_t {
  kIndexId,
  kCounts,
  kFilters,
  kOperation,
  kModification,
  kContents,
};

struct In {
  uint32_t key_part = 0;  // the key value that each of `values` replaces in turn
  std::span<const Value> values;
  // Each value finds all its rows, as a find of its own: limit, offset and a stop are for each. Else
  // a value finds one row at most, and they are for all values together.
  bool takes_all = false;
};

struct Filter {
  bool stops = false;   // W: the scan ends at the first row that fails; F: the row is skipped
  bool type_ok = true;  // false: the type token only begins with F or W; `error` is set, too
  std::optional<FilterOperator> op;  // empty: unknown or missing; `error` is set, too
  uint32_t column = 0;               // position in the opened filter columns
  Value value;
};

class Command;

struct Request {
  Verb verb = Verb::kInvalid;

  // kCommand: valid until the codec decodes another message. No other field but
  // `ends_connection` counts then. kAuth: null, or what is told of the connection by ok(): it is begun
  // before.
  Command* command = nullptr;
  // The connection ends after the reply.
  bool ends_connection = false;

  // Set when the line is malformed: its first error in the order above. The other fields are then
  // filled as far as the line was understood, so that the caller can make its own checks in their
  // places. A request with an error is never carried out.
  std::optional<ErrorCode> error;
  ErrorStage error_stage = ErrorStage::kIndexId;

  // The error, if it belongs to `stage` or an earlier one.
  std::optional<ErrorCode> error_due(ErrorStage stage) const {
    return error_stage <= stage ? error : std::nullopt;
  }

  uint32_t index_id = 0;  // of the verbs that work on an opened index, and of kOpen

  // kOpen; each of the two lists of columns is names with commas between them
  std::string_view database, table, index, columns, filter_columns;

  // kDescribe: `database` and `table`, as far as they are given: a table is only there with its
  // database. Its indexes are asked for, not its columns.
  bool of_indexes = false;

  // kAwaitGtid: the transactions, and for how long to wait for them at most
  Value gtids;
  uint32_t wait_ms = 0;

  // kHello: what the client calls itself; may be empty
  Value client_name;

  // kTransaction
  TransactionStep step = TransactionStep::kBegin;
  Isolation isolation = Isolation::kDefault;  // kBegin
  bool reads_only = false;                    // kBegin
  std::string_view savepoint;                 // kSavepoint and kRollbackTo

  // kAuth
  AuthMethod auth_method = AuthMethod::kUnknown;
  Value auth_user;
  // kChallenge: the names of the methods that the client can do, with commas; empty: any
  Value auth_key;

  // kFind, kCount and kModify
  KeyOperator op = KeyOperator::kEqual;
  std::span<const Value> key;
  uint32_t key_count = 0;  // as announced; key.size() unless there is an error
  // Rows. A client's 0 means 1, and is never here; for kCount it is here, and means no limit.
  uint32_t limit = 1;
  uint32_t offset = 0;
  std::optional<In> in;
  std::span<const Filter> filters;

  // kModify
  Modification modification = Modification::kUpdate;  // meaningless with error kModifyOperator
  // kModify, and kInsert: the rows as they were, or as they are afterwards, are wanted. Never both.
  bool return_old = false;
  bool return_new = false;

  // kInsert
  OnDuplicate on_duplicate = OnDuplicate::kFail;
  // kUpdate: the new values of the row that is there; none: those of `values`
  std::optional<std::span<const Value>> updates;

  // kInsert: the row; kModify: new values or increments
  std::span<const Value> values;
  // kInsert, of a command: the key that the row must have. It is filled in. Error: kKeyValue, the
  // columns would make another one of it.
  std::span<const Value> row_key;
  // Of a command: one of `values`, and of `updates` if there are any, is the moment at which the row
  // expires, as its column has it. It is filled in.
  struct Expiry {
    size_t value = 0;             // its position
    std::optional<int64_t> at_s;  // seconds since 1970; none: never
  };
  std::optional<Expiry> expiry;
  // kFind, of a command: behind the columns of a row comes when it expires, in seconds since 1970;
  // NULL: never.
  bool returns_expiry = false;
  // kModify of a command that counts: the last of `values` is no amount. Its column is set to it in the
  // rows that are counted.
  bool sets_last = false;
  // The same: what is counted must be an integer of 64 bits then. Errors: kNotANumber, it has a fraction;
  // kNumber, it has more bits.
  bool counts_integers = false;
  // kModify: the last of `values` is empty, and may be no value but an end of the message that some
  // clients write. It does not count when there is one value too many.
  bool last_is_optional = false;
};

}  // namespace hs::protocol
