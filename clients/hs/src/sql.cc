#include "sql.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <new>

namespace hs::tool {
namespace {

const char* of(const Options& options, const char* name) {
  const auto found = options.find(name);
  return found != options.end() ? found->second.c_str() : nullptr;
}

// In whole seconds, at least one where there is a limit at all.
unsigned seconds_of(const Options& options, const char* name, unsigned otherwise) {
  const char* text = of(options, name);
  if (text == nullptr) return otherwise;
  const std::string_view digits = text;
  double seconds = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), seconds);
  const bool good = error == std::errc() && end == digits.data() + digits.size();
  if (!good || !(seconds >= 0 && seconds <= 1e6))
    throw UsageError(fmt::format("{} {} is no number of seconds", name, digits));
  return static_cast<unsigned>(std::ceil(seconds));
}

unsigned port_of(const Options& options) {
  const char* text = of(options, "port");
  if (text == nullptr) return 0;
  const std::string_view digits = text;
  unsigned port = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), port);
  if (error != std::errc() || end != digits.data() + digits.size() || port < 1 || port > 65535) {
    throw UsageError(fmt::format("the SQL port {} is not from 1 to 65535", digits));
  }
  return port;
}

}  // namespace

Sql::Sql(const Options& options) : connection_(::mysql_init(nullptr)) {
  if (!connection_) throw std::bad_alloc();
  const unsigned connecting = seconds_of(options, "connect_timeout", 5);
  const unsigned answering = seconds_of(options, "timeout", 30);
  ::mysql_options(connection_.get(), MYSQL_SET_CHARSET_NAME, "utf8mb4");
  ::mysql_options(connection_.get(), MYSQL_OPT_CONNECT_TIMEOUT, &connecting);
  ::mysql_options(connection_.get(), MYSQL_OPT_READ_TIMEOUT, &answering);
  ::mysql_options(connection_.get(), MYSQL_OPT_WRITE_TIMEOUT, &answering);
  if (of(options, "ssl_ca") != nullptr || of(options, "ssl_cert") != nullptr) {
    ::mysql_ssl_set(connection_.get(), of(options, "ssl_key"), of(options, "ssl_cert"),
                    of(options, "ssl_ca"), nullptr, nullptr);
  }
  if (::mysql_real_connect(connection_.get(), of(options, "host"), of(options, "user"),
                           of(options, "password"), nullptr, port_of(options),
                           of(options, "socket"), 0) == nullptr) {
    fail();
  }
}

std::vector<Row> Sql::ask(const std::string& statement) {
  if (::mysql_real_query(connection_.get(), statement.data(), statement.size()) != 0) fail();
  const std::unique_ptr<MYSQL_RES, Close> result(::mysql_store_result(connection_.get()));
  if (!result) fail();
  std::vector<Row> rows;
  const unsigned columns = ::mysql_num_fields(result.get());
  while (char** const values = ::mysql_fetch_row(result.get())) {
    const unsigned long* const lengths = ::mysql_fetch_lengths(result.get());
    rows.emplace_back();
    for (unsigned i = 0; i < columns; i++) {
      rows.back().push_back(values[i] == nullptr ? Cell()
                                                 : Cell(std::in_place, values[i], lengths[i]));
    }
  }
  return rows;
}

void Sql::fail() const {
  const unsigned code = ::mysql_errno(connection_.get());
  const bool is_connection = (code >= 2000 && code <= 2999) || code == 1040 || code == 1045;
  throw SqlError(fmt::format("SQL error {}: {}", code, ::mysql_error(connection_.get())),
                 is_connection);
}

}  // namespace hs::tool
