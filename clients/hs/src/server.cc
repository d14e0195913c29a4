#include "server.h"

#include <algorithm>
#include <handlersocket2.hpp>
#include <optional>
#include <string_view>

#include "full_name.h"

namespace hs::tool {

template <typename T, void (*Free)(T*)>
struct Freed {
  void operator()(T* handle) const { Free(handle); }
};
using ReplyHandle = std::unique_ptr<hs_reply, Freed<hs_reply, hs_reply_free>>;
using BatchHandle = std::unique_ptr<hs_batch, Freed<hs_batch, hs_batch_free>>;
using TableHandle = std::unique_ptr<hs_table, Freed<hs_table, hs_table_free>>;
using RangeHandle = std::unique_ptr<hs_range, Freed<hs_range, hs_range_free>>;

namespace {

hs_value value_of(const Cell& cell) {
  return cell ? hs_bytes(cell->data(), cell->size()) : hs_null();
}

Cell cell_of(hs_value value) {
  return value.data == nullptr ? Cell() : Cell(std::in_place, value.data, value.len);
}

std::vector<hs_value> values_of(const Row& row) {
  std::vector<hs_value> values;
  values.reserve(row.size());
  for (const Cell& cell : row) values.push_back(value_of(cell));
  return values;
}

std::vector<hs_field> fields_of(const Fields& fields) {
  std::vector<hs_field> result;
  result.reserve(fields.size());
  for (const Field& field : fields) result.push_back({c_text(field.column), value_of(field.value)});
  return result;
}

std::vector<hs_filter> filters_of(const std::vector<Filter>& filters) {
  std::vector<hs_filter> result;
  for (const Filter& filter : filters) {
    result.push_back(
        {c_text(filter.column), filter.op.c_str(), value_of(filter.value), filter.ends ? 1 : 0});
  }
  return result;
}

// What no value of the type stands before in an index. None: there is no such constant.
std::optional<std::string> first_of_type(const std::string& type, bool down) {
  const hs_kind kind = hs_kind_of(type.c_str());
  if (kind == HS_KIND_INTEGER || kind == HS_KIND_FLOAT || kind == HS_KIND_DECIMAL)
    return down ? "1e309" : "-1e309";
  if (kind == HS_KIND_TIME) return down ? "838:59:59.999999" : "-838:59:59.999999";
  return std::nullopt;
}

// The lowest value of the other types. Before it stand texts that begin with control characters and, in an index that
// goes downwards, all others.
std::string lowest_of_type(const std::string& type) {
  const hs_kind kind = hs_kind_of(type.c_str());
  if (kind == HS_KIND_DATE || kind == HS_KIND_DATETIME) return "0000-00-00";
  if (type == "uuid") return "00000000-0000-0000-0000-000000000000";
  if (type == "inet6") return "::";
  if (type == "inet4") return "0.0.0.0";
  return "";
}

// The client's query, which refers to the tool's.
class Asked {
 public:
  explicit Asked(const Query& query)
      : key_(values_of(query.key)), in_(values_of(query.in)), filters_(filters_of(query.filters)) {
    query_.op = query.op.c_str();
    query_.key = key_.data();
    query_.key_count = key_.size();
    query_.limit = query.limit;
    query_.offset = query.offset;
    query_.in_column = query.in.empty() ? nullptr : c_text(query.in_column);
    query_.in = in_.data();
    query_.in_count = in_.size();
    query_.in_all = query.in_all ? 1 : 0;
    query_.filters = filters_.data();
    query_.filter_count = filters_.size();
  }
  const hs_query* get() const { return &query_; }

