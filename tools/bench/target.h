// What the load generator drives: connections to a server, and the runs over them.
//
// Written for a command line: an error that ends the run is thrown as a Failure and reported by
// main(). Wrong answers are counted and end nothing.
#ifndef HS_TOOLS_BENCH_TARGET_H_
#define HS_TOOLS_BENCH_TARGET_H_

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <stdexcept>
#include <string>
#include <string_view>

#include "histogram.h"

namespace hs::bench {

using Clock = std::chrono::steady_clock;

struct Failure : std::runtime_error {
  using std::runtime_error::runtime_error;
};

class Tls;

// Where the server is: the Unix socket if there is one, else host and port.
struct Place {
  std::string host = "127.0.0.1";
  uint16_t port = 0;
  std::string socket;
  const Tls* tls = nullptr;  // how it is talked to; null: plainly. Outlives all connections.
};

// How far a phase has come.
struct Progress {
  uint64_t answers = 0;
  uint64_t errors = 0;
  double seconds = 0;
};

// A server that is silent for longer is taken for broken.
constexpr auto kPatience = std::chrono::milliseconds(10'000);

constexpr auto kProgressInterval = std::chrono::milliseconds(500);

// A part of the load: the requests from number `first` on, `requests` of them. When `requests` is
// 0: as many as are answered in `seconds`.
//
// With a rate there are so many requests per second (see schedule.h), and all that become due in
// `seconds` are sent. Without a rate each connection sends as soon as it has an answer.
struct Phase {
  uint64_t first = 0;
  uint64_t requests = 0;
  double seconds = 0;
  double rate = 0;
  std::function<void(const Progress&)> progress = {};  // now and then, in one thread; may be empty
};

// The result of a phase. Latencies are in nanoseconds, from sending (or being due) to the answer.
struct Tally {
  Histogram latency;
  uint64_t rows = 0;  // in right answers: read or written
  uint64_t errors = 0;
  std::string first_error;
  double seconds = 0;

  uint64_t answers() const { return latency.count(); }
  void count_error(uint32_t key, std::string_view answer);
  void merge(const Tally& other);
};

class Target {
 public:
  virtual ~Target() = default;

  // Sends the requests of the phase over all connections and returns when all are answered.
  virtual Tally run(const Phase& phase) = 0;
};

}  // namespace hs::bench

#endif  // HS_TOOLS_BENCH_TARGET_H_
