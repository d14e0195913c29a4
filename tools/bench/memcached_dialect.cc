#include "memcached_dialect.h"

#include <charconv>

namespace hs::bench {

namespace {

constexpr std::string_view kEnd = "\r\n";

// The size of the value behind the line `VALUE <key> <flags> <bytes>`, its line end included. 0:
// the line is not such a line.
size_t value_size(std::string_view line) {
  if (!line.starts_with("VALUE ")) return 0;
  const size_t space = line.rfind(' ');
  uint32_t size = 0;
  const char* const end = line.data() + line.size();
  const auto result = std::from_chars(line.data() + space + 1, end, size);
  return result.ec == std::errc() && result.ptr == end ? size + kEnd.size() : 0;
}

// The size of the first answer: values, and a last line that is no VALUE line. 0: it is not
// complete.
size_t answer_size(std::string_view input) {
  for (size_t position = 0; position < input.size();) {
    const size_t end = input.find(kEnd, position);
    if (end == std::string_view::npos) return 0;
    const size_t value = value_size(input.substr(position, end - position));
    position = end + kEnd.size();
    if (value == 0) return position;
    position += value;
  }
  return 0;
}

}  // namespace

void MemcachedDialect::encode(const Request& request, std::string* output) {
  const bool is_read = request.kind == Kind::kFind || request.kind == Kind::kIn;
  if (is_read) {
    output->append("get");
    const uint32_t keys = workload_.row_count(request);
    for (uint32_t i = 0; i < keys; ++i) {
      output->append(" user:");
      append_number(workload_.key(request, i), output);
    }
  } else {
    value_.clear();
    workload_.append_row(request, &value_);
    const bool must_be_new = request.kind == Kind::kInsert && !workload_.overwrite;
    output->append(must_be_new ? "add user:" : "set user:");
    append_number(request.key, output);
    output->append(" 0 0 ");
    append_number(value_.size(), output);
    output->append(kEnd).append(value_);
  }
  output->append(kEnd);
}

size_t MemcachedDialect::settle(std::string_view input, Clock::time_point now, InFlight* in_flight,
                                Tally* tally) const {
  return settle_each(
      workload_, input, now, in_flight, tally,
      [this](const Request& request, std::string_view rest) { return check(request, rest); });
}

Answer MemcachedDialect::check(const Request& request, std::string_view input) const {
  const size_t size = answer_size(input);
  if (size == 0) return {};
  const std::string_view answer = input.substr(0, size);
  const bool is_read = request.kind == Kind::kFind || request.kind == Kind::kIn;
  return {size, is_read ? are_values(request, answer) : answer == "STORED\r\n"};
}

bool MemcachedDialect::are_values(const Request& request, std::string_view answer) const {
  const uint32_t keys = workload_.row_count(request);
  for (uint32_t i = 0; i < keys; ++i) {
    const uint32_t key = workload_.key(request, i);
    char line[48] = "VALUE user:";
    char* const begin = line + std::string_view(line).size();
    const char* const end = std::to_chars(begin, line + sizeof(line), key).ptr;
    if (!take({line, static_cast<size_t>(end - line)}, &answer) || !take(" 0 ", &answer)) {
      return false;
    }
    answer.remove_prefix(answer.find(kEnd) + kEnd.size());
    if (!workload_.row(key).take_from(&answer) || !take(kEnd, &answer)) return false;
  }
  return answer == "END\r\n";
}

}  // namespace hs::bench
