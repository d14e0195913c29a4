// SPDX-License-Identifier: GPL-2.0-only
// Bounds the time of a find as max_execution_time does that of a SELECT: the server's own timer kills it. The
// timer is set only for a find that takes long anyway, since to set it costs more than to find a row.
#pragma once

#include "mysql/server_headers.h"
// (before anything else)
#include <algorithm>
#include <cstdint>
#include <utility>

#include "sql/sql_timer.h"

namespace hs::mysql {

class TimeLimit {
 public:
  explicit TimeLimit(THD* thd) : thd_(thd) {}
  TimeLimit(const TimeLimit&) = delete;
  TimeLimit& operator=(const TimeLimit&) = delete;

  // In all; 0: any time.
  static uint64_t most_ms() { return global_system_variables.max_execution_time; }

  // The running find may take most_ms(), of which `spent_ms` are over. Without effect while the timer is set.
  void begin(uint64_t spent_ms) {
    const uint64_t most = most_ms();
    if (most == 0 || thd_->timer != nullptr || have_statement_timeout != SHOW_OPTION_YES) return;
    const uint64_t left = most > spent_ms ? most - spent_ms : 1;
    thd_->timer = thd_timer_set(thd_, std::exchange(thd_->timer_cache, nullptr), left);
  }
  // The find has ended, or does not wait any more. What comes later is not killed for it.
  void end() {
    if (thd_->timer == nullptr) return;
    thd_->timer_cache = thd_timer_reset(std::exchange(thd_->timer, nullptr));
    THD::killed_state own = THD::KILL_TIMEOUT;
    (void)thd_->killed.compare_exchange_strong(own, THD::NOT_KILLED);
  }

 private:
  THD* const thd_;
};

}  // namespace hs::mysql
