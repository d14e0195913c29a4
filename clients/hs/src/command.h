// A command of hs: its options, and what it does with them.
#ifndef HS_CLIENTS_HS_COMMAND_H_
#define HS_CLIENTS_HS_COMMAND_H_

#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "session.h"
#include "status.h"

namespace hs::tool {

class Command {
 public:
  virtual ~Command() = default;
  // Declares its options, which live as long as the command.
  virtual void declare(CLI::App& app) = 0;
  virtual Status run(Session& session, const Common& common) = 0;
};

struct CommandEntry {
  const char* name;
  const char* summary;
  std::unique_ptr<Command> (*make)();
};

// In the order in which they are shown.
const std::vector<CommandEntry>& commands();
const CommandEntry* find_command(std::string_view name);

// The options that every command takes, and those that lead to the server.
void declare_output(CLI::App& app, Common& common);
void declare_connection(CLI::App& app, Common& common);

// Runs a command by its words, the first of which is its name. Without a session it makes one, and its
// options may also lead to the server. Throws as the session does, and CLI::ParseError.
Status run_command(Session* session, Common common, const std::vector<std::string>& words);

// CLI11 has a meaning of its own for some words: [a,b], {}, empty ones, and those that begin with a
// minus. Words that are values pass it by with a mark.
std::vector<std::string> marked(const std::vector<std::string>& words);

// The words that an option has got, without marks.
std::vector<std::string> texts(const CLI::Option* option);
// The last of them, or nothing.
std::string text(const CLI::Option* option);

// An option that may stand several times, each time with one value.
CLI::Option* add_list(CLI::App& app, const std::string& name, const std::string& help);
// Any number of words that are no options.
CLI::Option* add_words(CLI::App& app, const std::string& name, const std::string& help);

}  // namespace hs::tool

#endif  // HS_CLIENTS_HS_COMMAND_H_
