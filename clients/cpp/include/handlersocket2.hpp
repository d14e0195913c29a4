// The C++ client of HandlerSocket 2: RAII and exceptions over handlersocket2.h. The calls and their
// meaning are in clients/README.md. A Client and a Table may be used by many threads at once,
// a Transaction by one.
#pragma once

#include <handlersocket2.h>

#include <cstdio>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace hs {

class Error : public std::runtime_error {
 public:
  explicit Error(const hs_error& error) : std::runtime_error(error.text), error_(error) {}
  const char* name() const { return hs_error_name(error_.kind); }  // of its class
  int code() const { return error_.code; }                         // 1, 2, 3; 0: not the server's
  int number() const { return error_.number; }                     // of SQL, or 0
  bool sent() const { return error_.sent != 0; }

 private:
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

inline void check(int result, const hs_error& error) {
  if (result != 0) raise(error);
}

[[noreturn]] inline void refuse(const char* why) {
  hs_error error = {};
  error.kind = HS_VALUE;
  std::snprintf(error.text, sizeof error.text, "%s", why);
  raise(error);
}

struct Bytes {
  std::string data;
  bool operator==(const Bytes& other) const { return data == other.data; }
};

// NULL is std::monostate. DECIMAL, dates and times are text.
using Value =
    std::variant<std::monostate, bool, std::int64_t, std::uint64_t, double, std::string, Bytes>;
using Key = std::vector<Value>;
using Row = std::map<std::string, Value>;

struct Filter {
  std::string column, op;
  Value value;
  bool ends = false;  // a `while` filter: the search ends at the first row that fails it
};

struct Query {
  std::string op = "=";
  Key key;
  std::uint32_t limit = 1, offset = 0;
  std::vector<Filter> filters;
};

// Values as text on the wire, for as long as this is there.
class Encoded {
 public:
  explicit Encoded(const std::vector<Value>& values) {
    texts_.reserve(values.size());
    for (const Value& value : values) {
      texts_.push_back(text(value));
      const std::string& kept = texts_.back();
      bool null = std::holds_alternative<std::monostate>(value);
      values_.push_back(null ? hs_null() : hs_bytes(kept.data(), kept.size()));
    }
  }
  Encoded(const Encoded&) = delete;
  const hs_value* data() const { return values_.data(); }
  std::size_t size() const { return values_.size(); }

 private:
  static std::string text(const Value& value) {
    if (auto* b = std::get_if<bool>(&value)) return *b ? "1" : "0";
    if (auto* i = std::get_if<std::int64_t>(&value)) return std::to_string(*i);
    if (auto* u = std::get_if<std::uint64_t>(&value)) return std::to_string(*u);
    if (auto* s = std::get_if<std::string>(&value)) return *s;
    if (auto* y = std::get_if<Bytes>(&value)) return y->data;
    auto* number = std::get_if<double>(&value);
    if (number == nullptr) return "";
    if (!(*number - *number == 0)) refuse("infinities and NaN cannot be sent");
    char buffer[40];
    for (int digits = 15; digits <= 17; digits++) {
      std::snprintf(buffer, sizeof buffer, "%.*g", digits, *number);
      double back = 0;
      if (hs_value_double(hs_text(buffer), &back) == 0 && back == *number) break;
    }
    return buffer;
  }
  std::vector<std::string> texts_;
  std::vector<hs_value> values_;
};

// A column's type, as D has it, makes a value of what came.
inline Value decode(hs_value value, const std::string& type) {
  if (value.data == nullptr) return {};
  std::string word = type.substr(0, type.find_first_of("( "));
  std::string text(value.data, value.len);
  std::int64_t number = 0;
  std::uint64_t natural = 0;
  double real = 0;
  for (const char* name : {"tinyint", "smallint", "mediumint", "int", "bigint", "year"}) {
    if (word != name) continue;
    if (hs_value_int64(value, &number) == 0) return number;
    if (hs_value_uint64(value, &natural) == 0) return natural;
  }
  if ((word == "float" || word == "double") && hs_value_double(value, &real) == 0) return real;
  for (const char* name : {"binary", "varbinary", "tinyblob", "blob", "mediumblob", "longblob",
                           "bit", "geometry", "point", "linestring", "polygon", "multipoint",
                           "multilinestring", "multipolygon", "geometrycollection"})
    if (word == name) return Bytes{text};
  return text;
}

template <typename T, void (*Free)(T*)>
struct Freed {
  void operator()(T* handle) const { Free(handle); }
};
using ReplyHandle = std::unique_ptr<hs_reply, Freed<hs_reply, hs_reply_free>>;
using BatchHandle = std::unique_ptr<hs_batch, Freed<hs_batch, hs_batch_free>>;
using TableHandle = std::unique_ptr<hs_table, Freed<hs_table, hs_table_free>>;

inline ReplyHandle new_reply() {
  ReplyHandle reply(hs_reply_new());
  if (!reply) throw std::bad_alloc();
  return reply;
}

// One line of an answer, and its values as they came.
using Line = std::vector<std::optional<std::string>>;
inline std::vector<Line> lines(const hs_reply* reply) {
  std::vector<Line> result(hs_reply_rows(reply));
  for (std::size_t row = 0; row < result.size(); row++)
    for (std::size_t column = 0; column < hs_reply_columns(reply); column++) {
      hs_value value = hs_reply_value(reply, row, column);
      if (value.data == nullptr)
        result[row].push_back(std::nullopt);
      else
        result[row].emplace_back(std::string(value.data, value.len));
    }
  return result;
}

class Table;

class Client {
 public:
  // No URL: HS_URL, or the defaults.
  explicit Client(const char* url = nullptr) {
    hs_error error = {};
    client_.reset(hs_connect(url, &error), hs_close);
    if (!client_) raise(error);
  }
  explicit Client(const std::string& url) : Client(url.c_str()) {}
  hs_client* handle() const { return client_.get(); }

