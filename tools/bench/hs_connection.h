// One connection that speaks the HandlerSocket protocol: requests out, answers in, in order.
#ifndef HS_TOOLS_BENCH_HS_CONNECTION_H_
#define HS_TOOLS_BENCH_HS_CONNECTION_H_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "target.h"

namespace hs::bench {

class HsConnection {
 public:
  // Connects and opens the index of the known table; waits for both. Throws Failure.
  explicit HsConnection(const Place& place);
  ~HsConnection();
  HsConnection(HsConnection&& other) noexcept;
  HsConnection& operator=(HsConnection&&) = delete;

  int descriptor() const { return descriptor_; }

  // Puts a find into the output. Nothing is sent before flush().
  void add_find(uint32_t key);

  // Sends what the socket takes, as one piece, at the time `now`. False: something is left.
  bool flush(Clock::time_point now);

  // Reads once and counts every complete answer. Returns how many there were.
  size_t receive(Tally* tally);

 private:
  struct Sent {
    uint32_t key;
    Clock::time_point at;
  };

  void open_index();
  void settle(std::string_view line, Clock::time_point now, Tally* tally);

  int descriptor_;
  std::string output_;
  size_t added_ = 0;  // finds that flush() has not seen
  std::deque<Sent> pending_;
  std::vector<char> input_;
  size_t input_size_ = 0;
};

}  // namespace hs::bench

#endif  // HS_TOOLS_BENCH_HS_CONNECTION_H_
