#include "completion.h"

#include <algorithm>
#include <memory>

#include "full_name.h"
#include "screen.h"

namespace hs::tool {
namespace {

// A command with what it takes.
struct Declared {
  explicit Declared(const CommandEntry& entry) : command(entry.make()) { command->declare(app); }

  CLI::App app;
  std::unique_ptr<Command> command;
};

// The database in front of a table's name that is being typed; empty: there is none.
std::string database_in(const std::string& word) try {
  return full_name_of(word + "x").database;
} catch (const UsageError&) {
  return "";
}

// The names of the options, as they are typed.
std::vector<std::string> names_in(CLI::App& app, bool in_shell) {
  Common common;
  declare_output(app, common);
  if (in_shell) declare_connection(app, common);
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  return names;
}

// Whether the command's first word is a table, or a database.
bool takes_a_place(const CommandEntry& entry) {
  const Declared declared(entry);
  return declared.app.get_option_no_throw("TABLE") != nullptr ||
         declared.app.get_option_no_throw("NAME") != nullptr;
}

bool is_one_of(const std::string& word, std::initializer_list<const char*> words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

}  // namespace

const std::vector<std::string>& Completion::names(char kind, const std::string& of) {
  const auto [place, is_new] = known_.try_emplace(kind + of);
  if (!is_new) return place->second;
  try {
    Server& server = session_.server();
    const Rows rows = kind == 'd'   ? server.databases()
                      : kind == 't' ? server.tables(of)
                      : kind == 'i' ? server.indexes(session_.table(of))
                                    : server.describe(session_.table(of));
    for (const Row& row : rows.rows) {
      const std::string name = row.at(0).value_or("");
      if (!name.empty() && shown(name) == name) place->second.push_back(name);
    }
  } catch (const std::exception&) {  // no names; the command will say why
  }
  return place->second;
}

// Databases with a dot behind them; tables of the default database; behind a dot its tables.
std::vector<std::string> Completion::places(const std::string& word) {
  std::vector<std::string> result;
  if (const std::string database = database_in(word); !database.empty()) {
    for (const std::string& table : names('t', database))
      result.push_back(text_of({database, table}));
    return result;
  }
  for (const std::string& database : names('d', ""))
    result.push_back(text_of({"", database}) + ".");
  const auto own = session_.settings().options.find("database");
  if (own == session_.settings().options.end()) return result;
  for (const std::string& table : names('t', own->second)) result.push_back(text_of({"", table}));
  return result;
}

// What may stand at the beginning.
std::vector<std::string> Completion::first_words(const std::string& word) const {
  if (in_shell_ && !word.empty() && word.front() == '-') {
    CLI::App app;
    std::vector<std::string> result = names_in(app, in_shell_);
    result.emplace_back("--version");
    return result;
  }
  std::vector<std::string> result;
  for (const CommandEntry& entry : commands()) result.emplace_back(entry.name);
  if (in_shell_) {
    result.emplace_back("bench");
  } else {
    for (const char* own : {"\\format", "\\use", "\\watch", "\\q", "\\?"}) result.emplace_back(own);
  }
  return result;
}

std::vector<std::string> Completion::candidates(const std::vector<std::string>& words,
                                                const std::string& word) {
  if (words.empty()) return first_words(word);
  std::vector<std::string> result;
  if (!in_shell_ && words[0] == "\\use") return names('d', "");
  if (!in_shell_ && words[0] == "\\format")
    return {std::begin(format_names), std::end(format_names)};
  const CommandEntry* entry = find_command(words[0]);
  if (entry == nullptr) return {};
  if (!word.empty() && word.front() == '-') {
    Declared declared(*entry);
    return names_in(declared.app, in_shell_);
  }
  const std::string& last = words.back();
  if (is_one_of(last, {"-f", "--format"}))
    return {std::begin(format_names), std::end(format_names)};
  if (!takes_a_place(*entry)) return {};
  if (words.size() == 1) return places(word);
  if (is_one_of(last, {"-i", "--index"})) return names('i', words[1]);
  const bool sets = is_one_of(words[0], {"insert", "upsert", "replace", "update", "incr", "decr"});
  const bool compares =
      is_one_of(last, {"-c", "--columns", "-w", "--where", "--while", "--null", "--in-column"});
  for (const std::string& column : names('c', words[1])) {
    if (sets || compares) result.push_back(column + (compares ? "" : "="));
  }
  return result;
}

std::vector<std::string> Completion::of(const std::vector<std::string>& words,
                                        const std::string& word) {
  // In a list with commas, the last name.
  const size_t comma = words.empty() ? std::string::npos : word.rfind(',');
  const std::string head = comma == std::string::npos ? "" : word.substr(0, comma + 1);
  std::vector<std::string> result;
  for (const std::string& name : candidates(words, word.substr(head.size()))) {
    if (name.rfind(word.substr(head.size()), 0) == 0) result.push_back(head + name);
  }
  std::sort(result.begin(), result.end());
  result.erase(std::unique(result.begin(), result.end()), result.end());
  return result;
}

}  // namespace hs::tool
