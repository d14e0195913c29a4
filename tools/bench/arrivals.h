// Requests that arrive on a schedule and wait in line until a connection has room for them.
#ifndef HS_TOOLS_BENCH_ARRIVALS_H_
#define HS_TOOLS_BENCH_ARRIVALS_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "schedule.h"
#include "target.h"

namespace hs::bench {

class Arrivals {
 public:
  // Each connection has room for `depth` requests.
  Arrivals(const Schedule& schedule, uint64_t requests, size_t connections, size_t depth);

  struct Turn {
    size_t connection;     // the one that has had room for the longest time
    Clock::time_point at;  // when the request was due
  };

  // The next request that may be sent. None: it is not due yet, or has to wait for room.
  std::optional<Turn> next(Clock::time_point now);

  // A request of this connection was answered: there is room for another one.
  void answered(size_t connection);

  // Whether all requests were sent, and whether all were answered.
  bool all_sent() const { return sent_ == requests_; }
  bool all_answered() const { return answered_ == requests_; }

  // How long until a request is due for which there is room. None: until a request is answered.
  std::optional<Clock::duration> idle(Clock::time_point now) const;

 private:
  bool has_room() const { return sent_ - answered_ < room_.size(); }

  const Schedule schedule_;
  const uint64_t requests_;
  std::vector<uint32_t> room_;  // a queue of connections, each once for each request it can take
  uint64_t sent_ = 0;
  uint64_t answered_ = 0;
};

}  // namespace hs::bench

#endif  // HS_TOOLS_BENCH_ARRIVALS_H_
