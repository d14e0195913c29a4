#include "exec/plan.h"

#include "exec/auth.h"
#include "exec/command.h"
#include "exec/gtid.h"

namespace hs::exec {
namespace {

using protocol::ErrorStage;
using protocol::Request;
using protocol::Verb;

bool reads(const Request& request) {
  return request.verb == Verb::kFind || request.verb == Verb::kCount;
}

std::optional<ErrorCode> check_filters(const Request& request, const engine::IndexSpec& spec) {
  for (const protocol::Filter& filter : request.filters) {
    if (!filter.type_ok) return ErrorCode::kFilterType;
    if (filter.column >= spec.filter_columns.size()) return ErrorCode::kFilterColumn;
  }
  return {};
}

// The errors of a request on an opened index that can be found before its table is touched.
std::optional<ErrorCode> check(const Context& context, const Request& request,
                               const engine::IndexSpec& spec) {
  if (auto error = request.error_due(ErrorStage::kCounts)) return error;
  if (auto error = check_filters(request, spec)) return error;
  if (request.in && request.in->values.size() > context.limits.max_in_keys) {
    return ErrorCode::kTooManyKeys;
  }
  if (auto error = request.error_due(ErrorStage::kOperation)) return error;
  if (!reads(request) && context.mode == engine::Mode::kReadOnly) {
    return ErrorCode::kReadOnly;
  }
  if (auto error = request.error_due(ErrorStage::kModification)) return error;
  if (request.verb != Verb::kInsert) return {};
  if (request.key_count > spec.columns.size()) return ErrorCode::kValueCount;
  if (request.updates && request.updates->size() > spec.columns.size()) {
    return ErrorCode::kValueCount;
  }
  return request.error;
}

engine::Access access_of(protocol::OnDuplicate on_duplicate) {
  switch (on_duplicate) {
    case protocol::OnDuplicate::kFail:
      break;
    case protocol::OnDuplicate::kIgnore:
      return engine::Access::kInsertIgnore;
    case protocol::OnDuplicate::kUpdate:
      return engine::Access::kUpsert;
    case protocol::OnDuplicate::kReplace:
      return engine::Access::kReplace;
  }
  return engine::Access::kInsert;
}

Plan refused(ErrorCode error) { return {.error = error}; }

Plan on_index(const Request& request, const engine::IndexSpecPtr& spec) {
  Plan plan{.kind = Plan::Kind::kRead, .spec = &spec};
  if (reads(request)) return plan;
  plan.kind = Plan::Kind::kChange;
  if (request.verb == Verb::kInsert) {
    plan.access = access_of(request.on_duplicate);
    return plan;
  }
  const bool erases = request.modification == Modification::kDelete;
  plan.access = erases ? engine::Access::kDelete : engine::Access::kUpdate;
  if (request.limit > 1 || request.in) plan.rows = engine::Rows::kMany;
  return plan;
}

}  // namespace

Plan plan_on(const Context& context, const Request& request, const engine::IndexSpecPtr& spec,
             const Client& client) {
  if (auto error = check(context, request, *spec)) return refused(*error);
  Plan made = on_index(request, spec);
  made.for_account = client.account() != nullptr;
  return made;
}

Plan plan(const Context& context, const Request& request, Client& client) {
  if (request.verb == Verb::kCommand) return plan_command(context, request, client);
  if (request.verb == Verb::kInvalid) return refused(request.error.value_or(ErrorCode::kCommand));
  if (request.verb == Verb::kHello) {
    if (request.error) return refused(*request.error);
    return {.kind = Plan::Kind::kConnection};
  }
  if (request.verb == Verb::kAuth) return {.kind = Plan::Kind::kConnection};
  if (!may_proceed(client)) return refused(ErrorCode::kUnauthorized);
  if (request.verb == Verb::kDescribe) {
    if (request.error) return refused(*request.error);
    return {.kind = Plan::Kind::kDescribe};
  }
  if (request.verb == Verb::kLastGtid || request.verb == Verb::kAwaitGtid) {
    if (request.error) return refused(*request.error);
    if (request.wait_ms > kMostGtidWaitMs) return refused(ErrorCode::kNumber);
    const bool waits = request.verb == Verb::kAwaitGtid;
    return {.kind = waits ? Plan::Kind::kAwaitGtid : Plan::Kind::kLastGtid};
  }
  if (request.verb == Verb::kTransaction) {
    if (request.error) return refused(*request.error);
    const bool begins = request.step == protocol::TransactionStep::kBegin;
    if (begins && !request.reads_only && context.mode == engine::Mode::kReadOnly) {
      return refused(ErrorCode::kReadOnly);
    }
    return {.kind = Plan::Kind::kTransaction};
  }
  if (request.verb == Verb::kOpen) {
    if (request.error) return refused(*request.error);
    return {.kind = Plan::Kind::kConnection};
  }
  if (auto error = request.error_due(ErrorStage::kIndexId)) return refused(*error);
  const engine::IndexSpecPtr* const spec = client.find(request.index_id);
  if (spec == nullptr) return refused(ErrorCode::kIndexNotOpen);
  return plan_on(context, request, *spec, client);
}

}  // namespace hs::exec
