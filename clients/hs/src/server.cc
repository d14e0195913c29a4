#include "server.h"

#include <algorithm>
#include <handlersocket2.hpp>

namespace hs::tool {
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
  std::vector<hs_field> made;
  for (const Field& field : fields) made.push_back({field.column.c_str(), value_of(field.value)});
  return made;
}

// The call's query, which refers to the tool's.
class Asked {
 public:
  explicit Asked(const Query& query, const std::string& in_column = "")
      : key_(values_of(query.key)), in_(values_of(query.in)), query_() {
    for (const Filter& filter : query.filters) {
      filters_.push_back(
          {filter.column.c_str(), filter.op.c_str(), value_of(filter.value), filter.ends ? 1 : 0});
    }
    query_.op = query.op.c_str();
    query_.key = key_.data();
    query_.key_count = key_.size();
    query_.limit = query.limit;
    query_.offset = query.offset;
    query_.in = in_.data();
    query_.in_count = in_.size();
    query_.in_column = query.in.empty() ? nullptr : in_column.c_str();
    query_.in_all = query.in_all ? 1 : 0;
    query_.filters = filters_.data();
    query_.filter_count = filters_.size();
  }
  const hs_query* get() const { return &query_; }

 private:
  std::vector<hs_value> key_, in_;
  std::vector<hs_filter> filters_;
  hs_query query_;
};

std::vector<Row> rows_of(const hs_reply* reply) {
  std::vector<Row> rows(hs_reply_rows(reply));
  for (size_t row = 0; row < rows.size(); row++) {
    for (size_t column = 0; column < hs_reply_columns(reply); column++) {
      rows[row].push_back(cell_of(hs_reply_value(reply, row, column)));
    }
  }
  return rows;
}

uint64_t number_of(const hs_reply* reply, size_t column) {
  uint64_t number = 0;
  if (hs_value_uint64(hs_reply_value(reply, 0, column), &number) != 0) {
    hs_error error = {};
    error.kind = HS_PROTOCOL;
    std::snprintf(error.text, sizeof error.text, "the answer has no number");
    raise(error);
  }
  return number;
}

Added added_of(const hs_reply* reply, const std::string& verb) {
  hs_added added = {};
  hs_error error = {};
  check(hs_reply_added(reply, &added, &error), error);
  if (verb == "+R") return {added.replaced + 1, added.id};
  return {static_cast<uint64_t>(added.did), added.id};
}

// A reply as the line that it came as.
std::string line_of(const hs_reply* reply, int code) {
  std::string line = std::to_string(code) + "\t" + std::to_string(hs_reply_columns(reply));
  for (const Row& row : rows_of(reply)) {
    for (const Cell& cell : row) {
      line += '\t';
      if (!cell) line += '\0';
      for (const char c : cell.value_or("")) {
        const bool escaped = static_cast<unsigned char>(c) < 0x10;
        if (escaped) line += '\x01';
        line += escaped ? static_cast<char>(c + 0x40) : c;
      }
    }
  }
  return line;
}

}  // namespace

struct Server::Client {
  explicit Client(const std::string& url) : client(url), reply(new_reply()) {}

  TableHandle open(const Place& place, const std::vector<std::string>& columns) {
    hs_error error = {};
    std::vector<const char*> names;
    for (const std::string& column : columns) names.push_back(column.c_str());
    TableHandle table(hs_table_new(client.handle(), place.table.c_str(), place.index.c_str(),
                                   names.data(), names.size(), 1, &error));
    if (!table) raise(error);
    return table;
  }

  hs::Client client;
  ReplyHandle reply;
};

Server::Server(const std::string& url) : client_(std::make_unique<Client>(url)) {}

Server::~Server() = default;

void Server::ping() { client_->client.ping(); }

std::vector<std::string> Server::hello(bool write_port) {
  const auto answer = client_->client.raw(write_port, {"H", "2", "hs/" HS_VERSION}).values;
  std::vector<std::string> texts;
  for (const Cell& cell : answer) texts.push_back(cell.value_or(""));
  texts.resize(std::max<size_t>(texts.size(), 5));
  return {texts[1], texts[2], texts[3], texts[4]};
}

bool Server::wait_for_gtid(const std::string& gtids, double seconds) {
  return client_->client.wait_for_gtid(gtids, seconds);
}

std::string Server::last_gtid() { return client_->client.last_gtid(); }

