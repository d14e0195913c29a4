#include "command.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "commands.h"

namespace hs::tool {
namespace {

constexpr char mark = '\x01';

struct ConnectionOption {
  const char *flags, *name, *help;
};
constexpr std::array connection_options = {
    ConnectionOption{"--url", "url",
                     "hs://user@host:9998/database?write_port=9999, or hs+unix://..."},
    ConnectionOption{"-H,--host", "host", "The server's host [127.0.0.1]"},
    ConnectionOption{"-P,--port", "port", "The read port [9998]"},
    ConnectionOption{"--write-port", "write_port", "The write port [9999]"},
    ConnectionOption{"-S,--socket", "socket", "A Unix socket in the place of host and port"},
    ConnectionOption{"--write-socket", "write_socket", "The Unix socket for changes"},
    ConnectionOption{"-D,--database", "database",
                     "The database of tables that are named without one"},
    ConnectionOption{"-u,--user", "user", "The account; its password: HS_PASSWORD, a file, or -p"},
    ConnectionOption{"--tls", "tls", "off, require, or verify [off]"},
    ConnectionOption{"--tls-ca", "tls_ca", "Certificates to verify the server's with"},
    ConnectionOption{"--tls-cert", "tls_cert", "A certificate of one's own"},
    ConnectionOption{"--tls-key", "tls_key", "Its key"},
    ConnectionOption{"--tls-name", "tls_name",
                     "The name that the certificate must have [the host]"},
    ConnectionOption{"--connect-timeout", "connect_timeout", "Seconds [5]"},
    ConnectionOption{"--timeout", "timeout", "Seconds for a request; 0: none [30]"},
};

bool is_marked(const std::string& word) {
  if (word.empty() || word.front() == '[' || word.front() == '{' || word.front() == mark)
    return true;
  return word.size() > 1 && word.front() == '-' &&
         ((word[1] >= '0' && word[1] <= '9') || word[1] == '.');
}

std::string without_mark(std::string word) {
  if (!word.empty() && word.front() == mark) word.erase(0, 1);
  return word;
}

// What CLI11 says of words.
std::string without_marks(std::string text) {
  text.erase(std::remove(text.begin(), text.end(), mark), text.end());
  return text;
}

}  // namespace

std::vector<std::string> marked(const std::vector<std::string>& words) {
  std::vector<std::string> result;
  bool only_values = false;
  for (const std::string& word : words) {
    const size_t equals = word.find('=');
    const bool has_value = !only_values && word.rfind("--", 0) == 0 && equals != std::string::npos;
    if (has_value && is_marked(word.substr(equals + 1))) {
      result.push_back(word.substr(0, equals));
      result.push_back(mark + word.substr(equals + 1));
    } else {
      result.push_back(is_marked(word) ? mark + word : word);
    }
    only_values = only_values || word == "--";
  }
  return result;
}

std::vector<std::string> texts(const CLI::Option* option) {
  std::vector<std::string> result = option->results();
  for (std::string& word : result) word = without_mark(std::move(word));
  return result;
}

std::string text(const CLI::Option* option) {
  const auto all = texts(option);
  return all.empty() ? "" : all.back();
}

CLI::Option* add_list(CLI::App& app, const std::string& name, const std::string& help) {
  return app.add_option(name, help)
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
}

CLI::Option* add_words(CLI::App& app, const std::string& name, const std::string& help) {
  return add_list(app, name, help)->expected(0, -1)->allow_extra_args();
}

const CommandEntry* find_command(std::string_view name) {
  for (const CommandEntry& entry : commands()) {
    if (name == entry.name) return &entry;
  }
  return nullptr;
}

void declare_connection(CLI::App& app, Common& common) {
  for (const ConnectionOption& option : connection_options) {
    app.add_option_function<std::string>(
           option.flags,
           [&common, name = option.name](const std::string& value) {
             common.options[name] = without_mark(value);
           },
           option.help)
        ->type_name("TEXT")
        ->group("Connection");
  }
  app.add_flag("-p,--ask-password", common.ask_password, "Ask for the password")
      ->group("Connection");
  const auto add_files_option = [&](const char* flag, std::string& place, const char* help) {
    app.add_option_function<std::string>(
           flag, [&place](const std::string& value) { place = without_mark(value); }, help)
        ->group("Connection");
  };
  add_files_option("--defaults-file", common.files.defaults_file, "Read this option file alone");
  add_files_option("--defaults-extra-file", common.files.extra_file,
                   "Read this option file, too, before ~/.my.cnf");
  add_files_option("--defaults-group-suffix", common.files.group_suffix,
                   "Read the groups [client] and [hs] with this behind their names, too");
  app.add_flag("--no-defaults", common.files.no_defaults, "Read no option file")
      ->group("Connection");
}

void declare_output(CLI::App& app, Common& common) {
  const std::vector<std::string> names(std::begin(format_names), std::end(format_names));
  app.add_option("-f,--format", common.format,
                 "table, json, jsonl, csv, tsv or vertical [table on a terminal, else tsv]")
      ->type_name("FORMAT")
      ->check(CLI::IsMember(names).description(""))
      ->group("Output");
  app.add_flag("-N,--no-header", common.no_header, "Do not write the names of columns")
      ->group("Output");
  app.add_flag("-e,--escapes", common.escapes,
               "In values \\t \\n \\r \\0 \\\\ and \\xNN stand for bytes (\\N is NULL anyway)")
      ->group("Values");
}

Status run_command(Session* session, Common common, const std::vector<std::string>& words) {
  const CommandEntry* entry = words.empty() ? nullptr : find_command(words.front());
  if (entry == nullptr) {
    throw UsageError(fmt::format("{} is no command; see hs --help", words.empty() ? "" : words[0]));
  }
  CLI::App app(entry->summary, std::string("hs ") + entry->name);
  const auto command = entry->make();
  command->declare(app);
  declare_output(app, common);
  if (session == nullptr) declare_connection(app, common);
  std::vector<std::string> arguments = marked({words.begin() + 1, words.end()});
  std::reverse(arguments.begin(), arguments.end());  // as CLI11 wants them
  try {
    app.parse(std::move(arguments));
  } catch (const CLI::CallForHelp&) {
    Session::write(app.help());
    return done;
  } catch (const CLI::ParseError& error) {
    throw UsageError(fmt::format("{}; see hs {} --help", without_marks(error.what()), entry->name));
  }
  if (session != nullptr) return command->run(*session, common);
  Session own(common);
  return command->run(own, common);
}

}  // namespace hs::tool
