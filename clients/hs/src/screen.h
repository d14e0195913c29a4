// Text for a terminal: safe to show, of a known width, coloured where that is wanted.
#ifndef HS_CLIENTS_HS_SCREEN_H_
#define HS_CLIENTS_HS_SCREEN_H_

#include <cstddef>
#include <string>
#include <string_view>

namespace hs::tool {

// The text with what a terminal would obey, and what is no UTF-8, as \n, \t, \r or \xNN.
std::string shown(std::string_view text);

// Lines of CSV or TSV, or of JSON, for a terminal: their ends and TABs stay, and what else it would
// obey is \xNN, in JSON an escape that reads back the same.
std::string shown_lines(std::string_view text);
std::string shown_json(std::string_view text);

// The columns of a terminal that a shown text takes.
size_t width(std::string_view shown_text);

// Whether colours are wanted there: a terminal, no NO_COLOR, and TERM is not "dumb".
bool wants_colour(int descriptor);

enum class Style { plain, bold, dim, red, green, cyan };

// The text with the style's codes around it, if `colour`.
std::string styled(std::string_view text, Style style, bool colour);

}  // namespace hs::tool

#endif  // HS_CLIENTS_HS_SCREEN_H_