 private:
  std::vector<hs_value> key_, in_;
  std::vector<hs_filter> filters_;
  hs_query query_ = {};
};

Column column_of(const hs_column& column) {
  switch (column.kind) {
    case HS_KIND_INTEGER:
    case HS_KIND_FLOAT:
      return {column.name, Kind::number};
    case HS_KIND_DECIMAL:
      return {column.name, Kind::decimal};
    case HS_KIND_BYTES:
      return {column.name, Kind::bytes};
    default:
      return {column.name, Kind::text};
  }
}

Rows rows_of(const hs_reply* reply) {
  Rows result;
  const size_t columns = hs_reply_columns(reply);
  hs_column column = {};
  for (size_t i = 0; i < columns && hs_reply_column(reply, i, &column) == 0; i++) {
    result.columns.push_back(column_of(column));
  }
  for (size_t row = 0; row < hs_reply_rows(reply); row++) {
    result.rows.emplace_back();
    for (size_t i = 0; i < columns; i++) {
      result.rows.back().push_back(cell_of(hs_reply_value(reply, row, i)));
    }
  }
  return result;
}

// A reply as the line that it came as.
std::string line_of(const RawReply& reply) {
  if (reply.code != 0)
    return std::to_string(reply.code) + "\t1\t" + reply.values.at(0).value_or("");
  std::string line = "0\t" + std::to_string(reply.columns);
  for (const Cell& cell : reply.values) {
    line += '\t';
    if (!cell) line += '\0';
    for (const char c : cell.value_or("")) {
      const bool escaped = static_cast<unsigned char>(c) < 0x10;
      if (escaped) line += '\x01';
      line += escaped ? static_cast<char>(c + 0x40) : c;
    }
  }
  return line;
}

// Whether no other row of the table would fare better.
bool is_of_table(const hs_error& error) {
  switch (error.kind) {
    case HS_NOT_FOUND:
    case HS_READ_ONLY:
    case HS_AUTHENTICATION:
    case HS_ACCESS_DENIED:
    case HS_UNSUPPORTED:
    case HS_UNAVAILABLE:
      return true;
    default:
      return std::string_view(error.text) == "unsupported_table";
  }
}

Inserted inserted_of(hs_reply* reply, size_t row) {
  hs_error error = {};
  hs_added added = {};
  if (hs_reply_select(reply, row, &error) == 0) {
    check(hs_reply_added(reply, &added, &error), error);
    return {added.did != HS_UNCHANGED, false, false, ""};
  }
  if (is_of_table(error)) raise(error);
  const bool again =
      error.kind == HS_LOCK_TIMEOUT || error.kind == HS_DEADLOCK || error.kind == HS_OVERLOADED;
  return {false, again, error.kind == HS_DUPLICATE_KEY, Error(error).what()};
}

}  // namespace

// The client, and a reply for all of its calls.
struct Server::Client {
  explicit Client(const std::string& url) : client(url), reply(hs_reply_new()) {
    if (!reply) throw std::bad_alloc();
  }

  TableHandle open(const Place& place, const Names& names) {
    std::vector<const char*> columns;
    for (const std::string& name : names) columns.push_back(c_text(name));
    hs_error error = {};
    TableHandle table(hs_table_new(client.handle(), c_text(place.table), c_text(place.index),
                                   columns.data(), columns.size(), 0, &error));
    if (!table) raise(error);
    return table;
  }

  // Ends a call that has answered in `reply`.
  const hs_reply* answered(int result, const hs_error& error) const {
    check(result, error);
    return reply.get();
  }

