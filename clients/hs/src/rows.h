// Values, rows and columns as the commands see them: bytes and NULL, never changed on their way.
#ifndef HS_CLIENTS_HS_ROWS_H_
#define HS_CLIENTS_HS_ROWS_H_

#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace hs::tool {

// A value; nothing is NULL.
using Cell = std::optional<std::string>;
using Row = std::vector<Cell>;

// What a value is written as where a format knows more than text.
enum class Kind { text, number, decimal, bytes };

struct Column {
  std::string name;
  Kind kind = Kind::text;
};
using Columns = std::vector<Column>;

struct Rows {
  Columns columns;
  std::vector<Row> rows;
};

// A value with the name of its column.
struct Field {
  std::string column;
  Cell value;
};
using Fields = std::vector<Field>;

// Words of a command that mean nothing: exit status 2.
struct UsageError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Bytes of a file that are no row.
struct BadRecord : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// The SQL port: exit status 4 for its connection, 3 for a statement.
struct SqlError : std::runtime_error {
  SqlError(const std::string& text, bool connection)
      : std::runtime_error(text), is_connection(connection) {}
  bool is_connection;
};

// A file that cannot be read or written: exit status 5.
struct FileError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

}  // namespace hs::tool

#endif  // HS_CLIENTS_HS_ROWS_H_
