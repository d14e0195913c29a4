// insert, upsert and replace.
#include <fmt/format.h>

#include "commands.h"
#include "insert_place.h"
#include "outcome.h"

namespace hs::tool {
namespace {

class Insert : public Command {
 public:
  explicit Insert(std::string verb) : verb_(std::move(verb)) {}

  void declare(CLI::App& app) override {
    table_ = app.add_option("TABLE", "DATABASE.TABLE")->required();
    fields_ = add_words(app, "FIELD", "COLUMN=VALUE; '\\N' is NULL");
    nulls_ = add_list(app, "--null", "A column that is NULL")->type_name("COLUMN");
    if (verb_ == "+") app.add_flag("--ignore", ignore_, "Leave a row that is there as it is");
    if (verb_ == "+U") {
      updates_ = add_list(app, "--update", "COLUMN=VALUE that is set in a row that is there [all]")
                     ->type_name("FIELD");
    }
    const bool before = verb_ != "+";
    returning_ = add_returning(app, before ? std::vector<std::string>{"before", "after"}
                                           : std::vector<std::string>{"after"});
  }

  Status run(Session& session, const Common& common) override {
    const Fields row = fields_of(texts(fields_), texts(nulls_), common.escapes);
    Fields update;
    if (updates_ != nullptr && !texts(updates_).empty()) {
      update = fields_of(texts(updates_), {}, common.escapes);
    }
    const std::string verb = ignore_ ? "+I" : verb_;
    const std::string mark = returning_mark(returning_);
    const Place place = insert_place(session.server(), session.table(text(table_)));
    if (!mark.empty()) return run_returning(session, common, place, verb + mark, row, update);
    const Added added = session.server().insert(place, verb, row, update);
    const std::string did = word(added.did);
    Rows outcome = {{{"result"}}, {{did}}};
    std::string sentence = did;
    if (verb == "+R") {
      outcome.columns.push_back({"replaced", Kind::number});
      outcome.rows[0].emplace_back(std::to_string(added.replaced));
      if (added.replaced > 0) sentence += fmt::format(", {} replaced", added.replaced);
    }
    if (added.id != 0) {
      outcome.columns.push_back({"id", Kind::number});
      outcome.rows[0].emplace_back(std::to_string(added.id));
      sentence += fmt::format(", id {}", added.id);
    }
    return tell(common, sentence, outcome, verb != "+I" || added.did != Did::unchanged);
  }

 private:
  static const char* word(Did did) {
    return did == Did::inserted ? "inserted" : did == Did::updated ? "updated" : "unchanged";
  }

  static Status run_returning(Session& session, const Common& common, const Place& place,
                              const std::string& verb, const Fields& row, const Fields& update) {
    const Rows rows = session.server().inserted(place, verb, row, update);
    const Status status = Session::print(common, rows);
    return verb == "+I!" ? status : done;
  }

  std::string verb_;
  bool ignore_ = false;
  CLI::Option *table_ = nullptr, *fields_ = nullptr, *nulls_ = nullptr, *updates_ = nullptr;
  CLI::Option* returning_ = nullptr;
};

}  // namespace

std::unique_ptr<Command> make_insert() { return std::make_unique<Insert>("+"); }
std::unique_ptr<Command> make_upsert() { return std::make_unique<Insert>("+U"); }
std::unique_ptr<Command> make_replace() { return std::make_unique<Insert>("+R"); }

}  // namespace hs::tool
