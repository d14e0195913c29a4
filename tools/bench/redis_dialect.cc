#include "redis_dialect.h"

#include <charconv>

namespace hs::bench {

namespace {

constexpr std::string_view kCrLf = "\r\n";

void append_bulk(std::string_view text, std::string* output) {
  output->push_back('$');
  append_number(text.size(), output);
  output->append(kCrLf).append(text).append(kCrLf);
}

void append_key(uint32_t key, std::string* output) {
  char text[16] = "user:";
  const char* const end = std::to_chars(text + 5, text + sizeof(text), key).ptr;
  append_bulk({text, static_cast<size_t>(end - text)}, output);
}

void append_array(uint64_t size, std::string* output) {
  output->push_back('*');
  append_number(size, output);
  output->append(kCrLf);
}

// The size of the first answer: a line; `$<bytes>`, followed by so many bytes and a line end; or
// `*<count>`, followed by so many answers, none of them an array. 0: it is not complete.
size_t reply_size(std::string_view input) {
  size_t position = 0;
  for (uint64_t answers = 1; answers > 0; --answers) {
    const size_t end = input.find(kCrLf, position);
    if (end == std::string_view::npos) return 0;
    const char type = input[position];
    uint32_t number = 0;
    const bool is_number =
        std::from_chars(input.data() + position + 1, input.data() + end, number).ec == std::errc();
    position = end + kCrLf.size();
    if (type == '$' && is_number) position += number + kCrLf.size();
    if (type == '*' && is_number) answers += number;
    if (position > input.size()) return 0;
  }
  return position;
}

}  // namespace

void RedisDialect::encode(const Request& request, std::string* output) {
  switch (request.kind) {
    case Kind::kFind:
      output->append("*2\r\n$3\r\nGET\r\n");
      append_key(request.key, output);
      break;
    case Kind::kIn:
      append_array(uint64_t{1} + workload_.count, output);
      output->append("$4\r\nMGET\r\n");
      for (uint32_t i = 0; i < workload_.count; ++i) append_key(workload_.key(request, i), output);
      break;
    default:
      const bool must_be_new = request.kind == Kind::kInsert && !workload_.overwrite;
      value_.clear();
      workload_.append_row(request, &value_);
      append_array(must_be_new ? 4 : 3, output);
      output->append("$3\r\nSET\r\n");
      append_key(request.key, output);
      append_bulk(value_, output);
      if (must_be_new) append_bulk("NX", output);
  }
}

size_t RedisDialect::settle(std::string_view input, Clock::time_point now, InFlight* in_flight,
                            Tally* tally) const {
  return settle_each(
      workload_, input, now, in_flight, tally,
      [this](const Request& request, std::string_view rest) { return check(request, rest); });
}

Answer RedisDialect::check(const Request& request, std::string_view input) const {
  const size_t size = reply_size(input);
  if (size == 0) return {};
  std::string_view answer = input.substr(0, size);
  if (request.kind == Kind::kFind) return {size, take_row(request.key, &answer) && answer.empty()};
  if (request.kind != Kind::kIn) return {size, answer == "+OK\r\n"};
  answer.remove_prefix(answer.find(kCrLf) + kCrLf.size());  // an error has nothing behind its line
  for (uint32_t i = 0; i < workload_.count; ++i) {
    if (!take_row(workload_.key(request, i), &answer)) return {size, false};
  }
  return {size, answer.empty()};
}

bool RedisDialect::take_row(uint32_t key, std::string_view* answer) const {
  if (!take("$", answer)) return false;
  answer->remove_prefix(answer->find(kCrLf) + kCrLf.size());
  return workload_.row(key).take_from(answer) && take(kCrLf, answer);
}

}  // namespace hs::bench
