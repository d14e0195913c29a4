// The options --sql-… of the commands that ask the server's SQL port, and where they lead.
#ifndef HS_CLIENTS_HS_SQL_PLACE_H_
#define HS_CLIENTS_HS_SQL_PLACE_H_

#include <CLI/CLI.hpp>

#include "settings.h"

namespace hs::tool {

class SqlPlace {
 public:
  // The options live as long as this.
  void declare(CLI::App& app);

  // For Sql: what the command line says wins over HS_SQL_PASSWORD, and that over [client] of the files.
  Options options(const Settings& settings) const;

 private:
  Options given_;
};

}  // namespace hs::tool

#endif  // HS_CLIENTS_HS_SQL_PLACE_H_
