// SPDX-License-Identifier: GPL-2.0-only
// Bounds the time of a request as max_statement_time does that of a statement: the server's own
// timer kills it. The timer is set only for a request that takes long anyway, since to set it costs
// about as much as to find a row.
#pragma once

#include "mariadb/server_headers.h"
// (before anything else)
#include <algorithm>
#include <cstdint>

namespace hs::mariadb {

class TimeLimit {
 public:
  explicit TimeLimit(THD* thd) : thd_(thd) {}

  // The running request may take `most_us` in all, of which `spent_us` are over. 0: any time.
  // Without effect while the timer is set.
  void begin(uint64_t most_us, uint64_t spent_us) {
    if (most_us == 0 || is_set_) return;
    const uint64_t left_us = most_us > spent_us ? most_us - spent_us : 1;
    is_set_ = !thr_timer_settime(&thd_->query_timer, left_us);
  }
  // The request has ended, or does not wait any more. What comes later is not killed for it.
  void end() {
    if (!is_set_) return;
    is_set_ = false;
    thr_timer_end(&thd_->query_timer);
    if (thd_->killed == KILL_TIMEOUT) thd_->reset_killed();
  }

 private:
  THD* const thd_;
  bool is_set_ = false;
};

}  // namespace hs::mariadb
