// One SQL connection, on which one statement runs at a time. Used by one thread at a time.
#ifndef HS_TOOLS_BENCH_SQL_CONNECTION_H_
#define HS_TOOLS_BENCH_SQL_CONNECTION_H_

#include <mariadb/mysql.h>

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "sql_target.h"
#include "sql_text.h"
#include "workload.h"

namespace hs::bench {

class SqlConnection {
 public:
  // Connects. Throws Failure. The workload must outlive the object.
  SqlConnection(const Place& place, const Workload& workload, const SqlOptions& options);
  virtual ~SqlConnection() = default;
  SqlConnection(const SqlConnection&) = delete;
  SqlConnection& operator=(const SqlConnection&) = delete;

  // Executes the statement of a request and waits for its result; for a transaction its statements,
  // one after the other. Returns how many rows were read or written as they should be; 0: *error says
  // what came instead.
  uint64_t execute(const Request& request, std::string* error);

 protected:
  enum class Step : uint8_t { kBegin, kCommit };

  // As execute(), for one statement.
  virtual uint64_t execute_statement(const Request& request, std::string* error) = 0;
  // Begins or ends a transaction. False: *error says what came instead.
  virtual bool take(Step step, std::string* error) = 0;

  struct Close {
    void operator()(MYSQL* connection) const { ::mysql_close(connection); }
    void operator()(MYSQL_STMT* statement) const { ::mysql_stmt_close(statement); }
    void operator()(MYSQL_RES* result) const { ::mysql_free_result(result); }
  };

  static std::string_view statement(Step step) {
    return step == Step::kBegin ? "START TRANSACTION" : "COMMIT";
  }
  static bool is_read(const Request& request);
  static bool is_one_row(const Request& request, uint64_t affected);

  const Workload& workload_;
  std::unique_ptr<MYSQL, Close> connection_;
  std::vector<SqlParameter> parameters_;
  SqlAnswer answer_;
};

// Uses the text protocol.
class SqlTextConnection : public SqlConnection {
 public:
  using SqlConnection::SqlConnection;

 private:
  uint64_t execute_statement(const Request& request, std::string* error) override;
  bool take(Step step, std::string* error) override;
  uint64_t read_rows(const Request& request, std::string* error);

  std::map<Kind, std::string> statements_;
  std::string text_;
};

// Uses statements that are prepared once, at the beginning.
class SqlPreparedConnection : public SqlConnection {
 public:
  SqlPreparedConnection(const Place& place, const Workload& workload, const SqlOptions& options);

 private:
  uint64_t execute_statement(const Request& request, std::string* error) override;
  bool take(Step step, std::string* error) override;

  static constexpr unsigned kColumns = 3;

  // Never moves, since values that are bound to a statement must stay where they are.
  struct Prepared {
    std::unique_ptr<MYSQL_STMT, Close> handle;
    std::vector<SqlParameter> parameters;
    std::vector<unsigned long> lengths;
  };

  std::unique_ptr<MYSQL_STMT, Close> prepare(std::string_view text);
  void prepare(const Request& request);
  uint64_t read_rows(MYSQL_STMT* statement, const Request& request, std::string* error);

  std::map<Kind, Prepared> statements_;
  std::map<Step, std::unique_ptr<MYSQL_STMT, Close>> steps_;
  std::array<std::vector<char>, kColumns> values_;
  std::array<unsigned long, kColumns> lengths_{};
  std::array<my_bool, kColumns> nulls_{};
};

}  // namespace hs::bench

#endif  // HS_TOOLS_BENCH_SQL_CONNECTION_H_
