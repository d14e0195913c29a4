#include "protocol/handlersocket/error_text.h"

#include <array>

namespace hs::protocol::handlersocket {
namespace {

struct Row {
  ErrorCode code;
  std::string_view text;
};

constexpr auto kRows = std::to_array<Row>({
#define HS_TEXT(name, text, meaning) {ErrorCode::name, text},
#include "protocol/handlersocket/errors.def"
#undef HS_TEXT
});

// Whether kRows has every ErrorCode, in the order of ErrorCode.
constexpr bool is_complete() {
  size_t next = 0;
#define HS_ERROR(name, kind) \
  if (next >= kRows.size() || kRows[next++].code != ErrorCode::name) return false;
#include "base/errors.def"
#undef HS_ERROR
  return next == kRows.size();
}
static_assert(is_complete(), "errors.def of the protocol has the errors of base in their order");

}  // namespace

int wire_code(ErrorCode code) { return static_cast<int>(error_kind(code)) + 1; }
std::string_view wire_text(ErrorCode code) { return kRows[static_cast<size_t>(code)].text; }

std::string wire_text(const Error& error) {
  if (error.code == ErrorCode::kEngine) return std::to_string(error.number);
  std::string text(wire_text(error.code));
  if (error.code == ErrorCode::kAccessDenied && error.number != 0)
    return text + ' ' + std::to_string(error.number);
  if (error.code == ErrorCode::kSql) text += std::to_string(error.number);
  if (error.message.empty()) return text;
  text += ' ';
  // The message may quote what the client sent. The reply stays one line of three tokens all the
  // same.
  for (const char c : error.message) text += (c >= 0x20 && c < 0x7f) ? c : '?';
  return text;
}

}  // namespace hs::protocol::handlersocket
