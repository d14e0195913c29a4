// One connection of the epoll loop: requests out, answers in, in order.
#ifndef HS_TOOLS_BENCH_CONNECTION_H_
#define HS_TOOLS_BENCH_CONNECTION_H_

#include <cstddef>
#include <string>
#include <vector>

#include "channel.h"
#include "dialect.h"
#include "in_flight.h"
#include "target.h"

namespace hs::bench {

class Connection {
 public:
  // Connects, and lets the dialect open the connection. At most `depth` requests may be on the way.
  // Throws Failure. The dialect must outlive the object.
  Connection(const Place& place, Dialect& dialect, size_t depth);

  int descriptor() const { return channel_.descriptor(); }

  // Appends a request to the output. Nothing is sent before flush(). Its latency counts from `at`,
  // or, without `at`, from flush().
  void add(const Request& request);
  void add(const Request& request, Clock::time_point at);

  // Whether something was added since flush().
  bool has_new() const { return has_new_; }

  // Sends what the socket takes, in one call, at the time `now`. False: a part is left.
  bool flush(Clock::time_point now);

  // Reads what is there and settles every complete answer. Returns how many answers there were.
  size_t receive(Tally* tally);

 private:
  void make_room();

  Dialect* dialect_;
  Channel channel_;
  std::string output_;
  bool has_new_ = false;
  size_t untimed_ = 0;  // how many of the newest requests have a latency that counts from flush()
  InFlight in_flight_;
  std::vector<char> input_;
  size_t input_size_ = 0;
};

}  // namespace hs::bench

#endif  // HS_TOOLS_BENCH_CONNECTION_H_
