// hs, the command line of HandlerSocket 2: see docs/hs.md.
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <clocale>
#include <cstdlib>
#include <iostream>

#include "bench.h"
#include "command.h"
#include "completion.h"
#include "prompt.h"
#include "screen.h"

namespace hs::tool {
namespace {

std::string overview() {
  std::string text = "Commands:\n";
  for (const CommandEntry& entry : commands()) {
    text += fmt::format("  {:<12}{}\n", entry.name, entry.summary);
  }
  text += fmt::format("  {:<12}{}\n", "bench", "Puts load on a server, and measures");
  return text + "\nhs alone is a prompt. hs COMMAND --help tells more. All of it: man hs.";
}

// Takes the options in front of the command, and returns the command with its words.
std::vector<std::string> without_options(const std::vector<std::string>& words, Common& common) {
  CLI::App app("Reads and writes rows of MariaDB tables by their keys, over HandlerSocket 2.",
               "hs");
  declare_connection(app, common);
  declare_output(app, common);
  app.set_version_flag("-V,--version", "hs " HS_TOOL_VERSION);
  app.footer(overview());
  app.prefix_command();
  try {
    app.parse(std::vector<std::string>(words.rbegin(), words.rend()));
  } catch (const CLI::CallForHelp&) {
    Session::write(app.help());
    std::exit(done);
  } catch (const CLI::CallForVersion& version) {
    Session::write(std::string(version.what()) + "\n");
    std::exit(done);
  } catch (const CLI::ParseError& error) {
    throw UsageError(fmt::format("{}; see hs --help", error.what()));
  }
  return app.remaining();
}

// Whether a shell takes it for a part of a word, and nothing else.
bool is_plain(const std::string& name) {
  constexpr std::string_view marks = "._,=@%+:/-";
  return std::all_of(name.begin(), name.end(), [&](const char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte >= 0x80 || std::isalnum(byte) != 0 || marks.find(c) != std::string_view::npos;
  });
}

// For the completion of shells: `hs complete -- WORD WORDS` prints what the word may become behind the words.
Status complete(const std::vector<std::string>& words) {
  if (words.size() < 2) return wrong_use;
  Common common;
  const auto before = without_options({words.begin() + 2, words.end()}, common);
  Session session(common);
  for (const std::string& name : Completion(session, true).of(before, words[1])) {
    if (is_plain(name)) Session::write(name + "\n");
  }
  return done;
}

// The first socket would else be the standard output where that is closed, and rows would go to the
// server as requests. What stands there instead fails when it is used, as a closed one does.
void hold_standard_descriptors() {
  for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(descriptor, F_GETFD) >= 0) continue;
    (void)::open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY);
  }
}

Status run(int argc, char** argv) {
  Common common;
  const auto rest = without_options({argv + 1, argv + argc}, common);
  if (!rest.empty()) {
    if (rest.front() == "bench")
      throw UsageError("the options of bench stand behind it: hs bench --help");
    if (rest.front() == "complete") return complete({rest.begin() + 1, rest.end()});
    return run_command(nullptr, common, rest);
  }
  Session session(common);
  return run_prompt(session, common);
}

}  // namespace
}  // namespace hs::tool

int main(int argc, char** argv) {
  hs::tool::hold_standard_descriptors();
#ifdef HS_SQL_CLIENT_PLUGINS
  ::setenv("MARIADB_PLUGIN_DIR", HS_SQL_CLIENT_PLUGINS, 0);  // the client library in this program
#endif
  if (argc > 1 && std::string_view(argv[1]) == "bench") return hs::bench::bench(argc - 1, argv + 1);
  if (std::setlocale(LC_CTYPE, "") == nullptr || MB_CUR_MAX == 1) {
    std::setlocale(LC_CTYPE, "C.UTF-8");  // what the server sends is UTF-8
  }
  try {
    return hs::tool::run(argc, argv);
  } catch (...) {
    const hs::tool::Failure failure = hs::tool::current_failure();
    const bool colour = hs::tool::wants_colour(2);
    std::cerr << hs::tool::styled("hs:", hs::tool::Style::red, colour) << " "
              << hs::tool::shown(failure.text) << "\n";
    return failure.status;
  }
}
