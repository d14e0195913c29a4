// Errors of the C++ client; included by handlersocket2.hpp.
#pragma once

#include <handlersocket2.h>

#include <cstdio>
#include <new>
#include <stdexcept>
#include <string>

namespace hs {

class Error : public std::runtime_error {
 public:
  explicit Error(const hs_error& error) : std::runtime_error(message(error)), error_(error) {}
  const char* name() const { return hs_error_name(error_.kind); }  // of its class
  int code() const { return error_.code; }                         // 1, 2, 3; 0: not the server's
  int number() const { return error_.number; }                     // of SQL, or 0
  // Of a connection error: the request may have been carried out.
  bool sent() const { return error_.sent != 0; }
  const hs_error& error() const { return error_; }

 private:
  static std::string message(const hs_error& error) {
    std::string all = error.text;
    if (error.code != 0) all += " (code " + std::to_string(error.code) + ")";
    const std::string hint = hs_error_hint(&error);
    return hint.empty() ? all : all + ": " + hint;
  }

  hs_error error_;
};

#define HS_ERROR(NAME, BASE) \
  struct NAME : BASE {       \
    using BASE::BASE;        \
  }
HS_ERROR(ConfigurationError, Error);
HS_ERROR(ValueError, Error);
HS_ERROR(ConnectionError, Error);
HS_ERROR(TimeoutError, ConnectionError);
HS_ERROR(ProtocolError, ConnectionError);
HS_ERROR(UnsupportedError, Error);
HS_ERROR(ServerError, Error);
HS_ERROR(DuplicateKeyError, ServerError);
HS_ERROR(LockTimeoutError, ServerError);
HS_ERROR(DeadlockError, ServerError);
HS_ERROR(TransactionLostError, ServerError);
HS_ERROR(ForeignKeyError, ServerError);
HS_ERROR(ConstraintError, ServerError);
HS_ERROR(NotFoundError, ServerError);
HS_ERROR(ReadOnlyError, ServerError);
HS_ERROR(AuthenticationError, ServerError);
HS_ERROR(AccessDeniedError, ServerError);
HS_ERROR(OverloadedError, ServerError);
HS_ERROR(UnavailableError, ServerError);
#undef HS_ERROR

// Throws the error as its class.
[[noreturn]] inline void raise(const hs_error& e) {
  switch (e.kind) {
    case HS_CONFIGURATION:
      throw ConfigurationError(e);
    case HS_VALUE:
      throw ValueError(e);
    case HS_CONNECTION:
      throw ConnectionError(e);
    case HS_TIMEOUT:
      throw TimeoutError(e);
    case HS_PROTOCOL:
      throw ProtocolError(e);
    case HS_UNSUPPORTED:
      throw UnsupportedError(e);
    case HS_DUPLICATE_KEY:
      throw DuplicateKeyError(e);
    case HS_LOCK_TIMEOUT:
      throw LockTimeoutError(e);
    case HS_DEADLOCK:
      throw DeadlockError(e);
    case HS_TRANSACTION_LOST:
      throw TransactionLostError(e);
    case HS_FOREIGN_KEY:
      throw ForeignKeyError(e);
    case HS_CONSTRAINT:
      throw ConstraintError(e);
    case HS_NOT_FOUND:
      throw NotFoundError(e);
    case HS_READ_ONLY:
      throw ReadOnlyError(e);
    case HS_AUTHENTICATION:
      throw AuthenticationError(e);
    case HS_ACCESS_DENIED:
      throw AccessDeniedError(e);
    case HS_OVERLOADED:
      throw OverloadedError(e);
    case HS_UNAVAILABLE:
      throw UnavailableError(e);
    default:
      throw ServerError(e);
  }
}

// Throws where a call of handlersocket2.h has returned -1.
inline void check(int result, const hs_error& error) {
  if (result < 0) raise(error);
}

[[noreturn]] inline void refuse(const std::string& why) {
  hs_error error = {};
  error.kind = HS_VALUE;
  std::snprintf(error.text, sizeof error.text, "%s", why.c_str());
  raise(error);
}

// A name or a URL as C has it, where a NUL would end it.
inline const char* c_text(const std::string& text) {
  if (text.find('\0') != std::string::npos) refuse("a name has a NUL in it");
  return text.c_str();
}

}  // namespace hs
