// A Request as text, for tests and fuzzers: two requests are equal when their texts are.
//
//   find 1 >= ['5','a'] of 2 limit 10 offset 0 in 1 ['x',NULL] F 0 != 'y' error escape at contents
#pragma once

#include <string>

#include "protocol/request.h"

namespace hs::protocol {

inline std::string to_text(const Value& value) {
  if (value.is_null()) return "NULL";
  constexpr char kHex[] = "0123456789abcdef";
  std::string text = "'";
  for (const char c : value.text()) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x20 && byte < 0x7f && c != '\'' && c != '\\') {
      text += c;
    } else {
      text += "\\x";
      text += kHex[byte >> 4];
      text += kHex[byte & 15];
    }
  }
  return text + '\'';
}

inline std::string to_text(std::span<const Value> values) {
  std::string text = "[";
  for (const Value& value : values) {
    if (text.size() > 1) text += ',';
    text += to_text(value);
  }
  return text + ']';
}

inline std::string to_text(const Filter& filter) {
  constexpr const char* kOperators[] = {"=", "!=", ">", ">=", "<", "<="};
  std::string text = filter.stops ? "W" : "F";
  if (!filter.type_ok) text += '?';
  text += ' ' + std::to_string(filter.column) + ' ';
  text += filter.op ? kOperators[static_cast<size_t>(*filter.op)] : "?";
  return text + ' ' + to_text(filter.value);
}

inline std::string to_text(const Request& request) {
  constexpr const char* kVerbs[] = {"invalid", "open", "auth", "find", "insert", "modify"};
  constexpr const char* kOperators[] = {"=", ">", ">=", "<", "<="};
  constexpr const char* kModifications[] = {"update", "delete", "increment", "decrement"};
  constexpr const char* kStages[] = {"index id",  "counts",       "filters",
                                     "operation", "modification", "contents"};
  std::string text = kVerbs[static_cast<size_t>(request.verb)];
  const bool indexed = request.verb == Verb::kFind || request.verb == Verb::kModify;
  if (indexed || request.verb == Verb::kInsert || request.verb == Verb::kOpen) {
    text += ' ' + std::to_string(request.index_id);
  }
  if (request.verb == Verb::kOpen) {
    for (const std::string_view name : {request.database, request.table, request.index,
                                        request.columns, request.filter_columns}) {
      text += ' ' + to_text(Value::of(name));
    }
  }
  if (request.verb == Verb::kAuth) {
    text += ' ' + to_text(Value::of(request.auth_type)) + ' ' + to_text(request.auth_key);
  }
  if (indexed) {
    text += std::string(" ") + kOperators[static_cast<size_t>(request.op)];
    text += ' ' + to_text(request.key);
    if (request.key_count != request.key.size()) text += " of " + std::to_string(request.key_count);
    text += " limit " + std::to_string(request.limit);
    text += " offset " + std::to_string(request.offset);
  }
  if (request.verb == Verb::kInsert) text += ' ' + to_text(request.values);
  if (request.in) {
    text += " in " + std::to_string(request.in->key_part) + ' ' + to_text(request.in->values);
  }
  for (const Filter& filter : request.filters) text += ' ' + to_text(filter);
  if (request.verb == Verb::kModify) {
    text += std::string(" ") + kModifications[static_cast<size_t>(request.modification)];
    if (request.return_old) text += '?';
    text += ' ' + to_text(request.values);
  }
  if (request.error) {
    text += " error " + std::string(wire_text(*request.error)) + " at ";
    text += kStages[static_cast<size_t>(request.error_stage)];
  }
  return text;
}

}  // namespace hs::protocol
