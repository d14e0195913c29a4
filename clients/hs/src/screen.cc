#include "screen.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <cwchar>

namespace hs::tool {
namespace {

// Bytes of the printable character with which the text begins, and its width; 0: it has none.
size_t printable(std::string_view text, int& columns) {
  wchar_t character = 0;
  std::mbstate_t state = {};
  const size_t size = std::mbrtowc(&character, text.data(), text.size(), &state);
  if (size == 0 || size > text.size()) return 0;  // also the two marks of an error
  columns = ::wcwidth(character);
  return columns < 0 ? 0 : size;
}

}  // namespace

std::string shown(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    int columns = 0;
    size_t size = printable(text, columns);
    if (size > 0) {
      result += text.substr(0, size);
    } else {
      size = 1;
      const char c = text.front();
      if (c == '\n') {
        result += "\\n";
      } else if (c == '\t') {
        result += "\\t";
      } else if (c == '\r') {
        result += "\\r";
      } else {
        result += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
      }
    }
    text.remove_prefix(size);
  }
  return result;
}

size_t width(std::string_view shown_text) {
  size_t total = 0;
  while (!shown_text.empty()) {
    int columns = 0;
    const size_t size = printable(shown_text, columns);
    if (size == 0) return total + shown_text.size();
    total += static_cast<size_t>(columns);
    shown_text.remove_prefix(size);
  }
  return total;
}

bool wants_colour(int descriptor) {
  const char* no_colour = std::getenv("NO_COLOR");
  const char* term = std::getenv("TERM");
  return ::isatty(descriptor) == 1 && (no_colour == nullptr || *no_colour == '\0') &&
         term != nullptr && std::string_view(term) != "dumb";
}

std::string styled(std::string_view text, Style style, bool colour) {
  if (!colour || style == Style::plain) return std::string(text);
  const char* code = style == Style::bold    ? "1"
                     : style == Style::dim   ? "2"
                     : style == Style::red   ? "31"
                     : style == Style::green ? "32"
                                             : "36";
  return fmt::format("\x1b[{}m{}\x1b[0m", code, text);
}

}  // namespace hs::tool
