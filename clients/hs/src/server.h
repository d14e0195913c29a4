// The server, by the C++ client: what the commands ask for, with values as bytes. The one place that
// knows the client's calls. For one thread. All calls throw the client's errors (hs::Error).
#ifndef HS_CLIENTS_HS_SERVER_H_
#define HS_CLIENTS_HS_SERVER_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "rows.h"

namespace hs::tool {

// "database.table", or a table of the default database, and an index.
struct Place {
  std::string table;
  std::string index = "PRIMARY";
};

using Names = std::vector<std::string>;

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
  std::string in_column;  // the column of the index whose place in the key the values of `in` take
  Row in;
  bool in_all = false;  // all rows of each value, not the first one
  std::vector<Filter> filters;
};

enum class Did { unchanged, inserted, updated };

// What an insert did, and the id, where the table generates ids.
struct Added {
  Did did = Did::unchanged;
  uint64_t replaced = 0;
  uint64_t id = 0;
};

// What became of one of many rows.
struct Inserted {
  bool added = false;      // with +I false is no error: it was there
  bool try_again = false;  // it met others' locks
  bool is_duplicate = false;
  std::string error;  // empty: none
};

// A column of an index.
struct IndexPart {
  std::string column;
  bool unique = false;
  bool descending = false;
  bool whole = true;  // not its first characters only
};

class Server {
 public:
  // url: as clients/README.md has it. Nothing is opened.
  explicit Server(const std::string& url);
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  void ping();
  // Product, its version, the server's version, features; only the first while a login is due.
  Row hello(bool write_port);
  bool wait_for_gtid(const std::string& gtids, double seconds);
  // A line of tokens as they are, and the line of the reply.
  std::string raw(bool write_port, const std::vector<std::string>& tokens);

  Rows databases();
  Rows tables(const std::string& database);
  Rows describe(const std::string& table);
  Rows indexes(const std::string& table);
  // The columns of these names, or all.
  Columns columns(const std::string& table, const Names& names);
  // Empty: there is no such index.
  std::vector<IndexPart> index_parts(const Place& place);
  // A key from which `>=` finds all rows of the index. It asks for it where no constant is one: of texts, and
  // of dates from the newest on. Throws UsageError for an index that is not there.
  Row first_key(const Place& place);

  // names: of the columns; none: all.
  Rows find(const Place& place, const Names& names, const Query& query);
  uint64_t count(const Place& place, const Query& query);
  // All rows from a key on, page by page.
  void scan(const Place& place, const Names& names, const Row& start,
            const std::vector<Filter>& filters, const std::function<void(const Row&)>& take);
  // change: U, D, + or -. Returns how many rows.
  uint64_t change(const Place& place, const Query& query, const std::string& change,
                  const Fields& fields);
  // The same with ? or ! behind it: the rows before or afterwards. Their columns are the fields', or
  // all for D?.
  Rows changed(const Place& place, const Query& query, const std::string& change,
               const Fields& fields);
  // verb: +, +I, +U or +R. update: only with +U; empty: the row's values.
  Added insert(const Place& place, const std::string& verb, const Fields& row,
               const Fields& update);
  // With ? or ! behind it: the rows that were there, or the row afterwards.
  Rows inserted(const Place& place, const std::string& verb, const Fields& row,
                const Fields& update);
  // Inserts rows in one piece, and returns what became of each. What stands in the way of all of them
  // is thrown: a broken connection, a table that is not there, a right that is missing.
  std::vector<Inserted> insert_many(const Place& place, const std::string& verb,
                                    const std::vector<Fields>& rows);

 private:
  // The key of the row that stands first in the index, found from `value` on towards the beginning;
  // `value` where no row stands before it.
  Row key_of_first_row(const Place& place, const std::string& column, const std::string& value);

  struct Client;
  std::unique_ptr<Client> client_;
};

}  // namespace hs::tool

#endif  // HS_CLIENTS_HS_SERVER_H_
