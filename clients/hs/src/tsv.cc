#include "tsv.h"

#include <charconv>

#include "csv.h"

namespace hs::tool {
namespace {

struct Escape {
  char byte, letter;
};
constexpr Escape escaped_bytes[] = {
    {'\t', 't'}, {'\n', 'n'}, {'\r', 'r'}, {'\0', '0'}, {'\\', '\\'}};

void append_value(std::string& out, const Cell& value) {
  if (!value) {
    out += "\\N";
    return;
  }
  // One at the beginning of a file would be left out when it is read.
  const std::string_view rest = without_byte_order_mark(*value);
  if (rest.size() < value->size()) out += "\\xEF\xBB\xBF";
  for (const char c : rest) {
    char letter = 0;
    for (const Escape& escape : escaped_bytes) {
      if (escape.byte == c) letter = escape.letter;
    }
    if (letter != 0) out += '\\';
    out += letter != 0 ? letter : c;
  }
}

char hexadecimal(std::string_view text, size_t at) {
  unsigned byte = 0;
  const std::string_view digits = text.substr(at, 2);
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), byte, 16);
  if (digits.size() != 2 || error != std::errc() || end != digits.data() + 2) {
    throw BadRecord("\\x without two hexadecimal digits");
  }
  return static_cast<char>(byte);
}

}  // namespace

void append_tsv(std::string& out, const Row& row) {
  for (size_t i = 0; i < row.size(); i++) {
    if (i > 0) out += '\t';
    append_value(out, row[i]);
  }
  out += '\n';
}

Cell unescaped(std::string_view text) {
  if (text == "\\N") return std::nullopt;
  std::string value;
  for (size_t at = 0; at < text.size(); at++) {
    if (text[at] != '\\') {
      value += text[at];
      continue;
    }
    const char letter = ++at < text.size() ? text[at] : '\0';
    const size_t before = value.size();
    for (const Escape& escape : escaped_bytes) {
      if (letter != '\0' && escape.letter == letter) value += escape.byte;
    }
    if (letter == 'x') {
      value += hexadecimal(text, at + 1);
      at += 2;
    }
    if (value.size() == before) throw BadRecord("a backslash that stands for nothing");
  }
  return value;
}

Row parse_tsv(std::string_view line) {
  Row row;
  for (size_t at = 0;;) {
    const size_t end = line.find('\t', at);
    row.push_back(unescaped(line.substr(at, end - at)));
    if (end == std::string_view::npos) return row;
    at = end + 1;
  }
}

}  // namespace hs::tool
