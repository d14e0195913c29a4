// The program that the acceptance script drives: see clients/acceptance/README.md. It uses nothing of
// the client but handlersocket2.hpp.
#include <algorithm>
#include <handlersocket2.hpp>
#include <iostream>
#include <thread>

#include "../../c/acceptance/values.h"

namespace {

using driver::Json;

hs::Value value_of(const Json& json) {
  if (json.is_null()) return {};
  if (json.is_boolean()) return json.get<bool>();
  if (json.is_number_unsigned() && json.get<std::uint64_t>() > INT64_MAX)
    return json.get<std::uint64_t>();
  if (json.is_number_integer()) return json.get<std::int64_t>();
  if (json.is_number()) return json.get<double>();
  if (json.is_string()) return json.get<std::string>();
  if (json.contains("bytes")) return hs::Bytes{driver::from_base64(json["bytes"])};
  const std::string text = json.begin()->get<std::string>();
  if (!json.contains("integer")) return text;
  if (text[0] == '-') return std::int64_t{std::stoll(text)};
  return std::uint64_t{std::stoull(text)};
}

std::vector<hs::Value> values_of(const Json& list) {
  std::vector<hs::Value> values;
  if (!list.is_array()) return {value_of(list)};
  for (const Json& one : list) values.push_back(value_of(one));
  return values;
}

hs::Row row_of(const Json& arguments, const char* name) {
  hs::Row row;
  if (arguments.contains(name) && !arguments[name].is_null())
    for (const auto& [key, one] : arguments[name].items()) row.add(key, value_of(one));
  return row;
}

std::optional<hs::Row> update_of(const Json& arguments) {
  if (!arguments.contains("update") || arguments["update"].is_null()) return std::nullopt;
  return row_of(arguments, "update");
}

std::vector<hs::Filter> filters_of(const Json& arguments) {
  std::vector<hs::Filter> filters;
  for (const Json& one : arguments.value("filters", Json::array()))
    filters.push_back({one[0], one[1], value_of(one[2]), one.size() == 4});
  return filters;
}

hs::Key key_of(const Json& arguments) {
  return arguments.contains("key") ? values_of(arguments["key"]) : hs::Key();
}

hs::Query query_of(const Json& arguments) {
  hs::Query query(arguments.value("op", "="), key_of(arguments),
                  arguments.value("limit", std::int64_t{0}),
                  arguments.value("offset", std::int64_t{0}), filters_of(arguments));
  if (arguments.contains("in")) {
    query.in_column = arguments["in"]["column"];
    query.in = values_of(arguments["in"]["values"]);
  }
  return query;
}

Json json_of(const hs::Value& value) {
  if (auto* b = std::get_if<bool>(&value)) return *b;
  if (auto* i = std::get_if<std::int64_t>(&value)) return driver::integer(*i);
  if (auto* u = std::get_if<std::uint64_t>(&value)) return driver::natural(*u);
  if (auto* d = std::get_if<double>(&value)) return *d;
  if (auto* s = std::get_if<std::string>(&value)) return *s;
  if (auto* y = std::get_if<hs::Bytes>(&value)) return driver::bytes(y->data);
  return {};
}

Json json_of(const hs::Row& row) {
  Json out = Json::object();
  for (const auto& [name, value] : row) out[name] = json_of(value);
  return out;
}

Json json_of(const std::optional<hs::Row>& row) { return row ? json_of(*row) : Json(); }
Json json_of(const hs::Id& id) { return driver::id(id.value_or(0)); }
Json json_of(std::uint64_t number) { return number; }
Json json_of(bool truth) { return truth; }
Json json_of(const hs::Inserted& did) {
  return {{"inserted", did.inserted}, {"id", json_of(did.id)}};
}
Json json_of(const hs::Upserted& did) { return {{"did", did.did}, {"id", json_of(did.id)}}; }
Json json_of(const hs::Replaced& did) { return {{"replaced", did.rows}, {"id", json_of(did.id)}}; }

template <typename T>
Json json_of(const std::vector<T>& list) {
  Json out = Json::array();
  for (const T& one : list) out.push_back(json_of(one));
  return out;
}

// The calls of a table in a pipeline, as it has them alone.
struct InPipeline {
  hs::Pipeline& p;
  const hs::Table& t;
  auto get(const hs::Key& key) const { return p.get(t, key); }
  auto find(const hs::Query& query) const { return p.find(t, query); }
  auto find_all(const std::string& op, const hs::Key& key, const std::string& column,
                const std::vector<hs::Value>& values, std::int64_t limit, std::int64_t offset,
                const std::vector<hs::Filter>& filters) const {
    return p.find_all(t, op, key, column, values, limit, offset, filters);
  }
  auto count(const hs::Query& query) const { return p.count(t, query); }
  auto exists(const hs::Key& key) const { return p.exists(t, key); }
  auto insert(const hs::Row& row) const { return p.insert(t, row); }
  auto insert_ignore(const hs::Row& row) const { return p.insert_ignore(t, row); }
  auto upsert(const hs::Row& row, const std::optional<hs::Row>& update) const {
    return p.upsert(t, row, update);
  }
  auto replace(const hs::Row& row) const { return p.replace(t, row); }
  auto update(const hs::Query& query, const hs::Row& row) const { return p.update(t, query, row); }
  auto erase(const hs::Query& query) const { return p.erase(t, query); }
  auto increment(const hs::Query& query, const hs::Row& row) const {
    return p.increment(t, query, row);
  }
  auto decrement(const hs::Query& query, const hs::Row& row) const {
    return p.decrement(t, query, row);
  }
  auto compare_and_set(const hs::Key& key, const hs::Row& expected, const hs::Row& row) const {
    return p.compare_and_set(t, key, expected, row);
  }
};

using Later = std::function<Json()>;

template <typename T>
Later later(const hs::Result<T>& result) {
  return [result] { return json_of(result.get()); };
}
template <typename T>
Later later(const T& value) {
  return [json = json_of(value)] { return json; };
}

// Makes the call, alone (a Table) or in a pipeline.
template <typename To>
Later call(const To& to, const std::string& what, const Json& a) {
  if (what == "get") return later(to.get(key_of(a)));
  if (what == "find") return later(to.find(query_of(a)));
  if (what == "find_all")
    return later(to.find_all(a["op"], key_of(a), a["in_column"], values_of(a["values"]),
                             a.value("limit", 1), a.value("offset", 0), filters_of(a)));
  if (what == "count") return later(to.count(query_of(a)));
  if (what == "exists") return later(to.exists(key_of(a)));
  if (what == "insert") return later(to.insert(row_of(a, "row")));
  if (what == "insert_ignore") return later(to.insert_ignore(row_of(a, "row")));
  if (what == "upsert") return later(to.upsert(row_of(a, "row"), update_of(a)));
  if (what == "replace") return later(to.replace(row_of(a, "row")));
  if (what == "update") return later(to.update(query_of(a), row_of(a, "values")));
  if (what == "delete") return later(to.erase(query_of(a)));
  if (what == "increment") return later(to.increment(query_of(a), row_of(a, "amounts")));
  if (what == "decrement") return later(to.decrement(query_of(a), row_of(a, "amounts")));
  if (what == "compare_and_set")
    return later(to.compare_and_set(key_of(a), row_of(a, "expected"), row_of(a, "values")));
  throw std::runtime_error("there is no call " + what);
}

// The same of what gives rows: a Returning, or that of a pipeline.
template <typename To>
Later call_returning(const To& to, const std::string& what, const Json& a) {
  if (what == "insert") return later(to.insert(row_of(a, "row")));
  if (what == "insert_ignore") return later(to.insert_ignore(row_of(a, "row")));
  if (what == "upsert") return later(to.upsert(row_of(a, "row"), update_of(a)));
  if (what == "replace") return later(to.replace(row_of(a, "row")));
  if (what == "update") return later(to.update(query_of(a), row_of(a, "values")));
  if (what == "delete") return later(to.erase(query_of(a)));
  if (what == "increment") return later(to.increment(query_of(a), row_of(a, "amounts")));
  if (what == "decrement") return later(to.decrement(query_of(a), row_of(a, "amounts")));
  throw std::runtime_error(what + " gives no rows");
}

Json range(const hs::Table& table, const Json& a) {
  hs::Bounds bounds;
  if (a.contains("start")) bounds.start = values_of(a["start"]);
  if (a.contains("stop")) bounds.stop = values_of(a["stop"])[0];
  bounds.reverse = a.value("reverse", false);
  bounds.filters = filters_of(a);
  bounds.page = a.value("page", std::int64_t{0});
  Json out = Json::array();
  for (const hs::Row& row : table.range(bounds)) out.push_back(json_of(row));
  return out;
}

template <typename F>
Json caught(F f) {
  try {
    return {{"ok", f()}};
  } catch (const hs::Error& error) {
    return driver::error(error.error());
  } catch (const std::exception& error) {
    return {{"error", {{"class", "Exception"}, {"text", error.what()}}}};
  }
}

Json text_of(const std::optional<std::string>& text) { return text ? Json(*text) : Json(); }

class Driver {
 public:
  Json answer(const Json& order) {
    return caught([&] { return carry_out(order, order["do"]); });
  }

