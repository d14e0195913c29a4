// Tables of the C++ client; included by handlersocket2.hpp.
#pragma once

#include <handlersocket2/client.hpp>

namespace hs {

struct Filter {
  std::string column, op;  // op: = != > >= < <=
  Value value;
  bool ends = false;  // a `while` filter: the search ends at the first row that fails it
};

// All rows of a find, a count or a change: those that compare with the key.
struct Query {
  Query() = default;
  Query(std::string op_, Key key_, std::int64_t limit_ = 0, std::int64_t offset_ = 0,
        std::vector<Filter> filters_ = {})
      : op(std::move(op_)),
        key(std::move(key_)),
        limit(limit_),
        offset(offset_),
        filters(std::move(filters_)) {}

  std::string op = "=";  // = =< > >= < <=
  Key key;
  std::int64_t limit = 0;  // 0: one row; in a count: no limit
  std::int64_t offset = 0;
  std::vector<Filter> filters;
  // A column of the index: each value takes its place in the key. It finds one row for each value, or
  // all of them, with limit and offset for each.
  std::string in_column;
  std::vector<Value> in;
  bool in_all = false;
};

// What a range goes over; nothing is all rows, upwards.
struct Bounds {
  std::optional<Key> start = {};   // a key, or the values of its first columns
  std::optional<Value> stop = {};  // the first value of the index's first column that is not wanted
  bool reverse = false;            // downwards; needs start
  std::vector<Filter> filters = {};
  std::int64_t page = 0;  // rows that are read at once; 0: 1000
};

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

// A query as handlersocket2.h has it. Refers to the query.
class Asked {
 public:
  explicit Asked(const Query& query)
      : key_(query.key),
        in_(query.in),
        filters_(query.filters.size()),
        digits_(query.filters.size()) {
    for (std::size_t i = 0; i < filters_.size(); i++) {
      const Filter& f = query.filters[i];
      filters_[i] = {c_text(f.column), c_text(f.op), encode(f.value, &digits_[i]), f.ends};
    }
    query_.op = c_text(query.op);
    query_.key = key_.data();
    query_.key_count = key_.size();
    query_.limit = query.limit;
    query_.offset = query.offset;
    query_.in_column = query.in_column.empty() ? nullptr : c_text(query.in_column);
    query_.in = in_.data();
    query_.in_count = in_.size();
    query_.in_all = query.in_all;
    query_.filters = filters_.data();
    query_.filter_count = filters_.size();
  }
  const hs_query* get() const { return &query_; }

