// What the operator is told of the requests of a batch: counters, times, the use of indexes, and the
// slow log.
//
// A request is counted once, when its reply is final. Used by one thread at a time, that of the
// batch. Allocates nothing once it has grown, and nothing for a request that is not slow.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "engine/account.h"
#include "engine/cursor.h"
#include "exec/execute.h"
#include "exec/plan.h"
#include "server/counters.h"
#include "server/peer.h"
#include "server/slow_log.h"

namespace hs::server {

class Tally {
 public:
  // Both must outlive it. `slow_log`: null: there is none. `most_peers`: of one batch.
  Tally(Counters& counters, SlowLog* slow_log, size_t most_peers);

  // Around the requests of one peer.
  void begin(Peer& peer);
  void end();

  // The request was carried out, and is not executed again unless its group is. What it took is
  // logged if that was long.
  void worked(const Peer& peer, const exec::Plan& plan, const exec::Outcome& outcome);
  // It has waited for a lock since `began_ns`, which waits_since() gave.
  int64_t waits_since() const { return began_ns_ != 0 ? monotonic_ns() : 0; }
  void waited(int64_t began_ns);

  // Its reply is final, and its index still open.
  void done(Peer& peer, const exec::Plan& plan, const exec::Outcome& outcome);
  // The peer ends with this error, which answers no request.
  void last_words(Peer& peer, ErrorCode error);

  // To be called before a client may close an index.
  void count_use();
  // The batch is over, or a part of it is answered by another thread while the rest waits.
  void end_batch();
  // The replies of all peers for which end() was called were sent, or given to the thread that sends
  // them.
  void replies_are_out();
  // Forgets what no reply is out for.
  void clear();

 private:
  using Kinds = uint32_t[kRequestKinds];
  // Requests that were answered and whose replies are not out yet.
  struct Answered {
    int64_t arrived_ns;
    Kinds requests;
  };
  // Requests that follow each other on the same index, and are not counted there yet.
  struct Use {
    const engine::IndexSpec* spec = nullptr;
    uint64_t requests = 0;
    uint64_t rows = 0;
  };

  void count_error(ErrorCode error);
  void note_use(const engine::IndexSpec& spec, uint64_t rows);
  void note_work(Peer& peer, const exec::Plan& plan, const exec::Outcome& outcome);
  void tell_account();
  void note_time(const Peer& peer, const exec::Plan& plan, const exec::Outcome& outcome);
  void log_slow(const Peer& peer, const exec::Plan& plan, const exec::Outcome& outcome,
                int64_t took_ns, int64_t waited_ns);
  Answered& answered_at(int64_t arrived_ns);

  Counters& counters_;
  SlowLog* const slow_log_;
  const size_t share_;     // of the counters of all indexes
  uint64_t requests_ = 0;  // done and not in the counters yet
  bool is_batch_ = false;  // some were, since the last clear()
  Use use_;
  Peer* current_ = nullptr;         // between begin() and end()
  Kinds current_done_{};            // its requests
  engine::AccountWork work_{};      // ... as far as its account was not told of them
  std::vector<Answered> answered_;  // one for each time of arrival; nearly always one
  // Only while the slow log is on:
  int64_t began_ns_ = 0;   // when the present request began to be executed; 0: the log is off
  int64_t waited_ns_ = 0;  // how long it has waited for locks since
};

}  // namespace hs::server