 private:
  Json carry_out(const Json& order, const std::string& what) {
    if (what == "connect" || what == "close") {
      transaction_.reset();
      tables_.clear();
      client_.reset();
      if (what == "connect") client_.emplace(order["url"].get<std::string>());
      if (order.value("hook", false))
        client_->on_request([](auto&&...) { throw std::runtime_error("the hook fails"); });
      return {};
    }
    if (!client_) throw std::runtime_error("there is no client");
    if (what == "table") {
      tables_.push_back(client_->table(order["name"],
                                       order.value("columns", std::vector<std::string>()),
                                       order.value("index", "PRIMARY"), order.value("raw", false)));
      return tables_.size();
    }
    if (what == "pipeline") return pipeline(order["calls"]);
    if (what == "threads") return threads(order);
    if (what == "describe" || what == "indexes") return describe(order, what);
    if (what == "raw") return raw(order);
    if (order.contains("table")) return of_table(at(order), what, order["args"]);
    return plain(order, what);
  }
  Json plain(const Json& order, const std::string& what) {
    if (what == "features") return driver::split(client_->features());
    if (what == "last_gtid") return client_->last_gtid();
    if (what == "wait_for_gtid") return client_->wait_for_gtid(order["gtid"], order["seconds"]);
    if (what == "ping") {
      client_->ping();
    } else if (what == "begin") {
      const std::string level = order.value("isolation", "");
      transaction_.emplace(*client_, level.empty() ? nullptr : level.c_str(),
                           order.value("read_only", false));
    } else if (!transaction_) {
      throw std::runtime_error("there is no transaction: " + what);
    } else if (what == "savepoint") {
      transaction_->savepoint(order["name"]);
    } else if (what == "rollback_to") {
      transaction_->rollback_to(order["name"]);
    } else {
      end(what == "commit");
    }
    return {};
  }
  void end(bool commits) {
    try {
      commits ? transaction_->commit() : transaction_->rollback();
    } catch (const hs::Error&) {
      transaction_.reset();
      throw;
    }
    transaction_.reset();
  }
  hs::Table at(const Json& order) const {
    const hs::Table& table = tables_.at(order["table"].get<std::size_t>() - 1);
    return transaction_ ? transaction_->in(table) : table;
  }
  static hs::When when_of(const Json& a) {
    return a["returning"] == "before" ? hs::When::before : hs::When::after;
  }
  static Json of_table(const hs::Table& table, const std::string& what, const Json& a) {
    if (a.contains("returning")) return call_returning(table.returning(when_of(a)), what, a)();
    if (what == "range") return range(table, a);
    if (what == "put_back")
      return table.update(query_of(a), table.get(key_of(a)).value_or(hs::Row()));
    if (what != "get_many") return call(table, what, a)();
    std::vector<hs::Key> keys;
    for (const Json& key : a["keys"]) keys.push_back(values_of(key));
    Json out = Json::array();
    for (const auto& row : table.get_many(keys)) out.push_back(json_of(row));
    return out;
  }
  Json pipeline(const Json& calls) {
    hs::Pipeline pipeline = transaction_ ? hs::Pipeline(*transaction_) : hs::Pipeline(*client_);
    std::vector<Later> answers;
    for (const Json& one : calls) {
      const hs::Table table = at(one);
      const Json& a = one["args"];
      answers.push_back(a.contains("returning")
                            ? call_returning(pipeline.returning(table, when_of(a)), one["do"], a)
                            : call(InPipeline{pipeline, table}, one["do"], a));
    }
    try {
      pipeline.run();
    } catch (const hs::Error&) {  // also the error of each call without an answer
    }
    Json out = Json::array();
    for (const Later& answer : answers) out.push_back(caught(answer));
    return out;
  }
  Json threads(const Json& order) {
    std::vector<Json> answers(order["count"].get<std::size_t>(), Json::array());
    std::vector<std::thread> threads;
    for (Json& own : answers)
      threads.emplace_back([&] {
        for (const Json& one : order["calls"]) own.push_back(answer(one));
      });
    for (std::thread& thread : threads) thread.join();
    return answers;
  }
  Json describe(const Json& order, const std::string& what) const {
    const std::string name = order.value("name", "");
    const std::size_t dot = name.find('.');
    const std::string table = dot != std::string::npos ? name.substr(dot + 1) : "";
    Json out = Json::array();
    for (const hs::Line& line : client_->describe(name.substr(0, dot), table, what == "indexes")) {
      const char* const* names = driver::description(line.size());
      Json made = Json::object();
      for (std::size_t i = 0; names != nullptr && i < line.size(); i++)
        made[names[i]] = text_of(line[i]);
      out.push_back(names != nullptr ? made : text_of(line[0]));
    }
    return out;
  }
  Json raw(const Json& order) const {
    std::vector<std::string> tokens;
    for (const Json& token : order["tokens"])
      tokens.push_back(hs::as<std::string>(value_of(token)));
    const hs::RawReply reply = client_->raw(order["port"] == "write", tokens);
    Json out = {reply.code, reply.columns};
    for (const auto& value : reply.values) out.push_back(text_of(value));
    return out;
  }

  std::optional<hs::Client> client_;
  std::optional<hs::Transaction> transaction_;
  std::vector<hs::Table> tables_;
};

}  // namespace

int main() {
  Driver driver;
  for (std::string line; std::getline(std::cin, line);)
    std::cout
        << driver.answer(Json::parse(line)).dump(-1, ' ', false, Json::error_handler_t::replace)
        << std::endl;
}
