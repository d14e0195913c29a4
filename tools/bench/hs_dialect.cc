#include "hs_dialect.h"

#include <optional>
#include <utility>

#include "native_login.h"

namespace hs::bench {

namespace {

// The index ids, one for each list of columns.
constexpr std::string_view kFinds = "1";
constexpr std::string_view kUpdates = "2";
constexpr std::string_view kInserts = "3";

constexpr std::string_view kDone = "0\t1";
constexpr std::string_view kChallenge = "0\t2\tmysql_native_password\t";

void expect(Dialogue& dialogue, const std::string& request, std::string_view wanted) {
  const std::string answer = dialogue.ask(request);
  if (answer != wanted) throw Failure("what opens a connection was answered with " + answer);
}

// A name or password as a value of the protocol.
void append_value(std::string_view text, std::string* output) {
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x10) output->push_back('\1');
    output->push_back(byte < 0x10 ? static_cast<char>(byte + 0x40) : c);
  }
}

}  // namespace

void HsDialect::open(Dialogue& dialogue) const {
  if (!account_.user.empty()) log_in(dialogue);
  const auto open = [&](std::string_view id, std::string_view columns) {
    std::string request;
    request.append("P\t").append(id).append("\t").append(workload_.database).append("\t");
    request.append(workload_.table).append("\tPRIMARY\t").append(columns).append("\n");
    expect(dialogue, request, kDone);
  };
  const Kind kind = workload_.kind;
  if (kind == Kind::kInsert || kind == Kind::kUpsert) {
    return open(kInserts, "user_id," + std::string(KnownRow::kColumns));
  }
  if (kind == Kind::kCount) return open(kFinds, "user_id");
  if (kind != Kind::kUpdate) open(kFinds, KnownRow::kColumns);
  if (workload_.has_writes()) open(kUpdates, "user_email");
}

void HsDialect::log_in(Dialogue& dialogue) const {
  std::string request = "A\t2\t";
  append_value(account_.user, &request);
  const std::string answer = dialogue.ask(request + "\n");
  if (!answer.starts_with(kChallenge)) throw Failure("a login was answered with " + answer);
  const auto challenge = std::string_view(answer).substr(kChallenge.size());
  expect(dialogue, "A\t3\t" + native_response(challenge, account_.password) + "\n", kDone);
}

void HsDialect::encode(const Request& request, std::string* output) {
  const auto key_line = [&](std::string_view id, std::string_view before_key) {
    output->append(id).append(before_key);
    append_number(request.key, output);
  };
  switch (request.kind) {
    case Kind::kFind:
      key_line(kFinds, "\t=\t1\t");
      break;
    case Kind::kIn:
      key_line(kFinds, "\t=\t1\t");
      output->push_back('\t');
      append_number(workload_.count, output);
      output->append("\t0\t@\t0\t");
      append_number(workload_.count, output);
      for (uint32_t i = 0; i < workload_.count; ++i) {
        output->push_back('\t');
        append_number(workload_.key(request, i), output);
      }
      break;
    case Kind::kRange:
      key_line(kFinds, "\t>=\t1\t");
      output->push_back('\t');
      append_number(workload_.count, output);
      break;
    case Kind::kCount:
      key_line(kFinds, "\t>=\t1\t");
      output->push_back('\t');
      append_number(workload_.count, output);
      output->append("\t0\tC");
      break;
    case Kind::kUpdate:
      key_line(kUpdates, "\t=\t1\t");
      output->append("\t1\t0\tU\t");
      workload_.append_email(request, output);
      break;
    case Kind::kTransaction:
      output->append("T\tB\n");
      for (const Request& part : workload_.parts(request)) encode(part, output);
      output->append("T\tC");
      break;
    case Kind::kInsert:
    case Kind::kUpsert:
      key_line(kInserts, request.kind == Kind::kInsert ? "\t+\t4\t" : "\t+U\t4\t");
      output->push_back('\t');
      workload_.append_row(request, output);
      break;
  }
  output->push_back('\n');
}

size_t HsDialect::settle(std::string_view input, Clock::time_point now, InFlight* in_flight,
                         Tally* tally) const {
  return settle_each(workload_, input, now, in_flight, tally,
                     [this](const Request& request, std::string_view rest) {
                       if (request.kind == Kind::kTransaction) {
                         return check_transaction(request, rest);
                       }
                       const size_t end = rest.find('\n');
                       if (end == std::string_view::npos) return Answer{};
                       return Answer{end + 1, is_right(request, rest.substr(0, end))};
                     });
}

// Each line of it is answered.
Answer HsDialect::check_transaction(const Request& request, std::string_view rest) const {
  Answer all{0, true};
  const auto next = [&]() -> std::optional<std::string_view> {
    const size_t end = rest.find('\n', all.size);
    if (end == std::string_view::npos) return std::nullopt;
    const size_t begin = std::exchange(all.size, end + 1);
    return rest.substr(begin, end - begin);
  };
  const auto step = [&] {
    const std::optional<std::string_view> line = next();
    all.is_right = all.is_right && line == kDone;
    return line.has_value();
  };
  if (!step()) return {};
  for (const Request& part : workload_.parts(request)) {
    const std::optional<std::string_view> line = next();
    if (!line) return {};
    all.is_right = all.is_right && is_right(part, *line);
  }
  return step() ? all : Answer{};
}

bool HsDialect::is_right(const Request& request, std::string_view line) const {
  if (request.kind == Kind::kInsert) return line == kDone;
  if (request.kind == Kind::kUpdate) return line == "0\t1\t1";
  if (request.kind == Kind::kUpsert) return line == "0\t1\t1" || line == "0\t1\t2";
  if (request.kind == Kind::kCount) return line == "0\t1\t" + std::to_string(workload_.count);
  if (!take("0\t3", &line)) return false;
  const uint32_t rows = workload_.row_count(request);
  for (uint32_t i = 0; i < rows; ++i) {
    if (!take("\t", &line) || !workload_.row(workload_.key(request, i)).take_from(&line)) {
      return false;
    }
  }
  return line.empty();
}

}  // namespace hs::bench
