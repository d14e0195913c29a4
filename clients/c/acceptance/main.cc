// The program that the acceptance script drives: see clients/acceptance/README.md. It uses nothing of
// the client but handlersocket2.h.
#include <deque>
#include <iostream>
#include <optional>
#include <thread>
#include <vector>

#include "values.h"

namespace {

using driver::Json;

struct Failed {
  hs_error error;
};

void check(int result, const hs_error& error) {
  if (result != 0) throw Failed{error};
}

[[noreturn]] void refuse(const std::string& what) {
  throw Failed{[&] {
    hs_error error = {};
    error.kind = HS_SERVER;
    what.copy(error.text, sizeof error.text - 1);
    return error;
  }()};
}

// Arguments of a call as the interface takes them, with the memory of their values.
class Arguments {
 public:
  explicit Arguments(const Json& all) : all_(all) {}
  Arguments(const Arguments&) = delete;

  const std::vector<hs_value>& list(const char* name) {
    std::vector<hs_value>& out = lists_.emplace_back();
    if (all_.contains(name) && all_[name].is_array())
      for (const Json& one : all_[name]) out.push_back(value(one));
    else if (all_.contains(name))
      out.push_back(value(all_[name]));
    return out;
  }
  const std::vector<hs_field>& row(const char* name) {
    std::vector<hs_field>& out = rows_.emplace_back();
    if (all_.contains(name) && all_[name].is_object())
      for (const auto& [key, one] : all_[name].items())
        out.push_back({texts_.emplace_back(key).c_str(), value(one)});
    return out;
  }
  bool has(const char* name) const { return all_.contains(name) && !all_[name].is_null(); }
  const std::vector<hs_filter>& filters() {
    std::vector<hs_filter>& out = filters_.emplace_back();
    for (const Json& one : all_.value("filters", Json::array()))
      out.push_back({text(one[0]), text(one[1]), value(one[2]), one.size() == 4});
    return out;
  }
  hs_query query() {
    hs_query q = {};
    const auto& key = list("key");
    const auto& filters = this->filters();
    q.op = text(all_.value("op", Json("=")));
    q.key = key.data();
    q.key_count = key.size();
    q.limit = all_.value("limit", std::int64_t{0});
    q.offset = all_.value("offset", std::int64_t{0});
    q.filters = filters.data();
    q.filter_count = filters.size();
    if (has("in")) set_in(&q, all_["in"]["column"], all_["in"]["values"], 0);
    if (has("in_column")) set_in(&q, all_["in_column"], all_["values"], 1);
    return q;
  }
  hs_value value(const Json& json) {
    if (json.is_null()) return hs_null();
    std::string& kept = texts_.emplace_back();
    if (json.is_object() && json.contains("bytes"))
      kept = driver::from_base64(json["bytes"]);
    else if (json.is_object())
      kept = json.begin()->get<std::string>();
    else if (json.is_string())
      kept = json.get<std::string>();
    else
      kept = number(json);
    return hs_bytes(kept.data(), kept.size());
  }

 private:
  static std::string number(const Json& json) {
    char buffer[HS_NUMBER];
    if (json.is_boolean()) return json.get<bool>() ? "1" : "0";
    const hs_value value = json.is_number_unsigned()  ? hs_uint64(json, buffer)
                           : json.is_number_integer() ? hs_int64(json, buffer)
                                                      : hs_double(json, buffer);
    return std::string(value.data, value.len);
  }
  const char* text(const Json& json) {
    return texts_.emplace_back(json.get<std::string>()).c_str();
  }
  void set_in(hs_query* q, const Json& column, const Json& values, int all) {
    std::vector<hs_value>& out = lists_.emplace_back();
    for (const Json& one : values) out.push_back(value(one));
    q->in_column = text(column);
    q->in = out.data();
    q->in_count = out.size();
    q->in_all = all;
  }

