#include "protocol/resp/error_text.h"

#include "protocol/denied_error.h"
#include "protocol/engine_error.h"

namespace hs::protocol::resp {
namespace {

// Clients that know several servers go to another one.
constexpr std::string_view kReadOnly = "READONLY You can't write against a read only replica.";

std::string_view fixed_text(ErrorCode code) {
  switch (code) {
    case ErrorCode::kUnauthorized:
      return kNoAuth;
    case ErrorCode::kAuthType:
      return "ERR a password is taken here only over TLS or a Unix socket";
    case ErrorCode::kInsecureTransport:
      return "ERR the server requires TLS (require_secure_transport)";
    case ErrorCode::kReadOnly:
      return kReadOnly;
    case ErrorCode::kTooManyConnections:
      return "ERR max number of clients reached";
    case ErrorCode::kMaxMemory:
      return "OOM command not allowed when used memory > 'maxmemory'.";
    case ErrorCode::kOpenTable:
      return "ERR the table of the key does not exist or cannot be served";
    case ErrorCode::kUnsupportedTable:
      return "ERR the table has a feature that is not served";
    case ErrorCode::kLockTables:
      return "TRYAGAIN the table could not be locked in time";
    case ErrorCode::kKeyValue:
      return "ERR the key cannot be that of a row: its column would store another value";
    case ErrorCode::kNotANumber:
      return kNotAnInteger;
    case ErrorCode::kRequestTooLong:
      return "ERR Protocol error: the command is longer than handlersocket_max_request_size, or "
             "than "
             "64 KiB before the connection is known";
    case ErrorCode::kReplyTooLong:
      return "ERR the reply would be larger than handlersocket_max_reply_size";
    case ErrorCode::kTooManyIndexes:
      return "ERR the command names more tables than handlersocket_max_open_indexes allows";
    case ErrorCode::kTooManyLogins:
      return "ERR too many logins are under way";
    case ErrorCode::kShutdown:
      return "ERR the server is shutting down";
    case ErrorCode::kInterrupted:
      return "ERR the command was killed; nothing of it was done";
    default:
      return {};
  }
}

// Before a change, or at its commit.
bool is_about_read_only(const Error& error) {
  constexpr int kReadOnlyTransaction = 1792, kReadOnlyMode = 1836;
  if (error.code == ErrorCode::kLockTables) return error.number == Error::kReadOnlyServer;
  if (error.code != ErrorCode::kSql) return false;
  if (error.number == Error::kReadOnlyServer) {
    return Error::option_prevents(error.message).code == ErrorCode::kLockTables;
  }
  return error.number == kReadOnlyTransaction || error.number == kReadOnlyMode;
}

}  // namespace

std::string text_of(const Error& error) {
  if (is_about_read_only(error)) return std::string(kReadOnly);
  if (const std::string_view fixed = fixed_text(error.code); !fixed.empty()) {
    return std::string(fixed);
  }
  switch (error.code) {
    case ErrorCode::kAccessDenied:
      return "NOPERM " + std::string(denied_text(error)) + " (SQL error " +
             std::to_string(error.number) + ")";
    case ErrorCode::kSql:
      return "ERR SQL error " + std::to_string(error.number) + ": " + error.message;
    case ErrorCode::kEngine:
      if (is_duplicate(error)) {
        return "ERR another row has the same value in a unique index (engine error 121)";
      }
      if (error.number == Error::kLockWaitTimeout)
        return "TRYAGAIN the row could not be locked in time (engine error 146)";
      if (error.number == Error::kDeadlock)
        return "TRYAGAIN the command was undone because of a deadlock (engine error 149)";
      if (const std::string_view text = engine_error_text(error); !text.empty()) {
        return "ERR " + std::string(text) + " (engine error " + std::to_string(error.number) + ")";
      }
      return "ERR the storage engine's error " + std::to_string(error.number);
    case ErrorCode::kTableComment:
      return "ERR the COMMENT of the table is wrong: " + error.message;
    default:
      return "ERR " + std::string(error_name(error.code));
  }
}

}  // namespace hs::protocol::resp
