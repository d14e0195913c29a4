#include "exec/execute.h"

#include <new>

#include "exec/auth.h"
#include "exec/count.h"
#include "exec/describe.h"
#include "exec/find.h"
#include "exec/gtid.h"
#include "exec/hello.h"
#include "exec/insert.h"
#include "exec/modify.h"
#include "exec/open.h"

namespace hs::exec {
namespace {

using protocol::Request;
using protocol::Verb;

constexpr int kOutOfMemory = 128;  // the handler's number for it

Result<void> change_connection(const Context& context, const Request& request, Client& client,
                               engine::Session& session, Scratch& scratch,
                               protocol::ReplyWriter& reply) {
  if (request.verb == Verb::kHello) return hello(context, request, client, reply);
  if (request.verb == Verb::kAuth) return authenticate(request, client, reply);
  scratch.meter.add(Meter::kOpen);
  return open_index(context, request, client, session, reply);
}

// The number of rows.
Result<uint64_t> dispatch(const Context& context, const Plan& plan, const Request& request,
                          Client& client, engine::Session& session, Scratch& scratch,
                          protocol::ReplyWriter& reply) {
  if (client.account() != nullptr || scratch.acts_for_account) {
    scratch.acts_for_account = client.account() != nullptr;
    session.act_for(client.account().get());
  }
  switch (plan.kind) {
    case Plan::Kind::kRefused:
    case Plan::Kind::kTransaction:  // see take_step()
      break;
    case Plan::Kind::kConnection: {
      Result<void> done = change_connection(context, request, client, session, scratch, reply);
      if (!done) return std::move(done.error());
      return uint64_t{0};
    }
    case Plan::Kind::kDescribe:
      return describe(request, session, scratch, reply);
    case Plan::Kind::kLastGtid:
    case Plan::Kind::kAwaitGtid: {
      Result<void> done = answer_gtid(plan, request, client, session, reply);
      if (!done) return std::move(done.error());
      return uint64_t{0};
    }
    case Plan::Kind::kRead:
      if (request.verb == Verb::kCount) return count(plan, request, session, scratch, reply);
      return find(context, plan, request, session, scratch, reply);
    case Plan::Kind::kChange:
      if (!engine::inserts(plan.access)) {
        return modify(context, plan, request, session, scratch, reply);
      }
      scratch.meter.add(Meter::kChange);
      return insert(plan, request, session, scratch, reply);
  }
  return plan.error;
}

Outcome answer(const Error& error, protocol::ReplyWriter& reply) {
  reply.error(error);
  return {.error = error.code};
}

}  // namespace

Outcome execute(const Context& context, const Plan& plan, const Request& request, Client& client,
                engine::Session& session, Scratch& scratch, protocol::ReplyWriter& reply) {
  try {
    const Result<uint64_t> done = dispatch(context, plan, request, client, session, scratch, reply);
    if (done) return {.error = {}, .rows = *done};
    return answer(done.error(), reply);
  } catch (const MemoryRefused&) {
    return answer(Error{ErrorCode::kMaxMemory, 0, {}}, reply);
  } catch (const std::bad_alloc&) {
    return answer(Error::engine(kOutOfMemory), reply);
  }
}

}  // namespace hs::exec
