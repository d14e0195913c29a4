#include "sql_text.h"

#include <algorithm>
#include <charconv>
#include <optional>

namespace hs::bench {

std::string statement(const Workload& workload, Kind kind) {
  const std::string table = workload.database + "." + workload.table;
  const std::string columns(KnownRow::kColumns);
  const std::string select = "SELECT " + columns + " FROM " + table + " WHERE user_id";
  switch (kind) {
    case Kind::kFind:
      return select + "=?";
    case Kind::kIn: {
      std::string text = select + " IN (?";
      for (uint32_t i = 1; i < workload.count; ++i) text += ",?";
      return text + ")";
    }
    case Kind::kRange:
      return select + ">=? ORDER BY user_id LIMIT ?";
    case Kind::kCount:
      // Three columns, as all that is read has.
      return "SELECT COUNT(*),'','' FROM " + table + " WHERE user_id BETWEEN ? AND ?";
    case Kind::kInsert:
      return "INSERT INTO " + table + " (user_id," + columns + ") VALUES (?,?,?,?)";
    case Kind::kUpsert:
      return statement(workload, Kind::kInsert) +
             " ON DUPLICATE KEY UPDATE user_name=VALUES(user_name),user_email=VALUES(user_email),"
             "created=VALUES(created)";
    case Kind::kTransaction:
      break;
    case Kind::kUpdate:
      return "UPDATE " + table + " SET user_email=? WHERE user_id=?";
  }
  return {};
}

void set_parameters(const Workload& workload, const Request& request,
                    std::vector<SqlParameter>* parameters) {
  size_t size = 0;
  const auto next = [&](bool is_text) -> SqlParameter& {
    if (parameters->size() <= size) parameters->emplace_back();
    SqlParameter& parameter = (*parameters)[size++];
    parameter.is_text = is_text;
    parameter.text.clear();
    return parameter;
  };
  if (request.kind == Kind::kUpdate) workload.append_email(request, &next(true).text);
  const uint32_t keys = request.kind == Kind::kIn ? workload.count : 1;
  for (uint32_t i = 0; i < keys; ++i) next(false).number = workload.key(request, i);
  if (request.kind == Kind::kRange) next(false).number = workload.count;
  if (request.kind == Kind::kCount) next(false).number = request.key + workload.count - 1;
  if (request.kind == Kind::kInsert || request.kind == Kind::kUpsert) {
    const KnownRow row = workload.row(request.key);
    next(true).text.append(row.name());
    workload.append_email(request, &next(true).text);
    next(true).text.append(row.created());
  }
  parameters->resize(size);
}

void append_with_parameters(std::string_view statement, const std::vector<SqlParameter>& parameters,
                            std::string* text) {
  for (const SqlParameter& parameter : parameters) {
    const size_t place = statement.find('?');
    text->append(statement.substr(0, place));
    if (parameter.is_text) {
      text->append("'").append(parameter.text).append("'");
    } else {
      append_number(parameter.number, text);
    }
    statement.remove_prefix(place + 1);
  }
  text->append(statement);
}

void SqlAnswer::begin(const Request& request) {
  request_ = request;
  keys_.clear();
  wrong_.clear();
  expected_.clear();
  if (request.kind == Kind::kCount) return expected_.push_back(workload_.count);
  const uint32_t rows = workload_.row_count(request);
  for (uint32_t i = 0; i < rows; ++i) expected_.push_back(workload_.key(request, i));
  if (request.kind != Kind::kIn) return;
  std::sort(expected_.begin(), expected_.end());
  expected_.erase(std::unique(expected_.begin(), expected_.end()), expected_.end());
}

void SqlAnswer::add_row(std::string_view name, std::string_view email, std::string_view created) {
  if (request_.kind == Kind::kCount) {
    uint32_t number = 0;
    std::from_chars(name.data(), name.data() + name.size(), number);
    return keys_.push_back(number);
  }
  const std::optional<uint32_t> key = KnownRow::key_of(name);
  const bool is_known = key && workload_.row(*key).matches(name, email, created);
  if (!is_known && wrong_.empty()) {
    wrong_.append(name).append(", ").append(email).append(", ").append(created);
  }
  keys_.push_back(key.value_or(0));
}

bool SqlAnswer::is_right(std::string* error) {
  if (request_.kind == Kind::kIn) std::sort(keys_.begin(), keys_.end());
  if (wrong_.empty() && keys_ == expected_) return true;
  *error = wrong_.empty() ? std::to_string(keys_.size()) + " rows, not the right ones" : wrong_;
  return false;
}

}  // namespace hs::bench