  const Json& all_;
  std::deque<std::string> texts_;
  std::deque<std::vector<hs_value>> lists_;
  std::deque<std::vector<hs_field>> rows_;
  std::deque<std::vector<hs_filter>> filters_;
};

Json typed(hs_value value, hs_kind kind, bool raw) {
  std::int64_t integer = 0;
  std::uint64_t natural = 0;
  double real = 0;
  if (value.data == nullptr) return {};
  const std::string text(value.data, value.len);
  if (raw || kind == HS_KIND_BYTES) return driver::bytes(text);
  if (kind == HS_KIND_INTEGER && hs_value_int64(value, &integer) == 0)
    return driver::integer(integer);
  if (kind == HS_KIND_INTEGER && hs_value_uint64(value, &natural) == 0)
    return driver::natural(natural);
  if (kind == HS_KIND_FLOAT && hs_value_double(value, &real) == 0) return real;
  return text;
}

Json rows(const hs_reply* reply, bool raw) {
  Json out = Json::array();
  for (std::size_t row = 0; row < hs_reply_rows(reply); row++) {
    Json made = Json::object();
    for (std::size_t i = 0; i < hs_reply_columns(reply); i++) {
      hs_column column = {};
      if (hs_reply_column(reply, i, &column) != 0) refuse("a column has no name");
      made[column.name] = typed(hs_reply_value(reply, row, i), column.kind, raw);
    }
    out.push_back(std::move(made));
  }
  return out;
}

Json first(const Json& rows) { return rows.empty() ? Json() : rows[0]; }

struct Table {
  hs_table* handle;
  bool raw;
};

const char* verb_of(const std::string& call) {
  static const std::vector<std::pair<std::string, const char*>> verbs = {
      {"insert", "+"}, {"insert_ignore", "+I"}, {"upsert", "+U"},   {"replace", "+R"},
      {"update", "U"}, {"delete", "D"},         {"increment", "+"}, {"decrement", "-"}};
  for (const auto& [name, verb] : verbs)
    if (name == call) return verb;
  return "";
}

bool is_insert(const std::string& call) {
  return call == "insert" || call == "insert_ignore" || call == "upsert" || call == "replace";
}

std::string suffix(const Json& arguments) {
  const std::string returning = arguments.value("returning", "");
  return returning == "before" ? "?" : returning == "after" ? "!" : "";
}

// The answer that is selected, as that of the call.
Json result(const std::string& call, const Json& arguments, const hs_reply* reply, bool raw) {
  hs_error error = {};
  if (call == "get") return first(rows(reply, raw));
  if (call == "find" || call == "find_all" || !suffix(arguments).empty()) return rows(reply, raw);
  if (!is_insert(call)) {
    std::uint64_t number = 0;
    check(hs_reply_number(reply, &number, &error), error);
    if (call == "exists" || call == "compare_and_set") return number != 0;
    return number;
  }
  static const char* const did[] = {"unchanged", "inserted", "updated"};
  hs_added added = {};
  check(hs_reply_added(reply, &added, &error), error);
  const Json id = driver::id(added.id);
  if (call == "insert") return id;
  if (call == "insert_ignore") return {{"inserted", added.did == HS_INSERTED}, {"id", id}};
  if (call == "upsert") return {{"did", did[added.did]}, {"id", id}};
  return {{"replaced", added.replaced}, {"id", id}};
}

void add(hs_batch* batch, const Table& table, const std::string& call, const Json& arguments) {
  Arguments a(arguments);
  hs_error error = {};
  hs_query q = a.query();
  const std::string verb = verb_of(call) + suffix(arguments);
  int bad = 0;
  if (call == "get" || call == "find" || call == "find_all") {
    bad = hs_batch_find(batch, table.handle, &q, &error);
  } else if (call == "count" || call == "exists") {
    if (call == "exists") q.limit = 1;
    bad = hs_batch_count(batch, table.handle, &q, &error);
  } else if (is_insert(call)) {
    const auto& row = a.row("row");
    const auto& update = a.row("update");
    bad = hs_batch_insert(batch, table.handle, verb.c_str(), row.data(), row.size(),
                          a.has("update") ? update.data() : nullptr, update.size(), &error);
  } else if (!verb.empty()) {
    const auto& fields = a.row(a.has("amounts") ? "amounts" : "values");
    bad = hs_batch_change(batch, table.handle, &q, verb.c_str(), fields.data(), fields.size(),
                          &error);
  } else {
    refuse("there is no call " + call);
  }
  check(bad, error);
}

class Driver {
 public:
  ~Driver() { close(); }
  Json answer(const Json& order, hs_reply* reply) {
    try {
      return {{"ok", carry_out(order, order["do"], reply)}};
    } catch (const Failed& failed) {
      return driver::error(failed.error);
    }
  }

