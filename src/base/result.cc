// The table of errors.def, turned into look-ups.
#include "base/result.h"

#include <array>

namespace hs {
namespace {

struct Row {
  int code;
  std::string_view text;
  std::string_view name;
  std::string_view meaning;
};

constexpr auto kRows = std::to_array<Row>({
#define HS_ERROR(name, code, text, meaning) \
  {code, text, std::string_view(#name).substr(1), meaning},
#include "base/errors.def"
#undef HS_ERROR
});

const Row& row(ErrorCode code) { return kRows[static_cast<size_t>(code)]; }

}  // namespace

int wire_code(ErrorCode code) { return row(code).code; }
std::string_view wire_text(ErrorCode code) { return row(code).text; }
std::string_view error_name(ErrorCode code) { return row(code).name; }
std::string_view error_meaning(ErrorCode code) { return row(code).meaning; }
size_t error_count() { return kRows.size(); }

std::string Error::text() const {
  if (code == ErrorCode::kEngine) return std::to_string(number);
  std::string text(wire_text(code));
  if (code != ErrorCode::kSql) return text;
  text += std::to_string(number);
  if (message.empty()) return text;
  text += ' ';
  // The message may quote what the client sent: keep the reply one line of two tokens whatever that
  // was.
  for (char c : message) text += (c >= 0x20 && c < 0x7f) ? c : '?';
  return text;
}

}  // namespace hs
