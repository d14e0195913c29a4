#include "hs_dialect.h"

namespace hs::bench {

namespace {

// The index ids, one for each list of columns.
constexpr std::string_view kFinds = "1";
constexpr std::string_view kUpdates = "2";
constexpr std::string_view kInserts = "3";

}  // namespace

Opening HsDialect::opening() const {
  Opening opening;
  const auto open = [&](std::string_view id, std::string_view columns) {
    opening.request.append("P\t").append(id).append("\t").append(workload_.database).append("\t");
    opening.request.append(workload_.table).append("\tPRIMARY\t").append(columns).append("\n");
    opening.answer += "0\t1\n";
  };
  const Kind kind = workload_.kind;
  if (kind == Kind::kInsert) {
    open(kInserts, "user_id," + std::string(KnownRow::kColumns));
    return opening;
  }
  if (kind != Kind::kUpdate) open(kFinds, KnownRow::kColumns);
  if (workload_.has_writes()) open(kUpdates, "user_email");
  return opening;
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
    case Kind::kUpdate:
      key_line(kUpdates, "\t=\t1\t");
      output->append("\t1\t0\tU\t");
      workload_.append_email(request, output);
      break;
    case Kind::kInsert:
      key_line(kInserts, "\t+\t4\t");
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
                       const size_t end = rest.find('\n');
                       if (end == std::string_view::npos) return Answer{};
                       return Answer{end + 1, is_right(request, rest.substr(0, end))};
                     });
}

bool HsDialect::is_right(const Request& request, std::string_view line) const {
  if (request.kind == Kind::kInsert) return line == "0\t1";
  if (request.kind == Kind::kUpdate) return line == "0\t1\t1";
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
