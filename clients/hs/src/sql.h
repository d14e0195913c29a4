// A connection to the server's SQL port, for what the plugin tells there.
#ifndef HS_CLIENTS_HS_SQL_H_
#define HS_CLIENTS_HS_SQL_H_

#include <mariadb/mysql.h>

#include <memory>
#include <string>
#include <vector>

#include "rows.h"
#include "settings.h"

namespace hs::tool {

class Sql {
 public:
  // By the names of [client] in the server's option files: host, port, socket, user, password, ssl_ca.
  // Throws SqlError.
  explicit Sql(const Options& options);

  // The rows of a statement. Throws SqlError.
  std::vector<Row> ask(const std::string& statement);

 private:
  struct Close {
    void operator()(MYSQL* connection) const { ::mysql_close(connection); }
    void operator()(MYSQL_RES* result) const { ::mysql_free_result(result); }
  };
  [[noreturn]] void fail() const;
  std::unique_ptr<MYSQL, Close> connection_;
};

}  // namespace hs::tool

#endif  // HS_CLIENTS_HS_SQL_H_
