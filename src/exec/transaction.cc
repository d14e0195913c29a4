#include "exec/transaction.h"

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace hs::exec {
namespace {

// SQL's numbers.
constexpr int kIdentifierTooLong = 1059;
constexpr int kInvalidText = 1300;

// Whether SQL can spell the name: UTF-8 of at most three bytes for each character, and no NUL.
bool is_identifier(std::string_view name) {
  while (!name.empty()) {
    const auto lead = static_cast<uint8_t>(name.front());
    if (lead == 0 || (lead >= 0x80 && lead < 0xc2) || lead > 0xef) return false;
    const size_t size = lead < 0x80 ? 1 : lead < 0xe0 ? 2 : 3;
    if (size > name.size()) return false;
    for (size_t i = 1; i < size; ++i) {
      if ((static_cast<uint8_t>(name[i]) & 0xc0) != 0x80) return false;
    }
    if (lead == 0xe0 && static_cast<uint8_t>(name[1]) < 0xa0) return false;
    name.remove_prefix(size);
  }
  return true;
}

// The database writes the name into its log, as SQL that a replica reads.
Result<void> check_name(std::string_view name) {
  if (name.empty()) return ErrorCode::kMissingValue;
  if (name.size() > engine::kMaxSavepointName) {
    return Error::sql(kIdentifierTooLong, "Identifier name is too long");
  }
  if (!is_identifier(name)) return Error::sql(kInvalidText, "Invalid utf8 character string");
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