  void ping() {
    call([&](hs_error* e) { return hs_ping(handle(), e); });
  }
  std::string features() {
    char buffer[256];
    call([&](hs_error* e) { return hs_features(handle(), buffer, sizeof buffer, e); });
    return buffer;
  }
  std::string last_gtid() {
    ReplyHandle reply = new_reply();
    call([&](hs_error* e) { return hs_last_gtid(handle(), reply.get(), e); });
    hs_value gtid = hs_reply_value(reply.get(), 0, 0);
    return gtid.data != nullptr ? std::string(gtid.data, gtid.len) : "";
  }
  bool wait_for_gtid(const std::string& gtid, double seconds) {
    int applied = 0;
    call([&](hs_error* e) {
      return hs_wait_for_gtid(handle(), gtid.c_str(), seconds, &applied, e);
    });
    return applied != 0;
  }
  // Empty names: databases; an empty table: the tables of a database.
  std::vector<Line> describe(const std::string& database = "", const std::string& table = "",
                             bool indexes = false) {
    ReplyHandle reply = new_reply();
    call([&](hs_error* e) {
      return hs_describe(handle(), database.empty() ? nullptr : database.c_str(),
                         table.empty() ? nullptr : table.c_str(), indexes, reply.get(), e);
    });
    return lines(reply.get());
  }
  std::vector<Line> raw(bool write_port, const std::vector<std::string>& tokens) {
    ReplyHandle reply = new_reply();
    std::vector<hs_value> values;
    for (const auto& token : tokens) values.push_back(hs_bytes(token.data(), token.size()));
    call([&](hs_error* e) {
      return hs_raw(handle(), write_port, values.data(), values.size(), reply.get(), e);
    });
    return lines(reply.get());
  }
  // "database.table". No columns: all of them, by D.
  Table table(const std::string& name, std::vector<std::string> columns = {},
              const std::string& index = "PRIMARY");

 private:
  template <typename F>
  static void call(F f) {
    hs_error error = {};
    check(f(&error), error);
  }
  std::shared_ptr<hs_client> client_;
};

// Rolls back at its end unless commit() was called.
class Transaction {
 public:
  explicit Transaction(Client& client, const char* isolation = nullptr, bool read_only = false)
      : client_(client) {
    hs_error error = {};
    handle_ = hs_begin(client_.handle(), isolation, read_only, &error);
    if (handle_ == nullptr) raise(error);
  }
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;
  ~Transaction() {
    if (handle_ != nullptr) hs_rollback(handle_, nullptr);
  }
  void commit() {
    hs_error error = {};
    check(hs_commit(std::exchange(handle_, nullptr), &error), error);
  }
  void rollback() {
    hs_error error = {};
    check(hs_rollback(std::exchange(handle_, nullptr), &error), error);
  }
  void savepoint(const std::string& name) {
    hs_error error = {};
    check(hs_savepoint(handle_, name.c_str(), &error), error);
  }
  void rollback_to(const std::string& name) {
    hs_error error = {};
    check(hs_rollback_to(handle_, name.c_str(), &error), error);
  }
  hs_transaction* handle() const { return handle_; }
  Table in(const Table& table) const;  // its calls are then in the transaction

 private:
  Client client_;
  hs_transaction* handle_;
};

}  // namespace hs

#include <handlersocket2_table.hpp>
