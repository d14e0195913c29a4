#include "exec/gtid.h"

#include <array>
#include <memory>
#include <string_view>
#include <utility>

#include "exec/gtid_wait.h"
#include "exec/one_row.h"

namespace hs::exec {

using protocol::Request;
using protocol::Verb;

Result<GtidLook> look_for_gtid(const Context& context, const Request& request, int64_t now_ms,
                               Client& client, engine::Session& session,
                               const std::function<std::string()>& host) {
  if (request.gtids.is_null()) return ErrorCode::kGtid;
  // Taken out of the client: unless the wait goes on, it is over.
  std::unique_ptr<GtidWait> wait = client.take_gtid_wait();
  engine::GtidMark mark = wait != nullptr ? wait->mark : engine::GtidMark{};
  const Result<bool> is_there = session.has_applied(request.gtids.text(), mark);
  if (!is_there) return is_there.error();
  if (*is_there) return GtidLook::kApplied;
  if (request.wait_ms == 0) return GtidLook::kTimeOver;
  if (wait == nullptr) {
    wait = std::make_unique<GtidWait>(now_ms, request.wait_ms, host());
    if (!wait->count_in(context.gtid_waits)) return ErrorCode::kTooManyWaits;
  } else if (wait->is_over(now_ms)) {
    return GtidLook::kTimeOver;
  } else if (wait->has_given_way()) {
    return ErrorCode::kTooManyWaits;
  }
  wait->mark = mark;
  client.set_gtid_wait(std::move(wait));
  return GtidLook::kMustWait;
}

Result<void> answer_gtid(const Plan& plan, const Request& request, const Client& client,
                         const engine::Session& session, protocol::ReplyWriter& reply) {
  if (request.verb == Verb::kAwaitGtid) {
    return reply_row(std::array{Value::of(plan.is_applied ? "1" : "0")}, reply);
  }
  if (!session.has_binary_log()) return ErrorCode::kNoBinaryLog;
  return reply_row(std::array{Value::of(client.last_gtid().text())}, reply);
}

}  // namespace hs::exec
