#include "progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

namespace hs::tool {

std::string progress_line(uint64_t done, uint64_t total, uint64_t rows, double seconds) {
  constexpr size_t cells = 30;
  const double pace = seconds > 0 ? static_cast<double>(rows) / seconds : 0;
  const std::string counts = fmt::format("{} rows, {:.0f} per second", rows, pace);
  if (total == 0) return counts;
  const double share = std::min(1.0, static_cast<double>(done) / static_cast<double>(total));
  const auto full = static_cast<size_t>(share * static_cast<double>(cells));
  const double left = share > 0 ? seconds / share - seconds : 0;
  return fmt::format("[{}{}] {:3.0f} %, {}, {:.0f} s left", std::string(full, '#'),
                     std::string(cells - full, '.'), share * 100, counts, left);
}

Progress::Progress(uint64_t total) : total_(total) {}

bool Progress::is_shown() { return ::isatty(STDERR_FILENO) == 1; }

double Progress::seconds() const {
  return std::chrono::duration<double>(Clock::now() - begin_).count();
}

void Progress::show(uint64_t done, uint64_t rows) {
  const auto now = Clock::now();
  if (!is_shown() || now - last_ < std::chrono::milliseconds(100)) return;
  last_ = now;
  visible_ = true;
  fmt::print(stderr, "\r\x1b[K{}", progress_line(done, total_, rows, seconds()));
}

void Progress::clear() {
  if (visible_) fmt::print(stderr, "\r\x1b[K");
  visible_ = false;
}

}  // namespace hs::tool
