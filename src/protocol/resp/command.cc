#include "protocol/resp/command.h"

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstdlib>

#include "protocol/resp/framing.h"

namespace hs::protocol::resp {
namespace {

constexpr Subcommand kHelp = {"help", 2, "Print this help."};

char small(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

// A set of characters behind `[`. Takes it off the pattern, up to the bracket's end.
bool is_in_set(char c, std::string_view& pattern) {
  pattern.remove_prefix(1);
  const bool inverted = pattern.starts_with('^');
  if (inverted) pattern.remove_prefix(1);
  bool found = false;
  while (!pattern.empty() && pattern.front() != ']') {
    if (pattern.front() == '\\' && pattern.size() > 1) {
      pattern.remove_prefix(1);
      found |= pattern.front() == c;
    } else if (pattern.size() >= 3 && pattern[1] == '-') {
      const auto [low, high] = std::minmax(pattern[0], pattern[2]);
      found |= c >= low && c <= high;
      pattern.remove_prefix(2);
    } else {
      found |= pattern.front() == c;
    }
    pattern.remove_prefix(1);
  }
  if (!pattern.empty()) pattern.remove_prefix(1);
  return found != inverted;
}

}  // namespace

bool takes(int arity, size_t arguments) {
  return arity >= 0 ? arguments == static_cast<size_t>(arity)
                    : arguments >= static_cast<size_t>(-arity);
}

std::string upper(std::string_view text) {
  std::string made(text);
  for (char& c : made) {
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  }
  return made;
}

std::string lower(std::string_view text) {
  std::string made(text);
  for (char& c : made) c = small(c);
  return made;
}

bool parse_cursor(std::string_view text, uint64_t* cursor) {
  const std::string copy(text);
  char* end = nullptr;
  errno = 0;
  *cursor = std::strtoul(copy.c_str(), &end, 10);
  return std::isspace(static_cast<unsigned char>(copy.c_str()[0])) == 0 && *end == '\0' &&
         errno != ERANGE;
}

// Without recursion: a star that fails is tried again one byte further, and the last one is enough.
bool is_like(std::string_view text, std::string_view pattern) {
  std::string_view star_pattern;
  std::string_view star_text;
  bool has_star = false;
  while (!text.empty() || !pattern.empty()) {
    if (pattern.starts_with('*')) {
      pattern.remove_prefix(1);
      star_pattern = pattern;
      star_text = text;
      has_star = true;
      continue;
    }
    bool fits = false;
    if (!text.empty() && !pattern.empty()) {
      std::string_view rest = pattern;
      if (rest.front() == '[') {
        fits = is_in_set(text.front(), rest);
      } else {
        if (rest.front() == '\\' && rest.size() > 1) rest.remove_prefix(1);
        fits = (pattern.front() == '?') || rest.front() == text.front();
        rest.remove_prefix(1);
      }
      if (fits) {
        pattern = rest;
        text.remove_prefix(1);
      }
    }
    if (fits) continue;
    if (!has_star || star_text.empty()) return false;
    star_text.remove_prefix(1);
    text = star_text;
    pattern = star_pattern;
  }
  return true;
}

void write_value(std::span<const Value> values, char separator, Encoder& out) {
  if (values.size() == 1) {
    return values.front().is_null() ? out.null() : out.bulk(values.front().text());
  }
  out.begin_bulk(size_of_value(values));
  for (size_t i = 0; i < values.size(); ++i) {
    if (i != 0) out.append({&separator, 1});
    out.append(values[i].text());
  }
  out.end_bulk();
}

size_t size_of_value(std::span<const Value> values) {
  size_t size = values.empty() ? 0 : values.size() - 1;
  for (const Value& value : values) size += value.size;
  return size;
}

std::string join_value(std::span<const Value> values, char separator) {
  std::string joined;
  joined.reserve(size_of_value(values));
  for (size_t i = 0; i < values.size(); ++i) {
    if (i != 0) joined += separator;
    joined += values[i].text();
  }
  return joined;
}

void RespCommand::begin(std::span<const mapping::Mapping* const> tables, const Facts& facts) {
  tables_ = tables;
  facts_ = facts;
  failure_.reset();
  targets_.clear();
  has_begun_again_ = false;
  if (is_malformed_) return;
  refusal_.clear();
  prepare();
}

std::optional<ErrorCode> RespCommand::finish(const Error* failed) {
  if (failed != nullptr) failure_ = *failed;
  if (failure_) {
    out_->truncate(start_);
    out_->error(failure_text());
    return failure_->code;
  }
  if (is_refused()) {
    out_->truncate(start_);
    out_->error(refusal_);
    return ErrorCode::kCommand;
  }
  help_.empty() ? reply() : write_help();
  // What the rows said may have been a refusal, too.
  if (!is_refused()) return std::nullopt;
  out_->truncate(start_);
  out_->error(refusal_);
  return ErrorCode::kNumber;
}

bool RespCommand::is_word(size_t at, std::string_view word) const {
  const std::string_view text = arguments_[at];
  return text.size() == word.size() &&
         std::equal(text.begin(), text.end(), word.begin(),
                    [](char a, char b) { return small(a) == small(b); });
}

bool RespCommand::take_integer(size_t at, int64_t* number) {
  if (parse_integer(argument(at), number)) return true;
  refuse(kNotAnInteger);
  return false;
}

bool RespCommand::take_subcommand(std::span<const Subcommand> known) {
  const auto one = std::ranges::find_if(
      known, [this](const Subcommand& subcommand) { return is_word(1, subcommand.name); });
  const bool is_help = is_word(1, kHelp.name);
  is_no_command_ = true;
  if (one == known.end() && !is_help) {
    constexpr size_t kMost = 128;
    refuse("ERR unknown subcommand '" + std::string(argument(1).substr(0, kMost)) + "'. Try " +
           upper(argument(0)) + " HELP.");
    return false;
  }
  const Subcommand& found = is_help ? kHelp : *one;
  if (!found.is_served) {
    refuse("ERR " + upper(argument(0)) + ' ' + upper(found.name) +
           " is not served: " + std::string(found.text));
    return false;
  }
  if (!takes(found.arity, count_of_arguments())) {
    refuse("ERR wrong number of arguments for '" + lower(argument(0)) + '|' +
           std::string(found.name) + "' command");
    return false;
  }
  is_no_command_ = false;
  if (is_help) help_ = known;
  return !is_help;
}

void RespCommand::write_help() {
  const auto served = [](const Subcommand& one) { return one.is_served; };
  const auto shown = static_cast<size_t>(std::ranges::count_if(help_, served));
  out_->array(3 + 2 * shown);
  out_->simple(upper(argument(0)) + " <subcommand> [<arg> [value] [opt] ...]. Subcommands are:");
  const auto write = [this](const Subcommand& one) {
    out_->simple(upper(one.name));
    out_->simple("    " + std::string(one.text));
  };
  for (const Subcommand& one : help_) {
    if (one.is_served) write(one);
  }
  write(kHelp);
}

bool RespCommand::locate(size_t key) {
  const mapping::Mapping* const table = tables_[key];
  if (table == nullptr) return false;
  const std::string_view text = keys_[key];
  return mapping::split_key(*table, text.substr(std::min(text.size(), table->prefix.size())),
                            &parts_);
}

std::optional<uint16_t> OneKeyCommand::field(std::string_view name) const {
  const std::optional<uint16_t> column = table().find(name);
  return column && !table().columns[*column].is_hidden ? column : std::nullopt;
}

std::optional<uint16_t> OneKeyCommand::settable_field(std::string_view name) {
  const std::optional<uint16_t> column = field(name);
  if (!column) {
    constexpr size_t kMost = 128;
    refuse("ERR the table has no column '" + std::string(name.substr(0, kMost)) + "'");
    return std::nullopt;
  }
  if (std::ranges::find(table().key, *column) != table().key.end()) {
    refuse("ERR the column '" + table().columns[*column].name + "' is of the key");
    return std::nullopt;
  }
  if (table().columns[*column].is_computed) {
    refuse("ERR the column '" + table().columns[*column].name + "' is computed");
    return std::nullopt;
  }
  return column;
}

uint32_t RespCommand::target(const mapping::Mapping& table, std::span<const uint16_t> columns) {
  for (size_t i = 0; i < targets_.size(); ++i) {
    const Target& known = targets_[i];
    if (known.table == &table && known.index.empty() && known.filter_columns.empty() &&
        std::ranges::equal(known.columns, columns)) {
      return static_cast<uint32_t>(i);
    }
  }
  targets_.push_back({&table, columns, {}, {}});
  return static_cast<uint32_t>(targets_.size() - 1);
}

void RespCommand::find(Request& request, uint32_t target_number) const {
  request.verb = Verb::kFind;
  request.index_id = target_number;
  request.op = KeyOperator::kEqual;
  request.key = parts_;
  request.key_count = static_cast<uint32_t>(parts_.size());
}

void RespCommand::modify(Request& request, uint32_t target_number, Modification modification,
                         std::span<const Value> values) const {
  find(request, target_number);
  request.verb = Verb::kModify;
  request.modification = modification;
  request.values = values;
}

void RespCommand::refuse_key(std::string_view key) {
  constexpr size_t kMost = 128;
  refuse("ERR no table has the key '" + std::string(key.substr(0, kMost)) + "'");
}

}  // namespace hs::protocol::resp
