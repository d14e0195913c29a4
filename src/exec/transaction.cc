#include "exec/transaction.h"

namespace hs::exec {
namespace {

constexpr int kIdentifierTooLong = 1059;  // SQL's number

Result<void> check_name(std::string_view name) {
  if (name.empty()) return ErrorCode::kMissingValue;
  if (name.size() > engine::kMaxSavepointName) {
    return Error::sql(kIdentifierTooLong, "Identifier name is too long");
  }
  return {};
}

}  // namespace

Result<void> take_step(const protocol::Request& request, engine::Session& session) {
  using Step = protocol::TransactionStep;
  switch (request.step) {
    case Step::kBegin:
      return session.begin_transaction({request.isolation, request.reads_only});
    case Step::kCommit:
      return session.commit();
    case Step::kRollback:
      session.rollback();
      return {};
    case Step::kSavepoint:
    case Step::kRollbackTo:
      break;
  }
  if (Result<void> checked = check_name(request.savepoint); !checked) return checked;
  return request.step == Step::kSavepoint ? session.set_savepoint(request.savepoint)
                                          : session.roll_back_to(request.savepoint);
}

}  // namespace hs::exec
