// The server, by the C++ client: what the commands ask for, with values as bytes. The one place that
// knows the client's calls. For one thread. All calls throw the client's errors (hs::Error).
#ifndef HS_CLIENTS_HS_SERVER_H_
#define HS_CLIENTS_HS_SERVER_H_

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "rows.h"

namespace hs::tool {

// "database.table", or a table of the default database, and an index.
struct Place {
  std::string table;
  std::string index = "PRIMARY";
};

struct Filter {
  std::string column, op;
  Cell value;
  bool ends = false;  // the search ends at the first row that fails; else such a row is skipped
};

struct Query {
  std::string op = "=";
  Row key;
  uint32_t limit = 1;  // 0 in a count: no limit
  uint32_t offset = 0;
  uint32_t in_part = 0;  // the part of the key whose place the values of `in` take
  Row in;
  bool in_all = false;  // all rows of each value, not the first one
  std::vector<Filter> filters;
};

// The answer to an insert, as docs/protocol.md has it for its verb (1 for +), and the id or 0.
struct Added {
  uint64_t rows = 0;
  uint64_t id = 0;
};

// A column of an index.
struct IndexPart {
  std::string column;
  bool unique = false;
  bool descending = false;
};

class Server {
 public:
  // url: as clients/README.md has it. Nothing is opened.
  explicit Server(const std::string& url);
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  void ping();
  // Product, its version, the server's version, features.
  std::vector<std::string> hello(bool write_port);
  bool wait_for_gtid(const std::string& gtids, double seconds);
  std::string last_gtid();
  // A line of tokens as they are, and the line of the reply.
  std::string raw(bool write_port, const std::vector<std::string>& tokens);

  Rows databases();
  Rows tables(const std::string& database);
  Rows describe(const std::string& table);
  Rows indexes(const std::string& table);
  // All columns of the table. Asked for once.
  const Columns& columns(const std::string& table);
  // The columns of these names; a server that does not tell of columns has text in all.
  Columns columns(const std::string& table, const std::vector<std::string>& names);
  std::vector<IndexPart> index_parts(const Place& place);
  // A key from which `>=` finds all rows of the index; only texts that begin with control characters
  // may be below it. Throws UsageError for an index that goes downwards.
  Row lowest(const Place& place);
  // What is known of tables is asked for anew.
  void forget();

  Rows find(const Place& place, const Columns& columns, const Query& query);
  uint64_t count(const Place& place, const Query& query);
  // change: U, D, + or -. Returns how many rows.
  uint64_t change(const Place& place, const Query& query, const std::string& change,
                  const Fields& fields);
  // The same with ? or ! behind it: the rows before or afterwards. Their columns are the fields', or
  // those of `columns` for D?.
  Rows changed(const Place& place, const Query& query, const std::string& change,
               const Fields& fields, const Columns& columns);
  // verb: +, +I, +U or +R. update: only with +U; empty: the row's values.
  Added insert(const std::string& table, const std::string& verb, const Fields& row,
               const Fields& update);
  // With ? or ! behind it: the rows that were there, or the row afterwards.
  Rows inserted(const std::string& table, const std::string& verb, const Fields& row,
                const Fields& update, const Columns& columns);

  // Inserts rows in one piece. Returns for each nothing, or its error. A connection that breaks is
  // thrown.
  std::vector<std::optional<std::string>> insert_many(const std::string& table,
                                                      const std::string& verb,
                                                      const std::vector<std::string>& columns,
                                                      const std::vector<Row>& rows);

 private:
  struct Client;
  std::string in_column(const Place& place, const Query& query);
  std::unique_ptr<Client> client_;
  std::map<std::string, Columns> columns_;
};

// Of a type as D tells it.
Kind kind_of(const std::string& type);

}  // namespace hs::tool

#endif  // HS_CLIENTS_HS_SERVER_H_
