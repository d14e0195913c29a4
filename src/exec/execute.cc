#include "exec/execute.h"

#include <new>

#include "exec/auth.h"
#include "exec/find.h"
#include "exec/insert.h"
#include "exec/modify.h"
#include "exec/open.h"

namespace hs::exec {
namespace {

using protocol::ErrorStage;
using protocol::Request;
using protocol::Verb;

constexpr int kOutOfMemory = 128;  // the handler's number for it

Result<void> check_filters(const Request& request, const engine::IndexSpec& spec) {
  for (const protocol::Filter& filter : request.filters) {
    if (!filter.type_ok) return ErrorCode::kFilterType;
    if (filter.column >= spec.filter_columns.size()) return ErrorCode::kFilterColumn;
  }
  return {};
}

// What can be said against a request before its table is touched. Clients see which of several
// mistakes is reported: the order is that of protocol::ErrorStage. Errors of its last stage are
// left to the commands, after the key's length.
Result<void> check(const Context& context, const Request& request, const engine::IndexSpec& spec) {
  if (auto error = request.error_due(ErrorStage::kCounts)) return *error;
  if (Result<void> checked = check_filters(request, spec); !checked) return checked;
  if (request.in && request.in->values.size() > context.limits.max_in_keys) {
    return ErrorCode::kTooManyKeys;
  }
  if (auto error = request.error_due(ErrorStage::kOperation)) return *error;
  if (request.verb != Verb::kFind && context.mode == engine::Mode::kReadOnly) {
    return ErrorCode::kReadOnly;
  }
  if (auto error = request.error_due(ErrorStage::kModification)) return *error;
  return {};
}

Result<void> dispatch(const Context& context, const Request& request, Client& client,
                      engine::Session& session, Scratch& scratch, protocol::ReplyWriter& reply) {
  if (request.verb == Verb::kInvalid) return request.error.value_or(ErrorCode::kCommand);
  if (request.verb == Verb::kAuth) return authenticate(context, request, client, reply);
  if (!may_proceed(context, client)) return ErrorCode::kUnauthorized;
  if (request.verb == Verb::kOpen) {
    if (request.error) return *request.error;
    scratch.meter.add(Meter::kOpen);
    return open_index(context, request, client, session, reply);
  }

  if (auto error = request.error_due(ErrorStage::kIndexId)) return *error;
  const engine::IndexSpecPtr* spec = client.find(request.index_id);
  if (!spec) return ErrorCode::kIndexNotOpen;
  if (Result<void> checked = check(context, request, **spec); !checked) return checked;
  if (request.verb == Verb::kFind) {
    return find(context, request, *spec, session, scratch, reply);
  }
  if (request.verb == Verb::kInsert) {
    scratch.meter.add(Meter::kChange);
    return insert(request, *spec, session, reply);
  }
  return modify(context, request, *spec, session, scratch, reply);
}

}  // namespace

void execute(const Context& context, const Request& request, Client& client,
             engine::Session& session, Scratch& scratch, protocol::ReplyWriter& reply) {
  try {
    if (Result<void> done = dispatch(context, request, client, session, scratch, reply); !done) {
      reply.error(done.error());
    }
  } catch (const MemoryRefused&) {
    reply.error(Error{ErrorCode::kMaxMemory, 0, {}});
  } catch (const std::bad_alloc&) {
    reply.error(Error::engine(kOutOfMemory));
  }
}

}  // namespace hs::exec
