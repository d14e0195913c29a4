// A line on the standard error that tells how far a long command is: on a terminal only.
#ifndef HS_CLIENTS_HS_PROGRESS_H_
#define HS_CLIENTS_HS_PROGRESS_H_

#include <chrono>
#include <cstdint>
#include <string>

namespace hs::tool {

class Progress {
 public:
  // total: 0 is unknown, and then there is no bar.
  explicit Progress(uint64_t total);
  ~Progress() { clear(); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  static bool is_shown();
  // At most ten times a second. done: of the total; rows: so far.
  void show(uint64_t done, uint64_t rows);
  // Takes the line away, for others that write there.
  void clear();
  double seconds() const;

 private:
  using Clock = std::chrono::steady_clock;
  uint64_t total_;
  Clock::time_point begin_ = Clock::now(), last_;
  bool visible_ = false;
};

// The line itself: a bar, how many rows, how fast, and the time that is left.
std::string progress_line(uint64_t done, uint64_t total, uint64_t rows, double seconds);

}  // namespace hs::tool

#endif  // HS_CLIENTS_HS_PROGRESS_H_
