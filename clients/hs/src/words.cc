#include "words.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "tsv.h"

namespace hs::tool {
namespace {

constexpr std::string_view blanks = " \t";
constexpr std::array<std::string_view, 6> comparisons = {"!=", ">=", "<=", "=", ">", "<"};
constexpr std::string_view operator_signs = "<>=!";

// The name of a column with which the text begins; the rest is what stands behind it.
std::string column_name(std::string_view& text) {
  std::string name;
  if (text.empty() || text.front() != '`') {
    const size_t end = std::min(text.find_first_of(" \t=!<>"), text.size());
    name = text.substr(0, end);
    text.remove_prefix(end);
    return name;
  }
  for (size_t i = 1; i < text.size(); i++) {
    if (text[i] != '`') {
      name += text[i];
    } else if (i + 1 < text.size() && text[i + 1] == '`') {
      name += text[i++];
    } else {
      text.remove_prefix(i + 1);
      return name;
    }
  }
  return "";
}

std::string_view without_blanks(std::string_view text) {
  return text.substr(std::min(text.find_first_not_of(blanks), text.size()));
}

}  // namespace

Cell value_of(std::string_view word, bool escapes) {
  if (word == "\\N") return std::nullopt;
  if (!escapes) return std::string(word);
  try {
    return unescaped(word);
  } catch (const BadRecord& error) {
    throw UsageError(fmt::format("{}: {}", word, error.what()));
  }
}

std::optional<Field> field_of(std::string_view word, bool escapes) {
  std::string_view rest = word;
  const std::string name = column_name(rest);
  if (name.empty() || rest.empty() || rest.front() != '=') return std::nullopt;
  return Field{name, value_of(rest.substr(1), escapes)};
}

Filter filter_of(std::string_view text, bool ends, bool escapes) {
  std::string_view rest = without_blanks(text);
  const std::string name = column_name(rest);
  rest = without_blanks(rest);
  const std::string op(rest.substr(0, rest.find_first_not_of(operator_signs)));
  if (name.empty() || op.empty())
    throw UsageError(fmt::format("\"{}\" is no condition such as \"COLUMN != VALUE\"", text));
  // Taken for = and a value, "a == 5" and "a =< 5" would find nothing, and "a <> 5" the wrong rows.
  if (std::find(comparisons.begin(), comparisons.end(), op) == comparisons.end())
    throw UsageError(
        fmt::format("\"{}\": {} is no operator of a condition, which are = != > >= < <=. A value "
                    "that begins so has a blank in front",
                    text, op));
  return {name, op, value_of(without_blanks(rest.substr(op.size())), escapes), ends};
}

bool is_operator(std::string_view word) {
  constexpr std::array<std::string_view, 6> all = {"=", "=<", ">", ">=", "<", "<="};
  return std::find(all.begin(), all.end(), word) != all.end();
}

bool is_like_operator(std::string_view word) {
  return !word.empty() && word.find_first_not_of(operator_signs) == std::string_view::npos;
}

std::vector<std::string> words_of(std::string_view line) {
  std::vector<std::string> words;
  bool within = false;
  char quote = 0;
  for (size_t i = 0; i < line.size(); i++) {
    const char c = line[i];
    const bool blank = c == ' ' || c == '\t' || c == '\n' || c == '\r';
    if (quote == 0 && blank) {
      within = false;
      continue;
    }
    if (!within) words.emplace_back();
    within = true;
    const char next = i + 1 < line.size() ? line[i + 1] : '\0';
    if (quote == 0 && (c == '"' || c == '\'')) {
      quote = c;
    } else if (c == quote) {
      quote = 0;
    } else if (c == '\\' && quote != '\'' &&
               (next == '"' || next == '\\' || (quote == 0 && next == ' '))) {
      words.back() += line[++i];
    } else {
      words.back() += c;
    }
  }
  if (quote != 0) throw UsageError("a quote is not closed");
  return words;
}

}  // namespace hs::tool
