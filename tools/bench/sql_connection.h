// One SQL connection that looks up rows of the known table. Used by one thread at a time.
#ifndef HS_TOOLS_BENCH_SQL_CONNECTION_H_
#define HS_TOOLS_BENCH_SQL_CONNECTION_H_

#include <mariadb/mysql.h>

#include <array>
#include <cstdint>
#include <memory>
#include <string>

#include "sql_target.h"

namespace hs::bench {

class SqlConnection {
 public:
  // Connects and, if so wanted, prepares the statement. Throws Failure.
  SqlConnection(const Place& place, const SqlOptions& options);
  SqlConnection(const SqlConnection&) = delete;
  SqlConnection& operator=(const SqlConnection&) = delete;

  // Looks up one row and waits for it. True: it came, alone, with the known content. Else *error
  // says what came. Throws Failure when the statement itself fails.
  bool find(uint32_t key, std::string* error);

 private:
  static constexpr unsigned kColumns = 3;

  struct Close {
    void operator()(MYSQL* connection) const { ::mysql_close(connection); }
    void operator()(MYSQL_STMT* statement) const { ::mysql_stmt_close(statement); }
    void operator()(MYSQL_RES* result) const { ::mysql_free_result(result); }
  };

  bool find_by_text(uint32_t key, std::string* error);
  bool find_prepared(uint32_t key, std::string* error);
  void prepare();

  std::unique_ptr<MYSQL, Close> connection_;
  std::unique_ptr<MYSQL_STMT, Close> statement_;  // null: the text protocol
  uint32_t parameter_ = 0;
  std::array<std::array<char, 256>, kColumns> values_{};
  std::array<unsigned long, kColumns> lengths_{};
};

}  // namespace hs::bench

#endif  // HS_TOOLS_BENCH_SQL_CONNECTION_H_
