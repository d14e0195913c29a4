// What the answers of a table mean; included by handlersocket2.hpp.
#pragma once

#include <handlersocket2/client.hpp>

namespace hs {

using Id = std::optional<std::uint64_t>;
struct Inserted {
  bool inserted = false;
  Id id;
};
struct Upserted {
  std::string did;  // inserted, updated or unchanged
  Id id;            // the generated one, or that of the row that was updated
};
struct Replaced {
  std::uint64_t rows = 0;
  Id id;
};

// Which rows a change gives.
enum class When { before = '?', after = '!' };

namespace detail {

// The columns of a reply that has a row.
class Columns {
 public:
  explicit Columns(const hs_reply* reply) : reply_(reply), columns_(hs_reply_columns(reply)) {
    for (std::size_t i = 0; i < columns_.size(); i++)
      if (hs_reply_column(reply, i, &columns_[i]) != 0) refuse("the answer has other columns");
  }
  Row read(std::size_t row, bool raw) const {
    Row out;
    out.reserve(columns_.size());
    for (std::size_t i = 0; i < columns_.size(); i++)
      out.add(columns_[i].name, decode(hs_reply_value(reply_, row, i), columns_[i], raw));
    return out;
  }

 private:
  const hs_reply* reply_;
  Small<hs_column, 16> columns_;
};

inline std::vector<Row> read_rows(const hs_reply* reply, bool raw) {
  std::vector<Row> rows(hs_reply_rows(reply));
  if (rows.empty()) return rows;
  const Columns columns(reply);
  for (std::size_t row = 0; row < rows.size(); row++) rows[row] = columns.read(row, raw);
  return rows;
}

inline std::optional<Row> read_row(const hs_reply* reply, bool raw) {
  if (hs_reply_rows(reply) == 0) return std::nullopt;
  return Columns(reply).read(0, raw);
}

inline std::uint64_t read_number(const hs_reply* reply, bool) {
  hs_error error = {};
  std::uint64_t rows = 0;
  check(hs_reply_number(reply, &rows, &error), error);
  return rows;
}

inline hs_added read_added(const hs_reply* reply) {
  hs_error error = {};
  hs_added added = {};
  check(hs_reply_added(reply, &added, &error), error);
  return added;
}

inline Id id_of(const hs_added& added) { return added.id != 0 ? Id(added.id) : std::nullopt; }
inline Id read_id(const hs_reply* reply, bool) { return id_of(read_added(reply)); }
inline Inserted read_inserted(const hs_reply* reply, bool) {
  const hs_added added = read_added(reply);
  return {added.did == HS_INSERTED, id_of(added)};
}
inline Upserted read_upserted(const hs_reply* reply, bool) {
  static const char* const words[] = {"unchanged", "inserted", "updated"};
  const hs_added added = read_added(reply);
  return {words[added.did], id_of(added)};
}
inline Replaced read_replaced(const hs_reply* reply, bool) {
  const hs_added added = read_added(reply);
  return {added.replaced, id_of(added)};
}

}  // namespace detail

}  // namespace hs
