#include "server/commit_pace.h"

#include <algorithm>

namespace hs::server {

void CommitPace::committed(int64_t ns) {
  const int64_t before = commit_ns();
  // One that takes much longer, since the disk was busy, counts little.
  const int64_t now = before == 0 ? ns : before + (std::min(ns, 4 * before) - before) / 8;
  commit_ns_.store(now, std::memory_order_relaxed);
}

void CommitPace::begin_answers() {
  ++round_;
  missing_ = 0;
  part_ = std::min(part_ + kRegain, kMost);
}

void CommitPace::answered(Mark& mark) {
  mark = round_;
  ++missing_;
}

void CommitPace::came(Mark& mark) {
  if (mark != round_ || missing_ == 0) return;
  mark = 0;
  --missing_;
}

int64_t CommitPace::patience_ns(size_t have, int64_t now_ns) const {
  if (missing_ == 0 || have == 0) return 0;
  const int64_t commit = commit_ns();
  // What the missing ones gain must be more than what those in the batch lose.
  const auto worth = static_cast<int64_t>(
      static_cast<double>(commit) * static_cast<double>(missing_) / static_cast<double>(have));
  const int64_t until = answered_ns_ + std::min(commit * part_ / kWhole, worth);
  return until - now_ns < kShortestNs ? 0 : until - now_ns;
}

void CommitPace::waited(bool came) {
  part_ = came ? std::min(2 * part_, kMost) : std::max(part_ / 2, kLeast);
}

}  // namespace hs::server
