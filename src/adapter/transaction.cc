#include "adapter/transaction.h"

#include <utility>

namespace hs::adapter {

void Transaction::begin_statement(const Statement& statement) {
  end_statement();
  statement_ = statement;
}

void Transaction::end_statement() {
  statement_ = {};
  statement_has_changes_ = false;
  statement_requests_ = 0;
}

void Transaction::begin_request() {
  follows_changes_ = has_changes_;
  timed_out_ = false;
}

bool Transaction::joins(const Statement& wanted) const {
  return statement_.is_shared && wanted.is_shared && statement_.cursor == wanted.cursor &&
         statement_.access == wanted.access;
}

bool Transaction::end_request() {
  ++statement_requests_;
  if (std::exchange(request_has_changes_, false)) statement_has_changes_ = true;
  return !statement_.is_shared;
}

bool Transaction::undo_request(bool rolled_back) {
  if (statement_requests_ == 0) return true;
  is_lost_ = request_has_changes_ || log_failed_ || rolled_back;
  request_has_changes_ = log_failed_ = false;
  return false;
}

// After a deadlock a request is tried again even if it was alone. After a timeout it is not, since
// a setting of the database may make a timeout a rollback, too. When the log is full, it may take
// the request without the changes of the requests before it.
Transaction::Fate Transaction::decide_fate(bool rolled_back) {
  if (is_block_) {
    is_lost_ = std::exchange(log_failed_, false) || rolled_back || is_lost_;
    request_has_changes_ = false;
    return is_lost_ ? Fate::kLost : Fate::kGoesOn;
  }
  const bool log_full = std::exchange(log_failed_, false) && follows_changes_;
  request_has_changes_ = false;
  is_lost_ = log_full || (rolled_back && (follows_changes_ || !timed_out_));
  if (is_lost_) return Fate::kLost;
  return rolled_back ? Fate::kOver : Fate::kGoesOn;
}

}  // namespace hs::adapter
