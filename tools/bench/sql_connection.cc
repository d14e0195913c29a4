#include "sql_connection.h"

#include <algorithm>
#include <string_view>

namespace hs::bench {

namespace {

const std::string kSelect =
    "SELECT " + std::string(KnownRow::kColumns) + " FROM test.user WHERE user_id=";

bool is_known(uint32_t key, std::string_view name, std::string_view email, std::string_view created,
              std::string* error) {
  const KnownRow row(key);
  if (name == row.name() && email == row.email() && created == row.created()) return true;
  error->assign(name).append(", ").append(email).append(", ").append(created);
  return false;
}

}  // namespace

SqlConnection::SqlConnection(const Place& place, const SqlOptions& options)
    : connection_(::mysql_init(nullptr)) {
  MYSQL* const connection = connection_.get();
  ::mysql_options(connection, MYSQL_SET_CHARSET_NAME, "utf8mb4");
  if (::mysql_real_connect(connection, place.host.c_str(), options.user.c_str(),
                           options.password.c_str(), nullptr, place.port,
                           place.socket.empty() ? nullptr : place.socket.c_str(), 0) == nullptr) {
    throw Failure(std::string("cannot connect: ") + ::mysql_error(connection));
  }
  if (options.prepared) prepare();
}

void SqlConnection::prepare() {
  statement_.reset(::mysql_stmt_init(connection_.get()));
  MYSQL_STMT* const statement = statement_.get();
  const std::string text = kSelect + "?";
  MYSQL_BIND parameter{};
  parameter.buffer_type = MYSQL_TYPE_LONG;
  parameter.buffer = &parameter_;
  parameter.is_unsigned = 1;
  std::array<MYSQL_BIND, kColumns> columns{};
  for (unsigned i = 0; i < kColumns; ++i) {
    columns[i].buffer_type = MYSQL_TYPE_STRING;
    columns[i].buffer = values_[i].data();
    columns[i].buffer_length = values_[i].size();
    columns[i].length = &lengths_[i];
  }
  if (::mysql_stmt_prepare(statement, text.data(), text.size()) != 0 ||
      ::mysql_stmt_bind_param(statement, &parameter) != 0 ||
      ::mysql_stmt_bind_result(statement, columns.data()) != 0) {
    throw Failure(std::string("cannot prepare: ") + ::mysql_stmt_error(statement));
  }
}

bool SqlConnection::find(uint32_t key, std::string* error) {
  return statement_ == nullptr ? find_by_text(key, error) : find_prepared(key, error);
}

bool SqlConnection::find_by_text(uint32_t key, std::string* error) {
  const std::string text = kSelect + std::to_string(key);
  if (::mysql_real_query(connection_.get(), text.data(), text.size()) != 0) {
    throw Failure(std::string("SELECT: ") + ::mysql_error(connection_.get()));
  }
  const std::unique_ptr<MYSQL_RES, Close> result(::mysql_store_result(connection_.get()));
  if (result == nullptr || ::mysql_num_rows(result.get()) != 1) {
    *error = "not one row";
    return false;
  }
  const MYSQL_ROW row = ::mysql_fetch_row(result.get());
  const unsigned long* const lengths = ::mysql_fetch_lengths(result.get());
  const auto value = [&](unsigned i) { return std::string_view(row[i], lengths[i]); };
  return is_known(key, value(0), value(1), value(2), error);
}

bool SqlConnection::find_prepared(uint32_t key, std::string* error) {
  MYSQL_STMT* const statement = statement_.get();
  parameter_ = key;
  if (::mysql_stmt_execute(statement) != 0 || ::mysql_stmt_store_result(statement) != 0) {
    throw Failure(std::string("SELECT: ") + ::mysql_stmt_error(statement));
  }
  const bool one = ::mysql_stmt_num_rows(statement) == 1 && ::mysql_stmt_fetch(statement) == 0;
  ::mysql_stmt_free_result(statement);
  if (!one) {
    *error = "not one row";
    return false;
  }
  const auto value = [&](unsigned i) {
    return std::string_view(values_[i].data(), std::min<size_t>(lengths_[i], values_[i].size()));
  };
  return is_known(key, value(0), value(1), value(2), error);
}

}  // namespace hs::bench
