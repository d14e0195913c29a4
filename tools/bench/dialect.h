// A protocol as the load generator uses it: how requests are written, where an answer ends, and
// whether it is right. One object serves all connections of a thread.
#ifndef HS_TOOLS_BENCH_DIALECT_H_
#define HS_TOOLS_BENCH_DIALECT_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "in_flight.h"
#include "target.h"
#include "workload.h"

namespace hs::bench {

// A connection before the load: one request at a time, each of which is waited for.
class Dialogue {
 public:
  virtual ~Dialogue() = default;
  // Sends the request as it is, and returns the next line of the answer without its LF. Throws
  // Failure.
  virtual std::string ask(std::string_view request) = 0;
};

class Dialect {
 public:
  virtual ~Dialect() = default;

  // Does what comes first on a connection. Throws Failure when the server does not agree.
  virtual void open(Dialogue& dialogue) const = 0;

  // Appends the request.
  virtual void encode(const Request& request, std::string* output) = 0;

  // Takes the complete answers at the front of the input, which came at the time `now`. Checks and
  // counts them, and removes their requests. Returns how many bytes they had.
  virtual size_t settle(std::string_view input, Clock::time_point now, InFlight* in_flight,
                        Tally* tally) const = 0;
};

// One answer at the front of the input.
struct Answer {
  size_t size = 0;  // in bytes; 0: it is not complete
  bool is_right = false;
};

// Dialect::settle() by means of `check`, which examines the first answer: Answer(Request, input).
template <typename Check>
size_t settle_each(const Workload& workload, std::string_view input, Clock::time_point now,
                   InFlight* in_flight, Tally* tally, Check check) {
  size_t used = 0;
  while (used < input.size()) {
    const std::string_view rest = input.substr(used);
    if (in_flight->empty()) throw Failure("there is an answer to no request");
    const Sent& sent = in_flight->oldest();
    const Answer answer = check(sent.request, rest);
    if (answer.size == 0) break;
    tally->latency.record(static_cast<uint64_t>((now - sent.at).count()));
    if (answer.is_right) {
      tally->rows += workload.row_count(sent.request);
    } else {
      tally->count_error(sent.request.key, rest.substr(0, answer.size));
    }
    in_flight->pop();
    used += answer.size;
  }
  return used;
}

}  // namespace hs::bench

#endif  // HS_TOOLS_BENCH_DIALECT_H_
