#include "csv.h"

namespace hs::tool {
namespace {

void append_field(std::string& out, const Cell& value) {
  if (!value) return;
  const bool plain = !value->empty() && value->find_first_of(",\"\r\n") == std::string::npos &&
                     value->front() != ' ' && value->back() != ' ' &&
                     without_byte_order_mark(*value).size() == value->size();
  if (plain) {
    out += *value;
    return;
  }
  out += '"';
  for (const char c : *value) {
    if (c == '"') out += '"';
    out += c;
  }
  out += '"';
}

// The text of a field in quotes, that begins behind the opening one; `at` goes behind the closing one.
std::string quoted(std::string_view record, size_t& at) {
  std::string value;
  for (; at < record.size(); at++) {
    if (record[at] != '"') {
      value += record[at];
    } else if (at + 1 < record.size() && record[at + 1] == '"') {
      value += record[at++];
    } else {
      at++;
      return value;
    }
  }
  throw BadRecord("a quote is not closed");
}

}  // namespace

std::string_view without_byte_order_mark(std::string_view record) {
  const bool has_it = record.substr(0, byte_order_mark.size()) == byte_order_mark;
  return record.substr(has_it ? byte_order_mark.size() : 0);
}

void append_csv(std::string& out, const Row& row) {
  for (size_t i = 0; i < row.size(); i++) {
    if (i > 0) out += ',';
    append_field(out, row[i]);
  }
  out += '\n';
}

Row parse_csv(std::string_view record) {
  Row row;
  for (size_t at = 0;; at++) {
    if (at < record.size() && record[at] == '"') {
      row.emplace_back(quoted(record, ++at));
      if (at < record.size() && record[at] != ',') throw BadRecord("text behind a closing quote");
    } else {
      const std::string_view field = record.substr(at, record.find(',', at) - at);
      if (field.find('"') != std::string_view::npos) {
        throw BadRecord("a quote inside of a field without quotes");
      }
      row.push_back(field.empty() ? Cell() : Cell(field));
      at += field.size();
    }
    if (at >= record.size()) return row;
  }
}

bool CsvEnd::ends(std::string_view line) {
  for (const char c : line) {
    if (quoted_) {
      quoted_ = c != '"';  // the second quote of a pair opens it again
      at_start_ = c == '"';
    } else {
      quoted_ = c == '"' && at_start_;
      at_start_ = c == ',';
    }
  }
  return !quoted_;
}

}  // namespace hs::tool
