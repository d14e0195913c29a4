// SPDX-License-Identifier: GPL-2.0-only
// The names of transactions, and whether this server has applied them.
#include "mysql/session.h"
#include "sql/rpl_gtid.h"

namespace hs::mysql {

// Of this session's transactions.
Gtid MysqlSession::last_used_gtid() const {
  Gtid gtid;
  thd_->rpl_thd_ctx.last_used_gtid_tracker_ctx().get_last_used_gtid(gtid);
  return gtid;
}

void MysqlSession::note_gtid() {
  ::mysql::gtid::Tsid tsid;
  thd_->rpl_thd_ctx.last_used_gtid_tracker_ctx().get_last_used_tsid(tsid);
  const std::string text = tsid.to_string() + ':' + std::to_string(last_used_gtid().gno);
  // One with a long tag has no room, and is not told.
  if (text.size() <= engine::Gtid::kMaxSize) committed_ = engine::Gtid(text);
}

// A transaction is among the executed ones once its changes can be seen.
Result<bool> MysqlSession::has_applied(std::string_view gtids, engine::GtidMark&) {
  const std::string text(gtids);
  if (!Gtid_set::is_valid(text.c_str())) return ErrorCode::kGtid;
  Tsid_map names(nullptr);
  Gtid_set wanted(&names);
  if (wanted.add_gtid_text(text.c_str()) != RETURN_STATUS_OK) {
    thd_->clear_error();
    return ErrorCode::kGtid;
  }
  // The server reads `uuid` and `uuid:1-` as a set of nothing, which would always be applied.
  if (wanted.is_empty() && !text.empty()) return ErrorCode::kGtid;
  global_tsid_lock->wrlock();
  const bool applied = wanted.is_subset(gtid_state->get_executed_gtids());
  global_tsid_lock->unlock();
  return applied;
}

}  // namespace hs::mysql
