// The requests of one connection that are not answered yet, in order, in a ring.
#ifndef HS_TOOLS_BENCH_IN_FLIGHT_H_
#define HS_TOOLS_BENCH_IN_FLIGHT_H_

#include <bit>
#include <cstddef>
#include <vector>

#include "target.h"
#include "workload.h"

namespace hs::bench {

struct Sent {
  Request request;
  Clock::time_point at;  // where its latency begins
};

class InFlight {
 public:
  explicit InFlight(size_t capacity) : ring_(std::bit_ceil(capacity)) {}

  size_t size() const { return end_ - begin_; }
  bool empty() const { return begin_ == end_; }

  // The ring must have room.
  void push(const Sent& sent) { slot(end_++) = sent; }

  // The ring must not be empty.
  const Sent& oldest() { return slot(begin_); }
  Sent& newest(size_t back) { return slot(end_ - 1 - back); }
  void pop() { ++begin_; }

 private:
  Sent& slot(size_t position) { return ring_[position & (ring_.size() - 1)]; }

  std::vector<Sent> ring_;
  size_t begin_ = 0;
  size_t end_ = 0;
};

}  // namespace hs::bench

#endif  // HS_TOOLS_BENCH_IN_FLIGHT_H_
