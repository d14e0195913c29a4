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
  const bool has_port = given_.count("port") > 0;
  if (has_port || given_.count("host") > 0) {
    options.erase("socket");
  } else if (given_.count("socket") > 0) {
    options.erase("host");
    options.erase("port");
  }
  for (const auto& [name, value] : given_) options[name] = value;
  // The client library takes a socket for this machine, whatever port is asked for.
  const bool has_host = options.count("host") > 0, has_socket = options.count("socket") > 0;
  if ((has_port && has_host && options["host"] == "localhost") ||
      (options.count("port") > 0 && !has_host && !has_socket))
    options["host"] = "127.0.0.1";
  for (const char* name : {"connect_timeout", "timeout"}) {
    const auto seconds = settings.options.find(name);
    if (seconds != settings.options.end()) options[name] = seconds->second;
  }
  if (const char* password = std::getenv("HS_SQL_PASSWORD")) options["password"] = password;
  return options;
}

}  // namespace hs::tool
