#include "exec/execute.h"

#include <new>

#include "exec/auth.h"
#include "exec/command.h"
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
  if (request.verb == Verb::kAuth) {
    if (request.command != nullptr) request.command->begin({}, facts_of(context, client));
    return authenticate(request, client, reply);
  }
  scratch.meter.add(Meter::kOpen);
  return open_index(context, request, client, session, reply);
}

// The number of rows.
Result<uint64_t> dispatch(const Context& context, const Plan& plan, const Request& request,
                          Client& client, engine::Session& session, Scratch& scratch,
                          protocol::ReplyWriter& reply) {
  act_for(client, session, scratch);
  switch (plan.kind) {
    case Plan::Kind::kRefused:
    case Plan::Kind::kTransaction:  // see take_step()
    case Plan::Kind::kAnswer:       // see run_command()
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
    case Plan::Kind::kChange:
      return carry_out(context, plan, request, session, scratch, reply);
  }
  return plan.error;
}

Outcome answer(const Error& error, protocol::ReplyWriter& reply) {
  reply.error(error);
  return {.error = error.code};
}

}  // namespace

Result<uint64_t> carry_out(const Context& context, const Plan& plan, const Request& request,
                           engine::Session& session, Scratch& scratch,
                           protocol::ReplyWriter& reply) {
  if (plan.kind == Plan::Kind::kRefused) return plan.error;
  if (plan.kind == Plan::Kind::kRead) {
    if (request.verb == Verb::kCount) return count(plan, request, session, scratch, reply);
    return find(context, plan, request, session, scratch, reply);
  }
  if (!engine::inserts(plan.access)) {
    return modify(context, plan, request, session, scratch, reply);
  }
  scratch.meter.add(Meter::kChange);
  return insert(plan, request, session, scratch, reply);
}

Error out_of_memory(const std::bad_alloc& failed) {
  if (dynamic_cast<const MemoryRefused*>(&failed) != nullptr) {
    return Error{ErrorCode::kMaxMemory, 0, {}};
  }
  return Error::engine(kOutOfMemory);
}

void act_for(const Client& client, engine::Session& session, Scratch& scratch) {
  if (client.account() == nullptr && !scratch.acts_for_account) return;
  scratch.acts_for_account = client.account() != nullptr;
  session.act_for(client.account().get());
}

Outcome execute(const Context& context, const Plan& plan, const Request& request, Client& client,
                engine::Session& session, Scratch& scratch, protocol::ReplyWriter& reply) {
  try {
    if (request.verb == Verb::kCommand && plan.kind != Plan::Kind::kRefused) {
      return run_command(context, plan, request, client, session, scratch, reply);
    }
    const Result<uint64_t> done = dispatch(context, plan, request, client, session, scratch, reply);
    if (done) return {.error = {}, .rows = *done};
    return answer(done.error(), reply);
  } catch (const std::bad_alloc& failed) {
    return answer(out_of_memory(failed), reply);
  }
}

}  // namespace hs::exec