 private:
  Values key_, in_;
  Small<hs_filter, 4> filters_;
  Small<Digits, 4> digits_;
  hs_query query_ = {};
};

// What of a call is the same alone and in a pipeline: how it is said, and what its answer means.
struct Direct {
  hs_table* table;
  hs_reply* reply;
  int find(const hs_query* q, hs_error* e) const { return hs_find(table, q, reply, e); }
  int count(const hs_query* q, hs_error* e) const {
    std::uint64_t rows = 0;
    return hs_count(table, q, reply, &rows, e);
  }
  int change(const hs_query* q, const char* verb, const Fields& f, hs_error* e) const {
    return hs_change(table, q, verb, f.data(), f.size(), reply, e);
  }
  int insert(const char* verb, const Fields& row, const Fields* update, hs_error* e) const {
    return hs_insert(table, verb, row.data(), row.size(), update ? update->data() : nullptr,
                     update ? update->size() : 0, reply, e);
  }
};

struct Batched {
  hs_table* table;
  hs_batch* batch;
  int find(const hs_query* q, hs_error* e) const { return hs_batch_find(batch, table, q, e); }
  int count(const hs_query* q, hs_error* e) const { return hs_batch_count(batch, table, q, e); }
  int change(const hs_query* q, const char* verb, const Fields& f, hs_error* e) const {
    return hs_batch_change(batch, table, q, verb, f.data(), f.size(), e);
  }
  int insert(const char* verb, const Fields& row, const Fields* update, hs_error* e) const {
    return hs_batch_insert(batch, table, verb, row.data(), row.size(),
                           update ? update->data() : nullptr, update ? update->size() : 0, e);
  }
};

template <typename To>
void find(const To& to, const Query& query) {
  hs_error error = {};
  check(to.find(Asked(query).get(), &error), error);
}
template <typename To>
void count(const To& to, const Query& query) {
  hs_error error = {};
  check(to.count(Asked(query).get(), &error), error);
}
template <typename To>
void change(const To& to, const Query& query, const std::string& verb, const Row& row) {
  hs_error error = {};
  check(to.change(Asked(query).get(), verb.c_str(), Fields(row), &error), error);
}
template <typename To>
void insert(const To& to, const std::string& verb, const Row& row,
            const std::optional<Row>& update = {}) {
  hs_error error = {};
  std::optional<Fields> fields;
  if (update) fields.emplace(*update);
  check(to.insert(verb.c_str(), Fields(row), fields ? &*fields : nullptr, &error), error);
}

inline Query same_key(const Key& key, std::int64_t limit = 0) {
  Query query;
  query.key = key;
  query.limit = limit;
  return query;
}

inline Query expecting(const Key& key, const Row& expected) {
  Query query = same_key(key);
  for (const auto& [column, value] : expected) query.filters.push_back({column, "=", value});
  return query;
}

inline Query find_all(const std::string& op, const Key& key, const std::string& in_column,
                      const std::vector<Value>& values, std::int64_t limit, std::int64_t offset,
                      const std::vector<Filter>& filters) {
  Query query(op, key, limit, offset, filters);
  query.in_column = in_column;
  query.in = values;
  query.in_all = true;
  return query;
}

inline std::vector<Row> read_rows(const hs_reply* reply, bool raw) {
  std::vector<Row> rows(hs_reply_rows(reply));
  Small<hs_column, 16> columns(rows.empty() ? 0 : hs_reply_columns(reply));
  for (std::size_t i = 0; i < columns.size(); i++)
    if (hs_reply_column(reply, i, &columns[i]) != 0) refuse("the answer has other columns");
  for (std::size_t row = 0; row < rows.size(); row++) {
    rows[row].reserve(columns.size());
    for (std::size_t i = 0; i < columns.size(); i++)
      rows[row].add(columns[i].name, decode(hs_reply_value(reply, row, i), columns[i], raw));
  }
  return rows;
}

inline std::optional<Row> read_row(const hs_reply* reply, bool raw) {
  auto rows = read_rows(reply, raw);
  if (rows.empty()) return std::nullopt;
  return std::move(rows[0]);
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

// The rows of a range, which can be gone over once. An error ends it.
class Range {
 public:
  class Iterator {
   public:
    using iterator_category = std::input_iterator_tag;
    using value_type = Row;
    using difference_type = std::ptrdiff_t;
    using pointer = const Row*;
    using reference = const Row&;
    const Row& operator*() const { return range_->row_; }
    const Row* operator->() const { return &range_->row_; }
    Iterator& operator++() {
      if (!range_->next()) range_ = nullptr;
      return *this;
    }
    bool operator==(const Iterator& other) const { return range_ == other.range_; }
    bool operator!=(const Iterator& other) const { return range_ != other.range_; }

   private:
    friend class Range;
    explicit Iterator(Range* range) : range_(range) {}
    Range* range_;
  };
  Iterator begin() { return next() ? Iterator(this) : end(); }
  Iterator end() { return Iterator(nullptr); }

 private:
  friend class Table;
  Range(const Table& table, const Bounds& bounds) : table_(table), columns_(table.columns()) {
    hs_error error = {};
    const Key from = bounds.start.value_or(Key()), to = {bounds.stop.value_or(Value())};
    const detail::Values start(from), stop(to);  // refer to these
    Query filters;
    filters.filters = bounds.filters;
    const detail::Asked asked(filters);
    hs_bounds b = {};
    b.start = bounds.start ? start.data() : nullptr;
    b.start_count = start.size();
    b.stop = bounds.stop ? stop.data() : nullptr;
    b.reverse = bounds.reverse;
    b.filters = asked.get()->filters;
    b.filter_count = asked.get()->filter_count;
    b.page = bounds.page;
    range_.reset(hs_range_new(table.handle(), &b, &error));
    if (!range_) raise(error);
  }
  bool next() {
    hs_error error = {};
    (void)table_.handle();  // in a transaction that has not ended
    const int more = hs_range_next(range_.get(), &error);
    check(more, error);
    if (more == 0) return false;
    row_ = table_.read_or_forget([&] {
      Row row;
      row.reserve(columns_.size());
      for (std::size_t i = 0; i < columns_.size(); i++)
        row.add(columns_[i].name,
                detail::decode(hs_range_value(range_.get(), i), columns_[i], table_.raw()));
      return row;
    });
    return true;
  }

  Table table_;
  std::vector<hs_column> columns_;
  std::unique_ptr<hs_range, detail::Freed<hs_range, hs_range_free>> range_;
  Row row_;
};

inline Range Table::range(const Bounds& bounds) const { return Range(*this, bounds); }
inline Returning Table::returning(When when) const { return Returning(*this, when); }

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