std::string Server::raw(bool write_port, const std::vector<std::string>& tokens) {
  std::vector<hs_value> values;
  for (const std::string& token : tokens) values.push_back(hs_bytes(token.data(), token.size()));
  hs_error error = {};
  hs_reply* reply = client_->reply.get();
  int code = 0;
  check(hs_raw(client_->client.handle(), write_port ? 1 : 0, values.data(), values.size(), reply,
               &code, &error),
        error);
  return line_of(reply, code);
}

Rows Server::databases() { return {{{"database"}}, client_->client.describe()}; }

Rows Server::tables(const std::string& database) {
  return {{{"table"}, {"comment"}}, client_->client.describe(database)};
}

namespace {

// The two parts of "database.table"; a database may have no dot in its name.
std::pair<std::string, std::string> parts_of(const std::string& table) {
  const size_t dot = table.find('.');
  if (dot == std::string::npos) throw UsageError("a table is named DATABASE.TABLE");
  return {table.substr(0, dot), table.substr(dot + 1)};
}

}  // namespace

Rows Server::describe(const std::string& table) {
  const auto [database, name] = parts_of(table);
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
  const auto [database, name] = parts_of(table);
  return {{{"index"},
           {"position", Kind::number},
           {"column"},
           {"unique", Kind::number},
           {"direction"},
           {"prefix length", Kind::number}},
          client_->client.describe(database, name, true)};
}

const Columns& Server::columns(const std::string& table) {
  auto known = columns_.find(table);
  if (known != columns_.end()) return known->second;
  Columns columns;
  for (const Row& row : describe(table).rows) {
    columns.push_back({row.at(0).value_or(""), kind_of(row.at(1).value_or(""))});
  }
  return columns_[table] = std::move(columns);
}

Columns Server::columns(const std::string& table, const std::vector<std::string>& names) {
  Columns chosen;
  for (const std::string& name : names) chosen.push_back({name});
  try {
    for (const Column& column : columns(table)) {
      for (Column& wanted : chosen) {
        if (wanted.name == column.name) wanted.kind = column.kind;
      }
    }
  } catch (const UnsupportedError&) {
  }
  return chosen;
}

std::vector<IndexPart> Server::index_parts(const Place& place) {
  std::vector<IndexPart> parts;
  for (const Row& row : indexes(place.table).rows) {
    if (row.at(0) != place.index) continue;
    parts.push_back({row.at(2).value_or(""), row.at(3) == "1", row.at(4) == "D"});
  }
  return parts;
}

Row Server::lowest(const Place& place) {
  const auto parts = index_parts(place);
  if (parts.empty()) throw UsageError("there is no index " + place.index);
  if (parts.front().descending)
    throw UsageError("the index goes downwards: give a key to begin with");
  for (const Row& row : describe(place.table).rows) {
    if (row.at(0) != parts.front().column) continue;
    const std::string type = row.at(1).value_or("");
    if (row.at(2) == "YES") return {std::nullopt};  // NULL sorts first
    const Kind kind = kind_of(type);
    if (kind == Kind::number || kind == Kind::decimal) return {"-1e309"};
    if (type.rfind("time", 0) == 0 && type.rfind("timestamp", 0) != 0) return {"-838:59:59.999999"};
  }
  return {""};
}

void Server::forget() { columns_.clear(); }

// The column of the index that the values of `in` are for.
std::string Server::in_column(const Place& place, const Query& query) {
  if (query.in.empty()) return "";
  const auto parts = index_parts(place);
  if (query.in_part >= parts.size()) throw UsageError("the index has no such column");
  return parts[query.in_part].column;
}

Rows Server::find(const Place& place, const Columns& columns, const Query& query) {
  std::vector<std::string> names;
  for (const Column& column : columns) names.push_back(column.name);
  const auto table = client_->open(place, names);
  const std::string in = in_column(place, query);
  hs_error error = {};
  check(hs_find(table.get(), Asked(query, in).get(), client_->reply.get(), &error), error);
  return {columns, rows_of(client_->reply.get())};
}

uint64_t Server::count(const Place& place, const Query& query) {
  const auto table = client_->open(place, {});
  const std::string in = in_column(place, query);
  hs_error error = {};
  uint64_t rows = 0;
  check(hs_count(table.get(), Asked(query, in).get(), client_->reply.get(), &rows, &error), error);
  return rows;
}

uint64_t Server::change(const Place& place, const Query& query, const std::string& change,
                        const Fields& fields) {
  const auto table = client_->open(place, {});
  const std::string in = in_column(place, query);
  const auto row = fields_of(fields);
  hs_error error = {};
  check(hs_change(table.get(), Asked(query, in).get(), change.c_str(), row.data(), row.size(),
                  client_->reply.get(), &error),
        error);
  return number_of(client_->reply.get(), 0);
}

