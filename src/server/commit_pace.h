// Decides how long a batch that has changed something waits for more requests before it commits.
//
// A client that works without a pause sends its next request as soon as it has the answer to the
// last one. The answers of a batch go out one after the other, so its clients come back one after
// the other. A batch that begins with the first of them would leave the others to the next batch,
// for which they wait as long as the commit takes. So it pays to wait for them, but only for a part
// of that time, and only for clients that were answered just now.
//
// The part is learned: it is halved each time that nobody came, and grows again.
//
// For one thread at a time, except committed() and commit_ns().
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace hs::server {

class CommitPace {
 public:
  // Which answers a connection was among, kept with the connection.
  using Mark = uint64_t;

  // Any thread: a commit has taken `ns`.
  void committed(int64_t ns);
  // How long commits take, in nanoseconds: an average over the last ones; 0: there was none.
  int64_t commit_ns() const { return commit_ns_.load(std::memory_order_relaxed); }

  // The replies of a batch are sent now: begin_answers(), answered() for each of its connections,
  // end_answers(). Connections of batches before it are not waited for any more.
  void begin_answers();
  void answered(Mark& mark);
  void end_answers(int64_t now_ns) { answered_ns_ = now_ns; }
  // A connection has sent something.
  void came(Mark& mark);

  // For how long from now the batch should wait for connections that were answered just now, in
  // nanoseconds. 0: not at all. `have`: how many connections are in the batch already.
  int64_t patience_ns(size_t have, int64_t now_ns) const;
  // The batch has waited for that long, and something came or nothing did.
  void waited(bool came);

 private:
  // As parts of a commit's time, in 1/kWhole.
  static constexpr int64_t kWhole = 1024;
  static constexpr int64_t kMost = kWhole / 2;
  static constexpr int64_t kLeast = 8;
  static constexpr int64_t kRegain = 4;  // with each batch
  // A shorter wait costs more than it may give.
  static constexpr int64_t kShortestNs = 5'000;

  std::atomic<int64_t> commit_ns_{0};
  Mark round_ = 0;      // of answers
  size_t missing_ = 0;  // connections of the round that have not come back
  int64_t answered_ns_ = 0;
  int64_t part_ = kMost;
};

}  // namespace hs::server
