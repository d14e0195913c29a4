#include "sql_place.h"

#include <cstdlib>

namespace hs::tool {

void SqlPlace::declare(CLI::App& app) {
  const auto add = [&](const char* option, const char* name, const char* help) {
    const auto take = [this, name](const std::string& value) { given_[name] = value; };
    app.add_option_function<std::string>(option, take, help)->type_name("TEXT");
  };
  add("--sql-host", "host", "The host of the SQL port [that of [client] in option files]");
  add("--sql-port", "port", "The SQL port [likewise]");
  add("--sql-socket", "socket", "Its Unix socket [likewise]");
  add("--sql-user", "user", "The account; its password: HS_SQL_PASSWORD, or [client]");
}

Options SqlPlace::options(const Settings& settings) const {
  Options options = settings.sql;
  if (given_.count("port") + given_.count("host") > 0) options.erase("socket");
  for (const auto& [name, value] : given_) options[name] = value;
  if (options.count("port") > 0 && options.count("host") == 0) options["host"] = "127.0.0.1";
  if (const char* password = std::getenv("HS_SQL_PASSWORD")) options["password"] = password;
  return options;
}

}  // namespace hs::tool