Rows Server::changed(const Place& place, const Query& query, const std::string& change,
                     const Fields& fields, const Columns& columns) {
  std::vector<std::string> names;
  for (const Field& field : fields) names.push_back(field.column);
  const Columns given = change == "D?" ? columns : this->columns(place.table, names);
  std::vector<std::string> opened;
  for (const Column& column : given) opened.push_back(column.name);
  const auto table = client_->open(place, opened);
  const std::string in = in_column(place, query);
  const auto row = fields_of(fields);
  hs_error error = {};
  check(hs_change(table.get(), Asked(query, in).get(), change.c_str(), row.data(), row.size(),
                  client_->reply.get(), &error),
        error);
  return {given, rows_of(client_->reply.get())};
}

Added Server::insert(const std::string& table, const std::string& verb, const Fields& row,
                     const Fields& update) {
  const auto opened = client_->open({table}, {});
  const auto fields = fields_of(row), updates = fields_of(update);
  hs_error error = {};
  check(hs_insert(opened.get(), verb.c_str(), fields.data(), fields.size(),
                  update.empty() ? nullptr : updates.data(), updates.size(), client_->reply.get(),
                  &error),
        error);
  return added_of(client_->reply.get(), verb);
}

Rows Server::inserted(const std::string& table, const std::string& verb, const Fields& row,
                      const Fields& update, const Columns& columns) {
  (void)columns;
  std::vector<std::string> names;
  for (const Field& field : row) names.push_back(field.column);
  const auto opened = client_->open({table}, names);
  const auto fields = fields_of(row), updates = fields_of(update);
  hs_error error = {};
  hs_reply* reply = client_->reply.get();
  check(hs_insert(opened.get(), verb.c_str(), fields.data(), fields.size(),
                  update.empty() ? nullptr : updates.data(), updates.size(), reply, &error),
        error);
  std::vector<std::string> given;
  hs_column column = {};
  for (size_t i = 0; hs_reply_column(reply, i, &column) == 0; i++) given.emplace_back(column.name);
  return {this->columns(table, given), rows_of(reply)};
}

std::vector<std::optional<std::string>> Server::insert_many(const std::string& table,
                                                            const std::string& verb,
                                                            const std::vector<std::string>& columns,
                                                            const std::vector<Row>& rows) {
  const auto opened = client_->open({table}, {});
  const BatchHandle batch(hs_batch_new(client_->client.handle()));
  if (!batch) throw std::bad_alloc();
  hs_error error = {};
  std::vector<hs_field> fields;
  for (const Row& row : rows) {
    fields.clear();
    for (size_t i = 0; i < row.size() && i < columns.size(); i++) {
      fields.push_back({columns[i].c_str(), value_of(row[i])});
    }
    check(hs_batch_insert(batch.get(), opened.get(), verb.c_str(), fields.data(), fields.size(),
                          nullptr, 0, &error),
          error);
  }
  hs_reply* reply = client_->reply.get();
  check(hs_batch_run(batch.get(), reply, &error), error);
  std::vector<std::optional<std::string>> errors(rows.size());
  for (size_t i = 0; i < rows.size(); i++) {
    if (hs_reply_select(reply, i, &error) != 0) errors[i] = error.text;
  }
  return errors;
}

Kind kind_of(const std::string& type) {
  static const std::map<std::string, Kind> kinds = {
      {"tinyint", Kind::number},     {"smallint", Kind::number},
      {"mediumint", Kind::number},   {"int", Kind::number},
      {"bigint", Kind::number},      {"year", Kind::number},
      {"float", Kind::number},       {"double", Kind::number},
      {"decimal", Kind::decimal},    {"binary", Kind::bytes},
      {"varbinary", Kind::bytes},    {"tinyblob", Kind::bytes},
      {"blob", Kind::bytes},         {"mediumblob", Kind::bytes},
      {"longblob", Kind::bytes},     {"bit", Kind::bytes},
      {"geometry", Kind::bytes},     {"point", Kind::bytes},
      {"linestring", Kind::bytes},   {"polygon", Kind::bytes},
      {"multipoint", Kind::bytes},   {"multilinestring", Kind::bytes},
      {"multipolygon", Kind::bytes}, {"geometrycollection", Kind::bytes},
  };
  const auto found = kinds.find(type.substr(0, type.find_first_of("( ")));
  return found != kinds.end() ? found->second : Kind::text;
}

}  // namespace hs::tool