 private:
  void close() {
    if (transaction_ != nullptr) hs_rollback(std::exchange(transaction_, nullptr), nullptr);
    for (const Table& table : tables_) hs_table_free(table.handle);
    tables_.clear();
    hs_close(std::exchange(client_, nullptr));
  }
  Json carry_out(const Json& order, const std::string& what, hs_reply* reply) {
    hs_error error = {};
    if (what == "connect" || what == "close") {
      close();
      if (what == "close") return {};
      client_ = hs_connect(order["url"].get<std::string>().c_str(), &error);
      check(client_ == nullptr, error);
      if (order.value("hook", false))
        hs_set_hook(
            client_, [](auto...) {}, nullptr);
      return {};
    }
    if (client_ == nullptr) refuse("there is no client");
    if (what == "table") return make_table(order);
    if (what == "pipeline") return pipeline(order["calls"], reply);
    if (what == "threads") return threads(order);
    if (what == "describe" || what == "indexes") return describe(order, what, reply);
    if (what == "raw") return raw(order, reply);
    if (order.contains("table")) return call(order, what, reply);
    return plain(order, what);
  }
  Json plain(const Json& order, const std::string& what) {
    hs_error error = {};
    char buffer[4096];
    int applied = 0;
    if (what == "ping") {
      check(hs_ping(client_, &error), error);
      return {};
    }
    if (what == "features") {
      check(hs_features(client_, buffer, sizeof buffer, &error), error);
      return driver::split(buffer);
    }
    if (what == "last_gtid") {
      check(hs_last_gtid(client_, buffer, sizeof buffer, &error), error);
      return buffer;
    }
    if (what == "wait_for_gtid") {
      const auto gtid = order["gtid"].get<std::string>();
      check(hs_wait_for_gtid(client_, gtid.c_str(), order["seconds"], &applied, &error), error);
      return applied != 0;
    }
    return transaction(order, what);
  }
  Json transaction(const Json& order, const std::string& what) {
    hs_error error = {};
    const std::string name = order.value("name", ""), level = order.value("isolation", "");
    if (what == "begin") {
      transaction_ = hs_begin(client_, level.empty() ? nullptr : level.c_str(),
                              order.value("read_only", false), &error);
      check(transaction_ == nullptr, error);
      return {};
    }
    if (transaction_ == nullptr) refuse("there is no transaction: " + what);
    if (what == "savepoint") check(hs_savepoint(transaction_, name.c_str(), &error), error);
    if (what == "rollback_to") check(hs_rollback_to(transaction_, name.c_str(), &error), error);
    if (what == "commit") check(hs_commit(std::exchange(transaction_, nullptr), &error), error);
    if (what == "rollback") check(hs_rollback(std::exchange(transaction_, nullptr), &error), error);
    return {};
  }
  Json make_table(const Json& order) {
    hs_error error = {};
    std::vector<std::string> names;
    std::vector<const char*> columns;
    for (const Json& name : order.value("columns", Json::array())) names.push_back(name);
    for (const std::string& name : names) columns.push_back(name.c_str());
    const std::string name = order["name"], index = order.value("index", "PRIMARY");
    const bool raw = order.value("raw", false);
    hs_table* table = hs_table_new(client_, name.c_str(), index.c_str(), columns.data(),
                                   columns.size(), raw, &error);
    check(table == nullptr, error);
    tables_.push_back({table, raw});
    return tables_.size();
  }
  Json describe(const Json& order, const std::string& what, hs_reply* reply) {
    hs_error error = {};
    const std::string name = order.value("name", "");
    const std::size_t dot = name.find('.');
    const std::string database = name.substr(0, dot);
    const std::string table = dot != std::string::npos ? name.substr(dot + 1) : "";
    check(hs_describe(client_, database.c_str(), table.c_str(), what == "indexes", reply, &error),
          error);
    const char* const* names = driver::description(hs_reply_columns(reply));
    Json out = Json::array();
    for (std::size_t row = 0; row < hs_reply_rows(reply); row++) {
      Json made = Json::object();
      for (std::size_t i = 0; names != nullptr && i < hs_reply_columns(reply); i++)
        made[names[i]] = typed(hs_reply_value(reply, row, i), HS_KIND_TEXT, false);
      if (names == nullptr) made = typed(hs_reply_value(reply, row, 0), HS_KIND_TEXT, false);
      out.push_back(made);
    }
    return out;
  }
  Json raw(const Json& order, hs_reply* reply) {
    Arguments a(order);
    hs_error error = {};
    int code = 0;
    const auto& tokens = a.list("tokens");
    check(hs_raw(client_, order["port"] == "write", tokens.data(), tokens.size(), reply, &code,
                 &error),
          error);
    Json out = {code, hs_reply_columns(reply)};
    for (std::size_t row = 0; row < hs_reply_rows(reply); row++)
      for (std::size_t i = 0; i < hs_reply_columns(reply); i++)
        out.push_back(typed(hs_reply_value(reply, row, i), HS_KIND_TEXT, false));
    return out;
  }

