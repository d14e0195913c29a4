// get, find and count.
#include <fmt/format.h>

#include <algorithm>
#include <iostream>

#include "commands.h"
#include "query_options.h"
#include "words.h"

namespace hs::tool {
namespace {

constexpr uint32_t find_limit = 100;

class Get : public Command {
 public:
  void declare(CLI::App& app) override {
    find_.declare_place(app, "KEY", "A value for each column of the index, or for its first ones");
    columns_ = app.add_option("-c,--columns", "Columns, with commas [all]")->type_name("NAMES");
  }
  Status run(Session& session, const Common& common) override {
    const Place place = find_.place(session);
    const Query query = find_.query(session, common, "=", find_.words(), 1);
    if (query.key.empty()) throw UsageError("the key is missing");
    return Session::print(common, session.server().find(place, names_of(text(columns_)), query));
  }

 private:
  QueryOptions find_;
  CLI::Option* columns_ = nullptr;
};

// An operator and a key out of words; without an operator it is =, without a key all rows.
struct Compared {
  explicit Compared(std::vector<std::string> words) : key(std::move(words)) {
    if (key.size() > 1 && is_like_operator(key.front()) && !is_operator(key.front())) {
      throw UsageError(fmt::format(
          "\"{}\" is no operator of an index, which are = =< > >= < <=. --where leaves rows out. "
          "A key that begins so has = in front",
          key.front()));
    }
    if (key.empty() || !is_operator(key.front())) return;
    op = key.front();
    key.erase(key.begin());
    has_op = true;
  }
  // The query that is meant: without an operator and a key that of all rows.
  void complete(Session& session, const Place& place, Query& query) const {
    if (!query.key.empty()) return;
    if (has_op) throw UsageError(fmt::format("the key behind {} is missing", op));
    query.op = ">=";
    query.key = session.server().first_key(place);
  }
  std::string op = "=";
  std::vector<std::string> key;
  bool has_op = false;
};

class Find : public Command {
 public:
  void declare(CLI::App& app) override {
    find_.declare_place(app, "KEY",
                        "An operator (= =< > >= < <=) and a key's values; without one: all rows");
    find_.declare_filters(app, std::to_string(find_limit));
    columns_ = app.add_option("-c,--columns", "Columns, with commas [all]")->type_name("NAMES");
  }
  Status run(Session& session, const Common& common) override {
    const Place place = find_.place(session);
    const Compared compared(find_.words());
    Query query = find_.query(session, common, compared.op, compared.key, find_limit);
    compared.complete(session, place, query);
    const Rows rows = session.server().find(place, names_of(text(columns_)), query);
    const Status status = Session::print(common, rows);
    if (!find_.has_limit() && rows.rows.size() == find_limit) {
      std::cerr << "hs: there may be more than " << find_limit << " rows: --limit\n";
    }
    return status;
  }

 private:
  QueryOptions find_;
  CLI::Option* columns_ = nullptr;
};

class Count : public Command {
 public:
  void declare(CLI::App& app) override {
    find_.declare_place(app, "KEY",
                        "An operator (= =< > >= < <=) and a key's values; without one: all rows");
    find_.declare_filters(app, "none");
  }
  Status run(Session& session, const Common& common) override {
    const Place place = find_.place(session);
    const Compared compared(find_.words());
    Query query = find_.query(session, common, compared.op, compared.key, 0);
    compared.complete(session, place, query);
    const uint64_t rows = session.server().count(place, query);
    Common bare = common;
    if (common.format.empty()) bare.no_header = true;
    Session::print(bare, {{{"rows", Kind::number}}, {{std::to_string(rows)}}});
    return done;
  }

 private:
  QueryOptions find_;
};

}  // namespace

std::unique_ptr<Command> make_get() { return std::make_unique<Get>(); }
std::unique_ptr<Command> make_find() { return std::make_unique<Find>(); }
std::unique_ptr<Command> make_count() { return std::make_unique<Count>(); }

}  // namespace hs::tool
