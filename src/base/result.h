// Errors as values: what went wrong (ErrorCode, from errors.def), and Result<T>, a value or an
// Error.
//
// Names follow std::expected, which this compiler does not have yet. Nothing in this project throws
// across a layer.
#pragma once

#include <cstdint>
#include <new>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "base/assert.h"

namespace hs {

enum class ErrorCode : uint8_t {
#define HS_ERROR(name, kind) name,
#include "base/errors.def"
#undef HS_ERROR
};

// Where the cause lies.
enum class ErrorKind : uint8_t { kServer, kRequest, kAuthentication };

ErrorKind error_kind(ErrorCode code);
// The name of the enumerator without its k, for tests.
std::string_view error_name(ErrorCode code);
size_t error_count();

struct Error {
  ErrorCode code = ErrorCode::kCommand;
  // kEngine: the handler's error number; kSql and kAccessDenied: the SQL error number; kLockTables:
  // kReadOnlyServer, if no lock is the reason; else 0
  int number = 0;
  // kSql: the server's own sentence; kTableComment: what is wrong with it; else empty
  std::string message;

  static constexpr int kReadOnlyServer = 1290;  // as SQL numbers it
  // As the storage engine numbers them.
  static constexpr int kDuplicateKey = 121, kLockWaitTimeout = 146, kDeadlock = 149;
  static Error read_only_server() { return Error{ErrorCode::kLockTables, kReadOnlyServer, {}}; }
  static Error engine(int number) { return Error{ErrorCode::kEngine, number, {}}; }
  static Error access_denied(int number) { return Error{ErrorCode::kAccessDenied, number, {}}; }
  static Error sql(int number, std::string message) {
    return Error{ErrorCode::kSql, number, std::move(message)};
  }
  // Of SQL's 1290, which every option has that forbids a statement: the text names the option.
  static Error option_prevents(std::string text) {
    if (text.find("read-only") != std::string::npos) return read_only_server();
    return sql(kReadOnlyServer, std::move(text));
  }
};

// A T or an Error. Ask has_value() (or bool) before value(), operator* or error().
//
// Not a std::variant: nearly every call of a request returns a Result, and here the good case is
// made and destroyed by testing one flag.
template <class T>
class [[nodiscard]] Result {
 public:
  // NOLINTBEGIN(google-explicit-constructor): as std::expected, so that a function returns either
  Result(T value) : has_value_(true), value_(std::move(value)) {}
  Result(Error error) : has_value_(false), error_(std::move(error)) {}
  Result(ErrorCode code) : has_value_(false), error_(Error{code, 0, {}}) {}
  // NOLINTEND(google-explicit-constructor)
  Result(Result&& other) noexcept : has_value_(other.has_value_) { take(std::move(other)); }
  Result& operator=(Result&& other) noexcept {
    if (this == &other) return *this;
    destroy();
    has_value_ = other.has_value_;
    take(std::move(other));
    return *this;
  }
  ~Result() { destroy(); }

  bool has_value() const { return has_value_; }
  explicit operator bool() const { return has_value_; }
  T& value() {
    HS_ASSERT(has_value_);
    return value_;
  }
  const T& value() const {
    HS_ASSERT(has_value_);
    return value_;
  }
  T& operator*() { return value(); }
  const T& operator*() const { return value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }
  Error& error() {
    HS_ASSERT(!has_value_);
    return error_;
  }
  const Error& error() const {
    HS_ASSERT(!has_value_);
    return error_;
  }

 private:
  void take(Result&& other) {
    if (has_value_) {
      new (&value_) T(std::move(other.value_));
    } else {
      new (&error_) Error(std::move(other.error_));
    }
  }
  void destroy() {
    if (has_value_) {
      value_.~T();
    } else {
      error_.~Error();
    }
  }

  bool has_value_;
  union {
    T value_;
    Error error_;
  };
};

template <>
class [[nodiscard]] Result<void> : public Result<std::monostate> {
 public:
  Result() : Result<std::monostate>(std::monostate{}) {}
  // NOLINTBEGIN(google-explicit-constructor): as above
  Result(Error error) : Result<std::monostate>(std::move(error)) {}
  Result(ErrorCode code) : Result<std::monostate>(code) {}
  // NOLINTEND(google-explicit-constructor)
};

}  // namespace hs
