#include "option_file.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string_view>

#include "rows.h"
#include "screen.h"

namespace hs::tool {
namespace {

constexpr int most_includes = 10;  // as deep as the server's programs go

constexpr std::string_view blanks = " \t\r\n\f\v";

std::string_view trimmed(std::string_view text) {
  const size_t first = text.find_first_not_of(blanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

// A comment ends a line, but not inside of quotes.
std::string_view without_comment(std::string_view text) {
  char quote = 0;
  for (size_t i = 0; i < text.size(); i++) {
    const char c = text[i];
    if (quote == 0 && c == '#') return trimmed(text.substr(0, i));
    if (quote != 0 && c == '\\') {
      i++;
    } else if (quote == 0 && (c == '"' || c == '\'')) {
      quote = c;
    } else if (c == quote) {
      quote = 0;
    }
  }
  return text;
}

std::string value_of(std::string_view text) {
  const bool quoted = text.size() > 1 && (text.front() == '"' || text.front() == '\'') &&
                      text.back() == text.front();
  if (quoted) text = text.substr(1, text.size() - 2);
  constexpr std::string_view letters = "btnrs\\\"'", bytes = "\b\t\n\r \\\"'";
  std::string value;
  for (size_t i = 0; i < text.size(); i++) {
    const size_t known =
        text[i] == '\\' && i + 1 < text.size() ? letters.find(text[i + 1]) : std::string_view::npos;
    if (known != std::string_view::npos) i++;
    value += known != std::string_view::npos ? bytes[known] : text[i];
  }
  return value;
}

class Reader {
 public:
  explicit Reader(Rules rules) : rules_(rules) {}
  void read(const std::string& path, bool must_exist, int depth) {
    struct stat status = {};
    const bool is_there = ::stat(path.c_str(), &status) == 0;
    if (is_server() && is_there && S_ISREG(status.st_mode) && (status.st_mode & S_IWOTH) != 0) {
      fmt::print(stderr, "hs: {} is left out: everyone may write it\n", shown(path));
      return;
    }
    std::ifstream file(path, std::ios::binary);
    if (!file && !must_exist && (is_server() || errno == ENOENT)) return;
    if (!file) throw FileError(path + ": " + std::strerror(errno));
    if (S_ISDIR(status.st_mode) && is_server() && !must_exist) return;
    if (S_ISDIR(status.st_mode)) throw FileError(path + ": " + std::strerror(EISDIR));
    std::string line, group;
    for (int number = 1; std::getline(file, line); number++) {
      const std::string_view text = trimmed(line);
      const std::string place = fmt::format("{}, line {}", path, number);
      if (text.empty() || text.front() == '#' || text.front() == ';') continue;
      if (text.front() == '!' && is_server()) {
        include(text, place, depth);
      } else if (text.front() == '[') {
        group = group_in(text, place);
      } else if (group.empty()) {
        throw UsageError(place + ": a line stands before the first group");
      } else {
        add(group, is_server() ? without_comment(text) : text, place);
      }
    }
  }
  std::vector<FileOption> options;

 private:
  bool is_server() const { return rules_ == Rules::server; }

  // The server's programs take what stands behind the ] for a comment, and the clients do not.
  std::string group_in(std::string_view text, const std::string& place) const {
    const size_t end = is_server() ? text.find(']') : text.size() - 1;
    if (end == std::string_view::npos || text[end] != ']') {
      throw UsageError(place + ": the group has no end");
    }
    std::string_view group = text.substr(1, end - 1);
    if (is_server()) group.remove_suffix(group.size() - (group.find_last_not_of(blanks) + 1));
    return std::string(group);
  }

  void add(const std::string& group, std::string_view text, const std::string& place) {
    const size_t equals = text.find('=');
    std::string name(trimmed(text.substr(0, equals)));
    if (is_server()) std::replace(name.begin(), name.end(), '-', '_');
    if (group == "hs" && equals == std::string_view::npos)
      throw UsageError(fmt::format("{}: option {} has no value", place, name));
    const auto is_same = [&](const FileOption& one) {
      return one.group == group && one.name == name;
    };
    if (!is_server() && std::any_of(options.begin(), options.end(), is_same))
      throw UsageError(fmt::format("{}: option {} is given twice", place, name));
    const auto value = equals == std::string_view::npos ? "" : trimmed(text.substr(equals + 1));
    options.push_back({group, name, is_server() ? value_of(value) : std::string(value), place});
  }

  void include(std::string_view text, const std::string& place, int depth) {
    text = trimmed(text.substr(1));
    if (depth >= most_includes) throw UsageError(place + ": too many files include each other");
    const size_t blank = text.find_first_of(" \t");
    const std::string_view word = text.substr(0, blank);
    const std::string path(blank == std::string_view::npos ? std::string_view()
                                                           : trimmed(text.substr(blank)));
    if (path.empty() && (word == "include" || word == "includedir")) {
      throw UsageError(fmt::format("{}: !{} names nothing", place, word));
    }
    if (word == "include") {
      read(path, false, depth + 1);
    } else if (word == "includedir") {
      read_folder(path, depth);
    } else {
      throw UsageError(fmt::format("{}: !{} is unknown", place, word));
    }
  }

  void read_folder(const std::string& path, int depth) {
    std::vector<std::string> files;
    std::error_code error;
    for (const auto& entry : std::filesystem::directory_iterator(path, error)) {
      if (entry.path().extension() == ".cnf") files.push_back(entry.path());
    }
    if (error) throw FileError(path + ": " + error.message());
    std::sort(files.begin(), files.end());
    for (const std::string& file : files) read(file, false, depth + 1);
  }

  Rules rules_;
};

}  // namespace

std::vector<FileOption> read_option_file(const std::string& path, Rules rules, bool must_exist) {
  Reader reader(rules);
  reader.read(path, must_exist, 0);
  return std::move(reader.options);
}

}  // namespace hs::tool
