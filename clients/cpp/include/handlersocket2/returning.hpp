// Changes of the C++ client that give rows; included by handlersocket2.hpp.
#pragma once

#include <handlersocket2/table.hpp>

namespace hs {

// Changes that give rows: before or after. Those of inserts have the row's columns, and then the
// table's; those of deletes have the table's; those of other changes have the columns that they set.
class Returning {
 public:
  Returning(Table table, When when) : table_(std::move(table)), mark_(1, static_cast<char>(when)) {}
  std::vector<Row> insert(const Row& row) const { return add("+", row, {}); }
  std::vector<Row> insert_ignore(const Row& row) const { return add("+I", row, {}); }
  std::vector<Row> upsert(const Row& row, const std::optional<Row>& update = {}) const {
    return add("+U", row, update);
  }
  std::vector<Row> replace(const Row& row) const { return add("+R", row, {}); }
  std::vector<Row> update(const Query& query, const Row& values) const {
    return change(query, "U", values);
  }
  std::vector<Row> update(const Key& key, const Row& values) const {
    return update(detail::same_key(key), values);
  }
  std::vector<Row> erase(const Query& query) const { return change(query, "D", {}); }
  std::vector<Row> erase(const Key& key) const { return erase(detail::same_key(key)); }
  std::vector<Row> increment(const Query& query, const Row& amounts) const {
    return change(query, "+", amounts);
  }
  std::vector<Row> increment(const Key& key, const Row& amounts) const {
    return increment(detail::same_key(key), amounts);
  }
  std::vector<Row> decrement(const Query& query, const Row& amounts) const {
    return change(query, "-", amounts);
  }
  std::vector<Row> decrement(const Key& key, const Row& amounts) const {
    return decrement(detail::same_key(key), amounts);
  }

 private:
  std::vector<Row> add(const char* verb, const Row& row, const std::optional<Row>& update) const {
    return table_.ask([&](const auto& to) { detail::insert(to, verb + mark_, row, update); },
                      detail::read_rows);
  }
  std::vector<Row> change(const Query& query, const char* verb, const Row& row) const {
    return table_.ask([&](const auto& to) { detail::change(to, query, verb + mark_, row); },
                      detail::read_rows);
  }
  Table table_;
  std::string mark_;
};

inline Returning Table::returning(When when) const { return Returning(*this, when); }

}  // namespace hs