  // The table where the calls are: in the transaction, if there is one.
  class Place {
   public:
    Place(const Table& table, hs_transaction* transaction) : table_(table) {
      hs_error error = {};
      if (transaction == nullptr) return;
      own_ = table_.handle = hs_table_in(table.handle, transaction, &error);
      check(own_ == nullptr, error);
    }
    ~Place() { hs_table_free(own_); }
    Place(const Place&) = delete;
    const Table& table() const { return table_; }

   private:
    Table table_;
    hs_table* own_ = nullptr;
  };

  const Table& at(const Json& order) const {
    return tables_.at(order["table"].get<std::size_t>() - 1);
  }

  Json call(const Json& order, const std::string& what, hs_reply* reply) {
    const Place place(at(order), transaction_);
    const Table& table = place.table();
    const Json& arguments = order["args"];
    Arguments a(arguments);
    hs_error error = {};
    hs_query q = a.query();
    int done = 0;
    if (what == "range") return range(table, &a, arguments);
    if (what == "get_many") return get_many(table, arguments["keys"], reply);
    if (what == "put_back") return put_back(table, q, reply);
    if (what == "get") check(hs_get(table.handle, q.key, q.key_count, reply, &error), error);
    if (what == "find" || what == "find_all")
      check(hs_find(table.handle, &q, reply, &error), error);
    std::uint64_t rows = 0;
    if (what == "count") check(hs_count(table.handle, &q, reply, &rows, &error), error);
    if (what == "exists")
      check(hs_exists(table.handle, q.key, q.key_count, reply, &done, &error), error);
    if (what == "compare_and_set") {
      const auto &expected = a.row("expected"), &fields = a.row("values");
      check(hs_compare_and_set(table.handle, q.key, q.key_count, expected.data(), expected.size(),
                               fields.data(), fields.size(), reply, &done, &error),
            error);
    } else if (*verb_of(what) != 0) {
      change(table, what, q, &a, arguments, reply);
    }
    return result(what, arguments, reply, table.raw);
  }
  static void change(const Table& table, const std::string& what, const hs_query& q, Arguments* a,
                     const Json& arguments, hs_reply* reply) {
    hs_error error = {};
    const std::string verb = verb_of(what) + suffix(arguments);
    const auto& row = a->row(is_insert(what) ? "row" : a->has("amounts") ? "amounts" : "values");
    const auto& update = a->row("update");
    check(is_insert(what)
              ? hs_insert(table.handle, verb.c_str(), row.data(), row.size(),
                          a->has("update") ? update.data() : nullptr, update.size(), reply, &error)
              : hs_change(table.handle, &q, verb.c_str(), row.data(), row.size(), reply, &error),
          error);
  }
  static Json range(const Table& table, Arguments* a, const Json& arguments) {
    hs_error error = {};
    const auto &start = a->list("start"), &stop = a->list("stop");
    const auto& filters = a->filters();
    hs_bounds bounds = {};
    bounds.start = a->has("start") ? start.data() : nullptr;
    bounds.start_count = start.size();
    bounds.stop = a->has("stop") ? stop.data() : nullptr;
    bounds.reverse = arguments.value("reverse", false);
    bounds.filters = filters.data();
    bounds.filter_count = filters.size();
    bounds.page = arguments.value("page", std::int64_t{0});
    hs_range* range = hs_range_new(table.handle, &bounds, &error);
    check(range == nullptr, error);
    const hs_column* columns = nullptr;
    std::size_t count = 0;
    int more = hs_table_columns(table.handle, &columns, &count, &error);
    Json out = Json::array();
    while (more >= 0 && (more = hs_range_next(range, &error)) > 0) {
      Json row = Json::object();
      for (std::size_t i = 0; i < count; i++)
        row[columns[i].name] = typed(hs_range_value(range, i), columns[i].kind, table.raw);
      out.push_back(std::move(row));
    }
    hs_range_free(range);
    check(more, error);
    return out;
  }
  static Json put_back(const Table& table, const hs_query& q, hs_reply* reply) {
    hs_error error = {};
    std::vector<hs_field> row;
    std::uint64_t changed = 0;
    check(hs_get(table.handle, q.key, q.key_count, reply, &error), error);
    for (std::size_t i = 0; i < hs_reply_columns(reply); i++) {
      hs_column column = {};
      if (hs_reply_column(reply, i, &column) != 0) refuse("a column has no name");
      row.push_back({column.name, hs_reply_value(reply, 0, i)});
    }
    check(hs_change(table.handle, &q, "U", row.data(), row.size(), reply, &error), error);
    check(hs_reply_number(reply, &changed, &error), error);
    return changed;
  }
  static Json get_many(const Table& table, const Json& keys, hs_reply* reply) {
    hs_error error = {};
    const Json holder = {{"keys", keys}};
    Arguments a(holder);
    std::vector<hs_value> values;
    for (const Json& key : keys)
      for (const Json& part : key) values.push_back(a.value(part));
    const std::size_t parts = keys.empty() ? 0 : keys[0].size();
    check(hs_get_many(table.handle, values.data(), parts, keys.size(), reply, &error), error);
    Json out = Json::array();
    for (std::size_t i = 0; i < hs_reply_count(reply); i++) {
      check(hs_reply_select(reply, i, &error), error);
      out.push_back(first(rows(reply, table.raw)));
    }
    return out;
  }
  Json pipeline(const Json& calls, hs_reply* reply) {
    hs_batch* batch = hs_batch_new(client_);
    Json answers = Json::array();
    std::vector<std::optional<std::size_t>> places;
    for (const Json& one : calls) {
      answers.push_back(nullptr);
      places.emplace_back();
      try {
        const Place place(at(one), transaction_);
        add(batch, place.table(), one["do"], one["args"]);
        places.back() = hs_batch_size(batch) - 1;
      } catch (const Failed& failed) {
        answers.back() = driver::error(failed.error);
      }
    }
    hs_error broken = {};
    if (transaction_ != nullptr)
      hs_transaction_run(transaction_, batch, reply, &broken);
    else
      hs_batch_run(batch, reply, &broken);
    hs_batch_free(batch);
    for (std::size_t i = 0; i < places.size(); i++)
      if (places[i]) answers[i] = answer_of(calls[i], *places[i], reply, broken);
    return answers;
  }
  Json answer_of(const Json& one, std::size_t place, hs_reply* reply, const hs_error& broken) {
    hs_error error = {};
    if (place >= hs_reply_count(reply)) return driver::error(broken);
    if (hs_reply_select(reply, place, &error) != 0) return driver::error(error);
    try {
      return {{"ok", result(one["do"], one["args"], reply, at(one).raw)}};
    } catch (const Failed& failed) {
      return driver::error(failed.error);
    }
  }
  Json threads(const Json& order) {
    std::vector<Json> answers(order["count"].get<std::size_t>(), Json::array());
    std::vector<std::thread> threads;
    for (Json& own : answers)
      threads.emplace_back([&] {
        hs_reply* reply = hs_reply_new();
        for (const Json& one : order["calls"]) own.push_back(answer(one, reply));
        hs_reply_free(reply);
      });
    for (std::thread& thread : threads) thread.join();
    return answers;
  }

  hs_client* client_ = nullptr;
  hs_transaction* transaction_ = nullptr;
  std::vector<Table> tables_;
};

}  // namespace

int main() {
  Driver driver;
  hs_reply* reply = hs_reply_new();
  for (std::string line; std::getline(std::cin, line);)
    std::cout << driver.answer(Json::parse(line), reply)
                     .dump(-1, ' ', false, Json::error_handler_t::replace)
              << std::endl;
  hs_reply_free(reply);
}
