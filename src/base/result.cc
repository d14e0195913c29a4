// The table of errors.def, turned into look-ups.
#include "base/result.h"

#include <array>

namespace hs {
namespace {

struct Row {
  ErrorKind kind;
  std::string_view name;
};

constexpr auto kRows = std::to_array<Row>({
#define HS_ERROR(name, kind) {ErrorKind::kind, std::string_view(#name).substr(1)},
#include "base/errors.def"
#undef HS_ERROR
});

const Row& row(ErrorCode code) { return kRows[static_cast<size_t>(code)]; }

}  // namespace

ErrorKind error_kind(ErrorCode code) { return row(code).kind; }
std::string_view error_name(ErrorCode code) { return row(code).name; }
size_t error_count() { return kRows.size(); }

}  // namespace hs
