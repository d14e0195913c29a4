// Tables of the C++ client; included by handlersocket2.hpp.
#pragma once

#include <handlersocket2/answers.hpp>
#include <handlersocket2/requests.hpp>

namespace hs {

class Range;
class Returning;

class Table {
 public:
  // The columns that reads give, with their kinds.
  std::vector<hs_column> columns() const {
    hs_error error = {};
    const hs_column* columns = nullptr;
    std::size_t count = 0;
    check(hs_table_columns(handle(), &columns, &count, &error), error);
    return std::vector<hs_column>(columns, columns + count);
  }

  std::optional<Row> get(const Key& key) const {
    return ask([&](const detail::Direct& to) { get(to, key); }, detail::read_row);
  }
  // Calls f with a RowView of the row, which copies nothing. False: there is no row.
  template <typename F>
  bool visit(const Key& key, F&& f) const {
    detail::Reply reply;
    get({handle(), reply.get()}, key);
    if (hs_reply_rows(reply.get()) == 0) return false;
    f(RowView(reply.get(), 0));
    return true;
  }
  // The same for all rows of a find. Returns how many there were.
  template <typename F>
  std::size_t visit(const Query& query, F&& f) const {
    detail::Reply reply;
    detail::find(detail::Direct{handle(), reply.get()}, query);
    const std::size_t rows = hs_reply_rows(reply.get());
    for (std::size_t row = 0; row < rows; row++) f(RowView(reply.get(), row));
    return rows;
  }
  // A row or nothing for each key, in one pipeline.
  std::vector<std::optional<Row>> get_many(const std::vector<Key>& keys) const;
  std::vector<Row> find(const Query& query) const {
    return ask([&](const auto& to) { detail::find(to, query); }, detail::read_rows);
  }
  std::vector<Row> find(const std::string& op, const Key& key, std::int64_t limit = 1,
                        std::int64_t offset = 0, std::vector<Filter> filters = {}) const {
    return find(Query{op, key, limit, offset, std::move(filters)});
  }
  // All rows of each of the values, which take the place of the column's value in the key.
  std::vector<Row> find_all(const std::string& op, const Key& key, const std::string& in_column,
                            const std::vector<Value>& values, std::int64_t limit = 1,
                            std::int64_t offset = 0,
                            const std::vector<Filter>& filters = {}) const {
    return find(detail::find_all(op, key, in_column, values, limit, offset, filters));
  }
  // for (const hs::Row& row : table.range({…})): one page after the other.
  Range range(const Bounds& bounds = {}) const;
  std::uint64_t count(const Query& query) const {
    return ask([&](const auto& to) { detail::count(to, query); }, detail::read_number);
  }
  bool exists(const Key& key) const {
    hs_error error = {};
    detail::Reply reply;
    int exists = 0;
    const detail::Values values(key);
    check(hs_exists(handle(), values.data(), values.size(), reply.get(), &exists, &error), error);
    return exists != 0;
  }

  // The generated id, if there is one.
  Id insert(const Row& row) const { return add("+", row, {}, detail::read_id); }
  Inserted insert_ignore(const Row& row) const { return add("+I", row, {}, detail::read_inserted); }
  // update: columns of the row and what they are set to where it is there; nothing: the row's values.
  Upserted upsert(const Row& row, const std::optional<Row>& update = {}) const {
    return add("+U", row, update, detail::read_upserted);
  }
  Replaced replace(const Row& row) const { return add("+R", row, {}, detail::read_replaced); }
  // How many rows.
  std::uint64_t update(const Query& query, const Row& values) const {
    return change(query, "U", values);
  }
  std::uint64_t update(const Key& key, const Row& values) const {
    return update(detail::same_key(key), values);
  }
  std::uint64_t erase(const Query& query) const { return change(query, "D", {}); }
  std::uint64_t erase(const Key& key) const { return erase(detail::same_key(key)); }
  std::uint64_t increment(const Query& query, const Row& amounts) const {
    return change(query, "+", amounts);
  }
  std::uint64_t increment(const Key& key, const Row& amounts) const {
    return increment(detail::same_key(key), amounts);
  }
  // Does not cross zero.
  std::uint64_t decrement(const Query& query, const Row& amounts) const {
    return change(query, "-", amounts);
  }
  std::uint64_t decrement(const Key& key, const Row& amounts) const {
    return decrement(detail::same_key(key), amounts);
  }
  // Whether the row was as expected, and so was changed.
  bool compare_and_set(const Key& key, const Row& expected, const Row& values) const {
    hs_error error = {};
    detail::Reply reply;
    int was = 0;
    const detail::Values parts(key);
    const detail::Fields wanted(expected), fields(values);
    check(hs_compare_and_set(handle(), parts.data(), parts.size(), wanted.data(), wanted.size(),
                             fields.data(), fields.size(), reply.get(), &was, &error),
          error);
    return was != 0;
  }
  // The same table with changes that give rows.
  Returning returning(When when) const;

  hs_table* handle() const {
    if (transaction_) (void)transaction_->get();
    return table_.get();
  }
  bool raw() const { return raw_; }

 private:
  friend class Client;
  friend class Transaction;
  friend class Pipeline;
  template <typename T>
  friend class Result;
  friend class Range;
  friend class Returning;

  Table(Client client, TableHandle table, bool raw)
      : client_(std::move(client)), table_(std::move(table)), raw_(raw) {}

  static void get(const detail::Direct& to, const Key& key) {
    hs_error error = {};
    const detail::Values values(key);
    check(hs_get(to.table, values.data(), values.size(), to.reply, &error), error);
  }
  template <typename Send, typename Read>
  std::invoke_result_t<Read, const hs_reply*, bool> ask(Send send, Read read) const {
    detail::Reply reply;
    send(detail::Direct{handle(), reply.get()});
    return read_or_forget([&] { return read(reply.get(), raw_); });
  }
  // A value that is none of its column's type: the table has been altered.
  template <typename Read>
  std::invoke_result_t<Read> read_or_forget(Read read) const {
    try {
      return read();
    } catch (const ValueError&) {
      hs_table_forget(table_.get());
      throw;
    }
  }
  std::uint64_t change(const Query& query, const char* verb, const Row& row) const {
    return ask([&](const auto& to) { detail::change(to, query, verb, row); }, detail::read_number);
  }
  template <typename Read>
  std::invoke_result_t<Read, const hs_reply*, bool> add(const char* verb, const Row& row,
                                                        const std::optional<Row>& update,
                                                        Read read) const {
    return ask([&](const auto& to) { detail::insert(to, verb, row, update); }, read);
  }

  Client client_;
  std::shared_ptr<hs_table> table_;
  std::shared_ptr<Transaction::State> transaction_;
  bool raw_;
};

inline Table Client::table(const std::string& name, const std::vector<std::string>& columns,
                           const std::string& index, bool raw) const {
  hs_error error = {};
  std::vector<const char*> names;
  names.reserve(columns.size());
  for (const std::string& column : columns) names.push_back(c_text(column));
  TableHandle table(
      hs_table_new(handle(), c_text(name), c_text(index), names.data(), names.size(), raw, &error));
  if (!table) raise(error);
  return Table(*this, std::move(table), raw);
}

inline Table Transaction::in(const Table& table) const {
  hs_error error = {};
  TableHandle inside(hs_table_in(table.table_.get(), handle(), &error));
  if (!inside) raise(error);
  Table made(table.client_, std::move(inside), table.raw_);
  made.transaction_ = state_;
  return made;
}

}  // namespace hs