  hs::Client client;
  ReplyHandle reply;
};

Server::Server(const std::string& url) : client_(std::make_unique<Client>(url)) {}

Server::~Server() = default;

void Server::ping() { client_->client.ping(); }

Row Server::hello(bool write_port) {
  const RawReply answer = client_->client.raw(write_port, {"H", "2", "hs/" HS_VERSION});
  if (answer.code != 0) return {"HandlerSocket", "1", "a server", ""};  // the original
  Row told(answer.values.begin(), answer.values.end());
  if (told.size() == 3) return {told[1], {}, {}, {}};  // before a login
  told.resize(std::max<size_t>(told.size(), 5), "");
  return {told[1], told[2], told[3], told[4]};
}

bool Server::wait_for_gtid(const std::string& gtids, double seconds) {
  return client_->client.wait_for_gtid(gtids, seconds);
}

std::string Server::raw(bool write_port, const std::vector<std::string>& tokens) {
  return line_of(client_->client.raw(write_port, tokens));
}

Rows Server::databases() { return {{{"database"}}, client_->client.describe()}; }

Rows Server::tables(const std::string& database) {
  return {{{"table"}, {"comment"}}, client_->client.describe(database)};
}

Rows Server::describe(const std::string& table) {
  const auto [database, name] = full_name_of(table);
  return {{{"column"},
           {"type"},
           {"nullable"},
           {"key"},
           {"default"},
           {"extra"},
           {"character set"},
           {"comment"}},
          client_->client.describe(database, name)};
}

Rows Server::indexes(const std::string& table) {
  const auto [database, name] = full_name_of(table);
  return {{{"index"},
           {"position", Kind::number},
           {"column"},
           {"unique", Kind::number},
           {"direction"},
           {"prefix length", Kind::number}},
          client_->client.describe(database, name, true)};
}

Columns Server::columns(const std::string& table, const Names& names) {
  const auto opened = client_->open({table}, names);
  const hs_column* columns = nullptr;
  size_t count = 0;
  hs_error error = {};
  check(hs_table_columns(opened.get(), &columns, &count, &error), error);
  Columns result;
  for (size_t i = 0; i < count; i++) result.push_back(column_of(columns[i]));
  return result;
}

std::vector<IndexPart> Server::index_parts(const Place& place) {
  std::vector<IndexPart> parts;
  for (const Row& row : indexes(place.table).rows) {
    if (row.at(0) != place.index) continue;
    parts.push_back({row.at(2).value_or(""), row.at(3) == "1", row.at(4) == "D", !row.at(5)});
  }
  return parts;
}

Row Server::first_key(const Place& place) {
  const auto parts = index_parts(place);
  if (parts.empty()) throw UsageError("there is no index " + place.index);
  const auto& [column, unique, down, whole] = parts[0];
  std::string type;
  for (const Row& row : describe(place.table).rows) {
    if (row.at(0) != column) continue;
    if (row.at(2) == "YES" && !down) return {std::nullopt};  // NULL sorts first
    type = row.at(1).value_or("");
  }
  if (auto first = first_of_type(type, down)) return {std::move(first)};
  return key_of_first_row(place, column, lowest_of_type(type));
}

Row Server::key_of_first_row(const Place& place, const std::string& column,
                             const std::string& value) {
  Query before{"<", {value}, 0, 0, "", {}, false, {}};
  for (uint64_t rows = count(place, before); rows > 0; rows = count(place, before)) {
    before.limit = 1;
    before.offset = static_cast<uint32_t>(std::min<uint64_t>(rows - 1, UINT32_MAX));
    const Rows first = find(place, {column}, before);
    before.limit = before.offset = 0;
    if (first.rows.empty()) continue;  // they are gone
    // The text of a time in the hour that comes twice does not find its place.
    if (first.rows[0] == before.key)
      throw UsageError("the index's first row cannot be named: give a key to begin with");
    before.key = first.rows[0];
  }
  return before.key;
}

Rows Server::find(const Place& place, const Names& names, const Query& query) {
  const auto table = client_->open(place, names);
  hs_error error = {};
  return rows_of(client_->answered(
      hs_find(table.get(), Asked(query).get(), client_->reply.get(), &error), error));
}

uint64_t Server::count(const Place& place, const Query& query) {
  const auto table = client_->open(place, {});
  hs_error error = {};
  uint64_t rows = 0;
  check(hs_count(table.get(), Asked(query).get(), client_->reply.get(), &rows, &error), error);
  return rows;
}

void Server::scan(const Place& place, const Names& names, const Row& start,
                  const std::vector<Filter>& filters, const std::function<void(const Row&)>& take) {
  const auto table = client_->open(place, names);
  const auto key = values_of(start);
  const auto conditions = filters_of(filters);
  hs_bounds bounds = {};
  bounds.start = key.data();
  bounds.start_count = key.size();
  bounds.filters = conditions.data();
  bounds.filter_count = conditions.size();
  hs_error error = {};
  const RangeHandle range(hs_range_new(table.get(), &bounds, &error));
  if (!range) raise(error);
  const hs_column* columns = nullptr;
  size_t count = 0;
  check(hs_table_columns(table.get(), &columns, &count, &error), error);
  Row row(count);
  for (;;) {
    const int more = hs_range_next(range.get(), &error);
    check(more, error);
    if (more == 0) return;
    for (size_t i = 0; i < count; i++) row[i] = cell_of(hs_range_value(range.get(), i));
    take(row);
  }
}

uint64_t Server::change(const Place& place, const Query& query, const std::string& change,
                        const Fields& fields) {
  const auto table = client_->open(place, {});
  const auto values = fields_of(fields);
  hs_error error = {};
  uint64_t rows = 0;
  check(hs_change(table.get(), Asked(query).get(), change.c_str(), values.data(), values.size(),
                  client_->reply.get(), &error),
        error);
  check(hs_reply_number(client_->reply.get(), &rows, &error), error);
  return rows;
}

Rows Server::changed(const Place& place, const Query& query, const std::string& change,
                     const Fields& fields) {
  columns(place.table, {});  // so that the kinds are known
  const auto table = client_->open(place, {});
  const auto values = fields_of(fields);
  hs_error error = {};
  return rows_of(
      client_->answered(hs_change(table.get(), Asked(query).get(), change.c_str(), values.data(),
                                  values.size(), client_->reply.get(), &error),
                        error));
}

Added Server::insert(const Place& place, const std::string& verb, const Fields& row,
                     const Fields& update) {
  const auto opened = client_->open(place, {});
  const auto values = fields_of(row), updates = fields_of(update);
  hs_error error = {};
  hs_added added = {};
  check(hs_insert(opened.get(), verb.c_str(), values.data(), values.size(),
                  update.empty() ? nullptr : updates.data(), updates.size(), client_->reply.get(),
                  &error),
        error);
  check(hs_reply_added(client_->reply.get(), &added, &error), error);
  const Did did = added.did == HS_INSERTED  ? Did::inserted
                  : added.did == HS_UPDATED ? Did::updated
                                            : Did::unchanged;
  return {did, added.replaced, added.id};
}

Rows Server::inserted(const Place& place, const std::string& verb, const Fields& row,
                      const Fields& update) {
  const auto opened = client_->open(place, {});
  const auto values = fields_of(row), updates = fields_of(update);
  hs_error error = {};
  return rows_of(
      client_->answered(hs_insert(opened.get(), verb.c_str(), values.data(), values.size(),
                                  update.empty() ? nullptr : updates.data(), updates.size(),
                                  client_->reply.get(), &error),
                        error));
}

std::vector<Inserted> Server::insert_many(const Place& place, const std::string& verb,
                                          const std::vector<Fields>& rows) {
  const auto opened = client_->open(place, {});
  const BatchHandle batch(hs_batch_new(client_->client.handle()));
  if (!batch) throw std::bad_alloc();
  hs_error error = {};
  for (const Fields& row : rows) {
    const auto values = fields_of(row);
    check(hs_batch_insert(batch.get(), opened.get(), verb.c_str(), values.data(), values.size(),
                          nullptr, 0, &error),
          error);
  }
  hs_reply* reply = client_->reply.get();
  const int run = hs_batch_run(batch.get(), reply, &error);
  // The server has read none of it, and closes the connection.
  if (run != 0 && rows.size() == 1 && std::string_view(error.text) == "request_too_long") {
    return {{false, false, false, Error(error).what()}};
  }
  check(run, error);
  std::vector<Inserted> results;
  for (size_t i = 0; i < rows.size(); i++) results.push_back(inserted_of(reply, i));
  return results;
}

}  // namespace hs::tool
