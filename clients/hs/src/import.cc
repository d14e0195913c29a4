// import: rows of a file into a table.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <iostream>
#include <optional>

#include "commands.h"
#include "csv.h"
#include "import_key.h"
#include "import_state.h"
#include "insert_place.h"
#include "interrupt.h"
#include "json.h"
#include "progress.h"
#include "records.h"
#include "screen.h"

namespace hs::tool {
namespace {

constexpr size_t most_bytes = size_t{8} << 20;    // of a piece
constexpr size_t long_bytes = size_t{256} << 10;  // of a record
constexpr int most_tries = 10;                    // of a row that meets others' locks

struct ImportOptions {
  std::string table, path, verb, state, bad;
  std::vector<std::string> columns;  // empty: those of the header, or all
  Format format = Format::csv;
  bool has_header = true;
  size_t piece = 1000;
  uint64_t most_bad = 1000;
};

// The columns whose values the server makes of others'. SQL takes no value for one of them.
std::vector<std::string> generated_columns(Server& server, const std::string& table) {
  std::vector<std::string> names;
  for (const Row& row : server.describe(table).rows) {
    const std::string extra = row.at(5).value_or("");
    const bool is_generated = extra.find("VIRTUAL GENERATED") != std::string::npos ||
                              extra.find("STORED GENERATED") != std::string::npos;
    if (is_generated) names.push_back(row.at(0).value_or(""));
  }
  return names;
}

bool has(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// A record that is no row of the table.
struct Refused {
  uint64_t line;
  std::string record, why;
};

class Importer {
 public:
  Importer(Server& server, ImportOptions options)
      : server_(server),
        options_(std::move(options)),
        records_(options_.path, options_.format),
        progress_(records_.size()) {}

  Status run() {
    prepare();
    while (read_piece()) {
      note();
      send_piece();
      state_.done = state_.sent;
      if (!tell_refused()) {
        return stopped(fmt::format("{} rows were refused, see --max-bad", state_.bad));
      }
      if (is_interrupted()) return stopped("interrupted");
      progress_.show(state_.done.offset, state_.rows);
    }
    progress_.clear();
    if (!options_.state.empty()) remove_state(options_.state);
    tell_end();
    return state_.bad > 0 ? in_part : done;
  }

 private:
  struct Item {
    Spot spot;
    std::string record;
    Fields fields;
    bool is_counted = false;
  };

  // Nothing has been sent before all of this is right.
  void prepare() {
    state_.table = options_.table;
    state_.file = options_.path;
    if (!options_.bad.empty()) {
      bad_.reset(std::fopen(options_.bad.c_str(), "abe"));
      if (!bad_) bad_file_fails();
    }
    if (options_.format != Format::jsonl) read_header();
    check_columns(options_.columns);
    generated_ = generated_columns(server_, options_.table);
    place_ = insert_place(server_, options_.table);
    if (!options_.state.empty() || last_wins()) find_keys();
    state_.done = state_.sent = records_.spot();
    if (!options_.state.empty()) resume();
  }

  void read_header() {
    std::string record;
    if (options_.has_header && records_.next(record)) {
      std::vector<std::string> names;
      try {
        for (Cell& name :
             parse_record(options_.format, without_end(without_byte_order_mark(record)))) {
          names.push_back(std::move(name).value_or(""));
        }
      } catch (const BadRecord& error) {
        throw UsageError(fmt::format("{}, line 1: {}", records_.name(), error.what()));
      }
      if (options_.columns.empty()) options_.columns = names;
      header_ = record;
      if (names.size() != options_.columns.size()) {
        throw UsageError(fmt::format("--columns names {} columns, and the file has {}",
                                     options_.columns.size(), names.size()));
      }
    }
    if (!options_.columns.empty()) return;
    for (const Column& column : server_.columns(options_.table, {})) {
      options_.columns.push_back(column.name);
    }
  }

  void check_columns(const std::vector<std::string>& names) {
    const Columns known = server_.columns(options_.table, {});
    for (const std::string& name : names) {
      const auto is_it = [&](const Column& column) { return column.name == name; };
      if (std::none_of(known.begin(), known.end(), is_it)) {
        throw UsageError(
            fmt::format("{} has no column \"{}\" (is the first line no header? --no-header)",
                        options_.table, shown(name)));
      }
      if (std::count(names.begin(), names.end(), name) > 1) {
        throw UsageError(fmt::format("column \"{}\" stands twice", shown(name)));
      }
    }
  }

  void find_keys() {
    std::vector<std::string> sent;
    for (const std::string& name : options_.columns) {
      if (!has(generated_, name)) sent.push_back(name);
    }
    keys_ = ImportKeys(server_, options_.table, sent);
  }

  // Whether of two records with one key the later one stays.
  bool last_wins() const { return options_.verb == "+U" || options_.verb == "+R"; }

  // Tells it once.
  void leave_out(const std::string& name) {
    if (has(left_out_, name)) return;
    left_out_.push_back(name);
    progress_.clear();
    std::cerr << fmt::format(
        "hs: column \"{}\" is generated: its values in the file are left out\n", shown(name));
  }

  void resume() {
    if (!records_.is_file()) throw UsageError("--state needs a file that can be read again");
    if (keys_.empty()) {
      throw UsageError(
          "--state needs a unique index whose columns are in the file, or rows could be imported "
          "twice");
    }
    const auto before = read_state(options_.state);
    if (!before) return;
    if (before->table != options_.table || before->file != options_.path) {
      throw UsageError(fmt::format("{} is the state of {} into {}", options_.state, before->file,
                                   before->table));
    }
    state_ = *before;
    doubt_ = state_.sent;
    records_.go_to(state_.done);
    if (!state_.before.empty() && state_.before != records_.before(state_.done)) {
      throw FileError(
          fmt::format("{}: what was imported of it is not there any more; is it another file?",
                      records_.name()));
    }
    std::cerr << fmt::format("hs: goes on at line {}; {} rows were imported before\n",
                             state_.done.line, state_.rows);
  }

  // Writes how far it is.
  void note() {
    if (options_.state.empty()) return;
    ImportState noted = state_;
    noted.before = records_.before(noted.done);
    if (noted.sent.offset < doubt_.offset) noted.sent = doubt_;
    write_state(options_.state, noted);
  }

  // Reads the next records; false: there are no more.
  bool read_piece() {
    items_.clear();
    refused_.clear();
    size_t bytes = 0;
    std::string record;
    for (size_t read = 0; read < options_.piece && bytes < most_bytes; read++) {
      const Spot spot = records_.spot();
      if (!records_.next(record)) break;
      bytes += record.size();
      if (is_blank(without_end(record))) continue;
      try {
        const bool may_have_mark = spot.offset == 0;
        Fields fields =
            fields_of_record(without_end(may_have_mark ? without_byte_order_mark(record) : record));
        drop_generated(fields);
        if (!options_.state.empty() && !keys_.tell(fields))
          throw BadRecord("without a unique key it could be imported twice (--state)");
        items_.push_back({spot, record, std::move(fields)});
      } catch (const BadRecord& error) {
        refused_.push_back({spot.line, record, error.what()});
      }
    }
    state_.sent = records_.spot();
    return bytes > 0;
  }

  // A line without anything, such as the last one of some files. In a file of one column it is a value.
  bool is_blank(std::string_view line) const {
    return line.empty() && (options_.format == Format::jsonl || options_.columns.size() > 1);
  }

  Fields fields_of_record(std::string_view record) const {
    if (options_.format == Format::jsonl) return parse_json(record);
    Row row = parse_record(options_.format, record);
    if (row.size() != options_.columns.size()) {
      throw BadRecord(fmt::format("the number of its fields is {} and not {}", row.size(),
                                  options_.columns.size()));
    }
    Fields fields;
    for (size_t i = 0; i < row.size(); i++) {
      fields.push_back({options_.columns[i], std::move(row[i])});
    }
    return fields;
  }

  void drop_generated(Fields& fields) {
    const auto is_left_out = [&](const Field& field) {
      if (!has(generated_, field.column)) return false;
      leave_out(field.column);
      return true;
    };
    fields.erase(std::remove_if(fields.begin(), fields.end(), is_left_out), fields.end());
    if (fields.empty()) throw BadRecord("no column to import");
  }

  void send_piece() {
    const uint64_t first = state_.done.line;
    try {
      if (options_.format == Format::jsonl) drop_unknown_columns();
      for (int tries = 1; !items_.empty(); tries++) send(tries == most_tries);
    } catch (...) {
      progress_.clear();
      std::cerr << fmt::format("hs: it is not known which of the lines {} to {} were imported\n",
                               first, state_.sent.line - 1);
      throw;
    }
  }

  void drop_unknown_columns() {
    const Columns known = server_.columns(options_.table, {});
    const auto is_unknown = [&](const Item& item) {
      for (const Field& field : item.fields) {
        const auto is_it = [&](const Column& column) { return column.name == field.column; };
        if (std::any_of(known.begin(), known.end(), is_it)) continue;
        refused_.push_back(
            {item.spot.line, item.record, fmt::format("there is no column \"{}\"", field.column)});
        return true;
      }
      return false;
    };
    items_.erase(std::remove_if(items_.begin(), items_.end(), is_unknown), items_.end());
  }

  // Sends all items, and keeps those that are to be sent again.
  void send(bool is_last_try) {
    std::vector<Item> again;
    for (size_t at = 0; at < items_.size();) {
      size_t end = at + 1;
      while (end < items_.size() && !is_long(items_[at]) && !is_long(items_[end])) end++;
      std::vector<Fields> rows;
      for (size_t i = at; i < end; i++) rows.push_back(items_[i].fields);
      for (const Inserted& result : server_.insert_many(place_, options_.verb, rows)) {
        if (take(items_[at], result, is_last_try, !again.empty())) {
          again.push_back(std::move(items_[at]));
        }
        at++;
      }
    }
    items_ = std::move(again);
  }

  // A long one is sent alone, for the server may refuse its request, and with it all behind it.
  static bool is_long(const Item& item) { return item.record.size() > long_bytes; }

  // Notes what became of an item, and tells whether it is to be sent again: also behind another one that
  // is, and that may have the same key.
  bool take(Item& item, const Inserted& result, bool is_last_try, bool is_behind) {
    if (result.error.empty()) {
      if (!item.is_counted) (result.added || options_.verb != "+I" ? state_.rows : there_)++;
      item.is_counted = true;
      return is_behind && last_wins() && keys_.tell(item.fields);
    }
    if (result.is_duplicate && item.spot.offset < doubt_.offset) {
      there_++;
    } else if (result.try_again && !is_last_try) {
      return true;
    } else {
      if (item.is_counted) state_.rows--;
      refused_.push_back({item.spot.line, item.record, result.error});
    }
    return false;
  }

  // False: there are too many.
  bool tell_refused() {
    std::sort(refused_.begin(), refused_.end(),
              [](const Refused& a, const Refused& b) { return a.line < b.line; });
    if (!refused_.empty()) progress_.clear();
    for (const Refused& refused : refused_) {
      state_.bad++;
      std::cerr << shown(fmt::format("{}:{}: {}", records_.name(), refused.line, refused.why))
                << "\n";
      if (bad_) keep(refused.record);
    }
    if (bad_ && std::fflush(bad_.get()) != 0) bad_file_fails();
    return options_.most_bad == 0 || state_.bad < options_.most_bad;
  }

  // A new file begins with the header, so that it can be imported when it is right.
  void keep(const std::string& record) {
    std::string text = (std::ftell(bad_.get()) == 0 ? header_ : "") + record;
    if (text.back() != '\n') text += '\n';  // another import may add to it
    if (std::fwrite(text.data(), 1, text.size(), bad_.get()) != text.size()) bad_file_fails();
  }

  [[noreturn]] void bad_file_fails() const {
    throw FileError(fmt::format("{}: {}", options_.bad, std::strerror(errno)));
  }

  Status stopped(const std::string& why) {
    progress_.clear();
    note();
    std::cerr << fmt::format("hs: stops in front of line {}: {}\n", state_.done.line, why);
    tell_end();
    return in_part;
  }

  void tell_end() const {
    std::cerr << fmt::format("hs: {} rows imported", state_.rows);
    if (there_ > 0) std::cerr << fmt::format(", {} were there already", there_);
    if (state_.bad > 0) std::cerr << fmt::format(", {} refused", state_.bad);
    std::cerr << fmt::format(", in {:.1f} s\n", progress_.seconds());
  }

  struct Close {
    void operator()(FILE* file) const { (void)std::fclose(file); }
  };
  Server& server_;
  ImportOptions options_;
  Records records_;
  Progress progress_;
  Place place_;
  ImportKeys keys_;  // where a row may be sent again that was done
  std::vector<std::string> generated_, left_out_;
  std::string header_;  // the first line, where it is one
  std::unique_ptr<FILE, Close> bad_;
  ImportState state_;
  Spot doubt_;  // records before it may be there already
  uint64_t there_ = 0;
  std::vector<Item> items_;
  std::vector<Refused> refused_;
};

class Import : public Command {
 public:
  void declare(CLI::App& app) override {
    table_ = app.add_option("TABLE", "DATABASE.TABLE")->required();
    path_ = app.add_option("FILE", "A file of CSV, TSV or JSON lines; - is the standard input [-]");
    columns_ =
        app.add_option("-c,--columns", "The columns of the file, with commas [its first line]")
            ->type_name("NAMES");
    app.add_option("--on-duplicate", duplicate_, "error, ignore, update or replace [error]")
        ->check(CLI::IsMember({"error", "ignore", "update", "replace"}).description(""))
        ->type_name("WHAT");
    state_ = app.add_option("--state", "Note there how far it is, and go on where it says")
                 ->type_name("FILE");
    bad_ =
        app.add_option("--bad", "Add the records that are refused to this file")->type_name("FILE");
    app.add_option("--max-bad", options_.most_bad,
                   "End after so many refused rows; 0: never [1000]")
        ->type_name("N");
    app.add_option("--piece", options_.piece, "Rows that are sent in one piece [1000]")
        ->check(CLI::Range(size_t{1}, size_t{10000}).description(""))
        ->type_name("N");
  }

  Status run(Session& session, const Common& common) override {
    options_.table = session.table(text(table_));
    options_.path = text(path_).empty() ? "-" : text(path_);
    if (options_.path == "-") session.take_input();
    options_.format = file_format(options_.path, common.format);
    options_.has_header = !common.no_header;
    options_.state = text(state_);
    options_.bad = text(bad_);
    options_.verb = duplicate_ == "ignore"    ? "+I"
                    : duplicate_ == "update"  ? "+U"
                    : duplicate_ == "replace" ? "+R"
                                              : "+";
    options_.columns = names_of(text(columns_));
    return Importer(session.server(), options_).run();
  }

 private:
  CLI::Option *table_ = nullptr, *path_ = nullptr, *columns_ = nullptr, *state_ = nullptr;
  CLI::Option* bad_ = nullptr;
  std::string duplicate_ = "error";
  ImportOptions options_;
};

}  // namespace

std::unique_ptr<Command> make_import() { return std::make_unique<Import>(); }

}  // namespace hs::tool
