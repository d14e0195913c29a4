#include "sql_connection.h"

#include <algorithm>
#include <string_view>

namespace hs::bench {

namespace {

constexpr size_t kMinTextSize = 256;

// An error of a statement is a wrong answer: the next request may succeed. An error of the client
// library means that the connection is gone.
uint64_t count_or_throw(unsigned code, const char* message, std::string* error) {
  constexpr unsigned kFirstOfClient = 2000;
  constexpr unsigned kLastOfClient = 2999;
  if (code >= kFirstOfClient && code <= kLastOfClient) throw Failure(message);
  *error = message;
  return 0;
}

}  // namespace

SqlConnection::SqlConnection(const Place& place, const Workload& workload,
                             const SqlOptions& options)
    : workload_(workload), connection_(::mysql_init(nullptr)), answer_(workload) {
  MYSQL* const connection = connection_.get();
  ::mysql_options(connection, MYSQL_SET_CHARSET_NAME, "utf8mb4");
  const bool is_tcp = place.socket.empty();  // naming a host would mean TCP, even with a socket
  if (::mysql_real_connect(connection, is_tcp ? place.host.c_str() : nullptr, options.user.c_str(),
                           options.password.c_str(), nullptr, place.port,
                           is_tcp ? nullptr : place.socket.c_str(), 0) == nullptr) {
    throw Failure(std::string("cannot connect: ") + ::mysql_error(connection));
  }
}

uint64_t SqlConnection::execute(const Request& request, std::string* error) {
  if (request.kind != Kind::kTransaction) return execute_statement(request, error);
  uint64_t rows = 0;
  bool is_right = take(Step::kBegin, error);
  for (const Request& part : workload_.parts(request)) {
    const uint64_t done = is_right ? execute_statement(part, error) : 0;
    is_right = done > 0;
    rows += done;
  }
  if (is_right && take(Step::kCommit, error)) return rows;
  ::mysql_rollback(connection_.get());
  return 0;
}

bool SqlConnection::is_read(const Request& request) {
  return request.kind != Kind::kInsert && request.kind != Kind::kUpdate &&
         request.kind != Kind::kUpsert;
}

// SQL counts a row that it has updated in the place of inserting it twice.
bool SqlConnection::is_one_row(const Request& request, uint64_t affected) {
  return affected == 1 || (affected == 2 && request.kind == Kind::kUpsert);
}

bool SqlTextConnection::take(Step step, std::string* error) {
  MYSQL* const connection = connection_.get();
  const std::string_view text = SqlConnection::statement(step);
  if (::mysql_real_query(connection, text.data(), text.size()) == 0) return true;
  (void)count_or_throw(::mysql_errno(connection), ::mysql_error(connection), error);
  return false;
}

uint64_t SqlTextConnection::execute_statement(const Request& request, std::string* error) {
  std::string& statement = statements_[request.kind];
  if (statement.empty()) statement = bench::statement(workload_, request.kind);
  set_parameters(workload_, request, &parameters_);
  text_.clear();
  append_with_parameters(statement, parameters_, &text_);
  MYSQL* const connection = connection_.get();
  if (::mysql_real_query(connection, text_.data(), text_.size()) != 0) {
    return count_or_throw(::mysql_errno(connection), ::mysql_error(connection), error);
  }
  if (is_read(request)) return read_rows(request, error);
  if (is_one_row(request, ::mysql_affected_rows(connection))) return 1;
  *error = "not one row was changed";
  return 0;
}

uint64_t SqlTextConnection::read_rows(const Request& request, std::string* error) {
  MYSQL* const connection = connection_.get();
  const std::unique_ptr<MYSQL_RES, Close> result(::mysql_store_result(connection));
  if (result == nullptr) {
    return count_or_throw(::mysql_errno(connection), ::mysql_error(connection), error);
  }
  answer_.begin(request);
  while (const MYSQL_ROW row = ::mysql_fetch_row(result.get())) {
    const unsigned long* const lengths = ::mysql_fetch_lengths(result.get());
    const auto value = [&](unsigned i) { return std::string_view(row[i], lengths[i]); };
    answer_.add_row(value(0), value(1), value(2));
  }
  return answer_.is_right(error) ? answer_.rows() : 0;
}

SqlPreparedConnection::SqlPreparedConnection(const Place& place, const Workload& workload,
                                             const SqlOptions& options)
    : SqlConnection(place, workload, options) {
  for (auto& value : values_) value.resize(std::max<size_t>(kMinTextSize, workload.email.size + 1));
  if (workload.kind == Kind::kTransaction) {
    for (const Step step : {Step::kBegin, Step::kCommit}) steps_[step] = prepare(statement(step));
    prepare({0, 1, Kind::kFind});
    prepare({0, 1, Kind::kUpdate});
    return;
  }
  prepare({0, 1, workload.kind});
  if (workload.writes > 0) prepare({0, 1, Kind::kUpdate});
}

std::unique_ptr<MYSQL_STMT, SqlConnection::Close> SqlPreparedConnection::prepare(
    std::string_view text) {
  std::unique_ptr<MYSQL_STMT, Close> made(::mysql_stmt_init(connection_.get()));
  if (::mysql_stmt_prepare(made.get(), text.data(), text.size()) != 0) {
    throw Failure(std::string("cannot prepare: ") + ::mysql_stmt_error(made.get()));
  }
  return made;
}

bool SqlPreparedConnection::take(Step step, std::string* error) {
  MYSQL_STMT* const statement = steps_[step].get();
  if (::mysql_stmt_execute(statement) == 0) return true;
  (void)count_or_throw(::mysql_stmt_errno(statement), ::mysql_stmt_error(statement), error);
  return false;
}

void SqlPreparedConnection::prepare(const Request& request) {
  Prepared* const prepared = &statements_[request.kind];
  prepared->handle = prepare(bench::statement(workload_, request.kind));
  MYSQL_STMT* const statement = prepared->handle.get();
  set_parameters(workload_, request, &prepared->parameters);
  std::vector<MYSQL_BIND> binds(prepared->parameters.size());
  prepared->lengths.resize(binds.size());
  for (size_t i = 0; i < binds.size(); ++i) {
    SqlParameter& parameter = prepared->parameters[i];
    parameter.text.reserve(std::max<size_t>(kMinTextSize, workload_.email.size));
    binds[i].buffer_type = parameter.is_text ? MYSQL_TYPE_STRING : MYSQL_TYPE_LONG;
    binds[i].buffer = parameter.is_text ? static_cast<void*>(parameter.text.data())
                                        : static_cast<void*>(&parameter.number);
    binds[i].is_unsigned = 1;
    binds[i].length = &prepared->lengths[i];
  }
  std::array<MYSQL_BIND, kColumns> columns{};
  for (unsigned i = 0; i < kColumns; ++i) {
    columns[i].buffer_type = MYSQL_TYPE_STRING;
    columns[i].buffer = values_[i].data();
    columns[i].buffer_length = values_[i].size();
    columns[i].length = &lengths_[i];
    columns[i].is_null = &nulls_[i];
  }
  if (::mysql_stmt_bind_param(statement, binds.data()) != 0 ||
      (is_read(request) && ::mysql_stmt_bind_result(statement, columns.data()) != 0)) {
    throw Failure(std::string("cannot bind: ") + ::mysql_stmt_error(statement));
  }
}

uint64_t SqlPreparedConnection::execute_statement(const Request& request, std::string* error) {
  Prepared& prepared = statements_[request.kind];
  set_parameters(workload_, request, &prepared.parameters);
  for (size_t i = 0; i < prepared.lengths.size(); ++i) {
    prepared.lengths[i] = prepared.parameters[i].text.size();
  }
  MYSQL_STMT* const statement = prepared.handle.get();
  if (::mysql_stmt_execute(statement) != 0) {
    return count_or_throw(::mysql_stmt_errno(statement), ::mysql_stmt_error(statement), error);
  }
  if (is_read(request)) return read_rows(statement, request, error);
  if (is_one_row(request, ::mysql_stmt_affected_rows(statement))) return 1;
  *error = "not one row was changed";
  return 0;
}

uint64_t SqlPreparedConnection::read_rows(MYSQL_STMT* statement, const Request& request,
                                          std::string* error) {
  if (::mysql_stmt_store_result(statement) != 0) {
    return count_or_throw(::mysql_stmt_errno(statement), ::mysql_stmt_error(statement), error);
  }
  answer_.begin(request);
  const auto value = [&](unsigned i) {
    const size_t size = nulls_[i] ? 0 : std::min<size_t>(lengths_[i], values_[i].size());
    return std::string_view(values_[i].data(), size);
  };
  for (int status;
       (status = ::mysql_stmt_fetch(statement)) == 0 || status == MYSQL_DATA_TRUNCATED;) {
    answer_.add_row(value(0), value(1), value(2));
  }
  ::mysql_stmt_free_result(statement);
  return answer_.is_right(error) ? answer_.rows() : 0;
}

}  // namespace hs::bench
