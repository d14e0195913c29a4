#include "screen.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <cwchar>
#include <nlohmann/json.hpp>

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

// Bytes of the character with which the text begins, printable or not; of what is none: 1.
size_t bytes_of(std::string_view text) {
  std::mbstate_t state = {};
  const size_t size = std::mbrtowc(nullptr, text.data(), text.size(), &state);
  return size == 0 || size > text.size() ? 1 : size;
}

// Writes the text, but for a character that is not printable what `escaped` makes of its bytes.
template <typename Escaped>
std::string each_shown(std::string_view text, Escaped escaped) {
  std::string result;
  while (!text.empty()) {
    int columns = 0;
    const size_t size = printable(text, columns);
    const std::string_view bytes = text.substr(0, size > 0 ? size : bytes_of(text));
    if (size > 0) {
      result += bytes;
    } else {
      result += escaped(bytes);
    }
    text.remove_prefix(bytes.size());
  }
  return result;
}

std::string hexadecimal(std::string_view bytes) {
  std::string result;
  for (const char c : bytes) result += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
  return result;
}

bool is_layout(std::string_view bytes) { return bytes == "\n" || bytes == "\t"; }

}  // namespace

std::string shown(std::string_view text) {
  return each_shown(text, [](std::string_view bytes) -> std::string {
    if (bytes == "\n") return "\\n";
    if (bytes == "\t") return "\\t";
    if (bytes == "\r") return "\\r";
    return hexadecimal(bytes);
  });
}

std::string shown_lines(std::string_view text) {
  return each_shown(text, [](std::string_view bytes) {
    return is_layout(bytes) ? std::string(bytes) : hexadecimal(bytes);
  });
}

std::string shown_json(std::string_view text) {
  return each_shown(text, [](std::string_view bytes) {
    if (is_layout(bytes)) return std::string(bytes);
    const std::string quoted =
        nlohmann::json(bytes).dump(-1, ' ', true, nlohmann::json::error_handler_t::replace);
    return quoted.substr(1, quoted.size() - 2);
  });
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
