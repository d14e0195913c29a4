// GTIDs: the client asks for that of its last change, and waits elsewhere until it is applied there.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "base/result.h"
#include "engine/session.h"
#include "exec/client.h"
#include "exec/context.h"
#include "exec/plan.h"
#include "protocol/reply.h"
#include "protocol/request.h"

namespace hs::exec {

// The longest wait that a client may ask for.
inline constexpr uint32_t kMostGtidWaitMs = 600'000;

// What is to happen with a request with Verb::kAwaitGtid.
enum class GtidLook : uint8_t {
  kApplied,   // it can be answered
  kTimeOver,  // likewise
  kMustWait,  // it is to be tried again when client.gtid_wait() says so
};

// `host`: tells that of the client; called when a wait begins. Errors: kGtid, kTooManyWaits. May
// throw std::bad_alloc.
Result<GtidLook> look_for_gtid(const Context& context, const protocol::Request& request,
                               int64_t now_ms, Client& client, engine::Session& session,
                               const std::function<std::string()>& host);

// Answers a request with Verb::kLastGtid, for which the client's changes must be committed, or with
// Verb::kAwaitGtid, for which the plan has what look_for_gtid() has found. Error: kNoBinaryLog.
Result<void> answer_gtid(const Plan& plan, const protocol::Request& request, const Client& client,
                         const engine::Session& session, protocol::ReplyWriter& reply);

}  // namespace hs::exec
