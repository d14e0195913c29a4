// update, delete, incr and decr.
#include <fmt/format.h>

#include <algorithm>

#include "commands.h"
#include "outcome.h"
#include "query_options.h"
#include "words.h"

namespace hs::tool {
namespace {

class Change : public Command {
 public:
  Change(std::string kind, std::string word) : kind_(std::move(kind)), word_(std::move(word)) {}

  void declare(CLI::App& app) override {
    const bool has_fields = kind_ != "D";
    find_.declare_place(app, has_fields ? "KEY-AND-FIELDS" : "KEY",
                        has_fields ? "The key's values, then COLUMN=VALUE" : "The key's values");
    key_ =
        add_list(app, "-k,--key", "A value of the key, if it has an = in it")->type_name("VALUE");
    op_ =
        app.add_option("--op", "The operator: = =< > >= < <=; needs --limit [=]")->type_name("OP");
    find_.declare_filters(app, "one for each key");
    if (kind_ == "U") {
      nulls_ = add_list(app, "--null", "A column to be set to NULL")->type_name("COLUMN");
    }
    returning_ = add_returning(app, has_fields ? std::vector<std::string>{"before", "after"}
                                               : std::vector<std::string>{"before"});
  }

  Status run(Session& session, const Common& common) override {
    const Place place = find_.place(session);
    std::vector<std::string> key = texts(key_), words;
    split(find_.words(), common.escapes, key, words);
    const Fields fields =
        kind_ == "D"
            ? Fields()
            : fields_of(words, nulls_ != nullptr ? texts(nulls_) : words_t(), common.escapes);
    const std::string op = text(op_).empty() ? "=" : text(op_);
    if (!is_operator(op)) throw UsageError(fmt::format("{} is no operator", op));
    Query query = find_.query(session, common, op, key, 1);
    if (query.key.empty()) throw UsageError("the key is missing");
    if (!find_.has_limit()) set_limit(session, place, query);
    const std::string mark = returning_mark(returning_);
    if (mark.empty()) {
      return told(common, session.server().change(place, query, kind_, fields));
    }
    return Session::print(common, session.server().changed(place, query, kind_ + mark, fields));
  }

 private:
  using words_t = std::vector<std::string>;

  // What comes first is the key, up to the first COLUMN=VALUE.
  void split(const words_t& all, bool escapes, words_t& key, words_t& fields) const {
    for (const std::string& word : all) {
      const bool is_field = kind_ != "D" && field_of(word, escapes).has_value();
      if (!is_field && !fields.empty()) {
        throw UsageError(fmt::format("{} stands behind a COLUMN=VALUE and is none", word));
      }
      (is_field ? fields : key).push_back(word);
    }
  }

  // Without --limit a key means one row, and more than one is no matter of chance.
  void set_limit(Session& session, const Place& place, Query& query) const {
    const auto parts = session.server().index_parts(place);
    if (query.op != "=" || query.in_all) throw UsageError("rows of a range need --limit");
    if (query.key.size() < parts.size()) {
      throw UsageError(
          fmt::format("the index has {} columns: give all of them, or --limit", parts.size()));
    }
    if (!parts.empty() && !parts.front().unique) {
      throw UsageError("the index may have many rows of one key: --limit");
    }
    const auto has_null = [](const Row& row) {
      return std::find(row.begin(), row.end(), std::nullopt) != row.end();
    };
    if (place.index != "PRIMARY" && (has_null(query.key) || has_null(query.in))) {
      throw UsageError("a unique index may have many rows with NULL: --limit");
    }
    if (!query.in.empty()) query.limit = static_cast<uint32_t>(query.in.size());
  }

  Status told(const Common& common, uint64_t rows) const {
    const std::string sentence = fmt::format("{} {} {}", rows, rows == 1 ? "row" : "rows", word_);
    const Rows outcome = {{{"rows", Kind::number}}, {{std::to_string(rows)}}};
    return tell(common, sentence, outcome, rows > 0);
  }

  std::string kind_, word_;
  QueryOptions find_;
  CLI::Option *key_ = nullptr, *op_ = nullptr, *nulls_ = nullptr, *returning_ = nullptr;
};

}  // namespace

std::unique_ptr<Command> make_update() { return std::make_unique<Change>("U", "updated"); }
std::unique_ptr<Command> make_delete() { return std::make_unique<Change>("D", "deleted"); }
std::unique_ptr<Command> make_increment() { return std::make_unique<Change>("+", "counted"); }
std::unique_ptr<Command> make_decrement() { return std::make_unique<Change>("-", "counted"); }

}  // namespace hs::tool
