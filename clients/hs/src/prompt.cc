#include "prompt.h"

#include <editline/readline.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <iostream>
#include <optional>

#include "completion.h"
#include "interrupt.h"
#include "records.h"
#include "screen.h"
#include "words.h"

namespace hs::tool {
namespace {

constexpr int most_history = 2000;
Completion* completion = nullptr;  // of the prompt that runs, for the library's callback

const char* const help =
    "A line is a command with its words, as behind hs in a shell; 'COMMAND --help' tells of its "
    "options.\n"
    "\n"
    "  LINE \\watch [S [N]]   run it again every S seconds [2], N times or until Ctrl-C\n"
    "  \\use DATABASE         the database of tables that are named without one\n"
    "  \\format FORMAT        table, json, jsonl, csv, tsv or vertical\n"
    "  \\q                    end; so does Ctrl-D\n"
    "\n"
    "Commands:\n";

std::string overview() {
  std::string text = help;
  for (const CommandEntry& entry : commands())
    text += fmt::format("  {:<12}{}\n", entry.name, entry.summary);
  return text;
}

char** complete(const char* word, int start, int) {
  rl_attempted_completion_over = 1;  // no names of files
  std::vector<std::string> found;
  try {
    found = completion->of(words_of({rl_line_buffer, static_cast<size_t>(start)}), word);
  } catch (const UsageError&) {  // inside of quotes
  }
  if (found.empty()) return nullptr;
  // The library wants the longest common beginning, then all, and frees them.
  std::string common = found.front();
  for (const std::string& name : found) {
    const auto [end, other] = std::mismatch(common.begin(), common.end(), name.begin(), name.end());
    common.erase(end, common.end());
  }
  const bool one = found.size() == 1;
  rl_completion_append_character =
      one && (common.back() == '.' || common.back() == '=') ? '\0' : ' ';
  auto** matches = static_cast<char**>(std::calloc(found.size() + 2, sizeof(char*)));
  if (matches == nullptr) return nullptr;
  matches[0] = ::strdup(common.c_str());
  for (size_t i = 0; i < found.size() && !one; i++) matches[i + 1] = ::strdup(found[i].c_str());
  return matches;
}

// Lines from a terminal, with history; only the owner can read its file.
class Terminal {
 public:
  explicit Terminal(Session& session) : completion_(session, false) {
    completion = &completion_;
    const char* home = std::getenv("HOME");
    const char* named = std::getenv("HS_HISTFILE");
    history_ = named != nullptr ? named : home != nullptr ? std::string(home) + "/.hs_history" : "";
    static char name[] = "hs";
    rl_readline_name = name;
    rl_initialize();
    using_history();
    stifle_history(most_history);
    if (!history_.empty()) (void)read_history(history_.c_str());
    static char breaks[] = " \t";
    rl_completer_word_break_characters = breaks;
    rl_basic_word_break_characters = breaks;
    rl_attempted_completion_function = complete;
    catch_interrupts();
  }
  ~Terminal() {
    completion = nullptr;
    if (history_.empty()) return;
    const mode_t before = ::umask(0077);
    (void)write_history(history_.c_str());
    (void)::umask(before);
  }
  Terminal(const Terminal&) = delete;
  Terminal& operator=(const Terminal&) = delete;

  std::optional<std::string> next() {
    completion_.forget();
    for (;;) {
      forget_interrupt();
      char* line = readline(wants_colour(STDOUT_FILENO) ? "\1\x1b[1;36m\1hs>\1\x1b[0m\1 " : "hs> ");
      if (line == nullptr && !is_interrupted()) return std::nullopt;
      if (line == nullptr) {
        std::cout << "\n";
        continue;
      }
      std::string text = line;
      std::free(line);
      if (!text.empty()) (void)add_history(text.c_str());
      return text;
    }
  }

 private:
  Completion completion_;
  std::string history_;
};

void tell(const Failure& failure) {
  std::cerr << styled("hs:", Style::red, wants_colour(STDERR_FILENO)) << " " << shown(failure.text)
            << "\n";
}

double number(const std::string& word, double most) {
  double value = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error != std::errc() || end != word.data() + word.size() || !(value >= 0 && value <= most)) {
    throw UsageError(fmt::format("{} is no number from 0 to {}", word, most));
  }
  return value;
}

class Prompt {
 public:
  Prompt(Session& session, Common common) : session_(session), common_(std::move(common)) {}

  // Whether there is more to do.
  bool run(const std::string& line) {
    status = done;
    try {
      std::vector<std::string> words = words_of(line);
      if (words.empty() || words[0].rfind('#', 0) == 0) return true;
      if (words[0] == "\\q" || words[0] == "quit" || words[0] == "exit") return false;
      const Interruptible running;
      status = run(std::move(words));
    } catch (...) {
      const Failure failure = current_failure();
      tell(failure);
      status = failure.status;
    }
    return true;
  }

  Status status = done;  // of the last line

 private:
  Status run(std::vector<std::string> words) {
    if (words[0] == "\\?" || words[0] == "help") {
      Session::write(overview());
      return done;
    }
    if (words[0] == "\\use" || words[0] == "use") {
      if (words.size() != 2) throw UsageError("\\use DATABASE");
      session_.use(words[1]);
      return done;
    }
    if (words[0] == "\\format") {
      if (words.size() != 2 || !format_of(words[1]))
        throw UsageError("\\format table, json, jsonl, csv, tsv or vertical");
      common_.format = words[1];
      return done;
    }
    const auto mark = std::find(words.begin(), words.end(), "\\watch");
    if (mark == words.end()) return run_command(&session_, common_, last_ = words);
    const std::vector<std::string> how(mark + 1, words.end());
    words.erase(mark, words.end());
    return watch(words.empty() ? last_ : words, how);
  }

  Status watch(const std::vector<std::string>& words, const std::vector<std::string>& how) {
    if (words.empty() || how.size() > 2) throw UsageError("COMMAND \\watch [SECONDS [TIMES]]");
    const double seconds = how.empty() ? 2 : number(how[0], 86400);
    last_ = words;
    const double times = how.size() < 2 ? 0 : number(how[1], 1e9);
    if (times != std::floor(times))
      throw UsageError(fmt::format("{} is no number of times", how[1]));
    const bool clears = ::isatty(STDOUT_FILENO) == 1;
    Status result = done;
    for (double turn = 1; !is_interrupted(); turn++) {
      if (clears)
        Session::write(fmt::format("\x1b[H\x1b[2JEvery {} s; Ctrl-C ends it\n\n", seconds));
      result = run_command(&session_, common_, words);
      if (turn == times) break;
      pause(seconds);
    }
    return result;
  }

  Session& session_;
  Common common_;
  std::vector<std::string> last_;
};

}  // namespace

Status run_prompt(Session& session, Common common) {
  Prompt prompt(session, std::move(common));
  if (::isatty(STDIN_FILENO) != 1) {
    session.keep_input();
    Records lines("-", Format::tsv);
    for (std::string line; lines.next_line(line) && prompt.run(line);) {
      if (prompt.status > nothing) return prompt.status;
    }
    return prompt.status;
  }
  std::cout << "hs: \\? helps, \\q ends, TAB completes\n";
  Terminal terminal(session);
  while (const auto line = terminal.next()) {
    if (!prompt.run(*line)) break;
  }
  return done;
}

}  // namespace hs::tool
