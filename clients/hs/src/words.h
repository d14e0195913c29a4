// What the words of a command mean: conditions, fields, keys and values.
#ifndef HS_CLIENTS_HS_WORDS_H_
#define HS_CLIENTS_HS_WORDS_H_

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "rows.h"
#include "server.h"

namespace hs::tool {

// How the value in a word is written: \N alone is NULL; all else is itself, or, with `escapes`, has
// \t \n \r \0 \\ and \xNN for bytes. Throws UsageError.
Cell value_of(std::string_view word, bool escapes);

// COLUMN=VALUE; nothing when the word is no such one. A name in `backticks` may have any bytes.
std::optional<Field> field_of(std::string_view word, bool escapes);

// "COLUMN OPERATOR VALUE", with blanks or none around the operator; the value goes on to the end.
// Throws UsageError.
Filter filter_of(std::string_view text, bool ends, bool escapes);

// Whether the word is one of = =< > >= < <= .
bool is_operator(std::string_view word);
// Whether it is of the signs that operators are of; not all such are operators.
bool is_like_operator(std::string_view word);

// The words of a line, nearly as a shell parts them: by blanks, with "…", '…', \", \\ and "\ ". Every
// other backslash is itself, so that \N needs no quotes. Throws UsageError for a quote that is not closed.
std::vector<std::string> words_of(std::string_view line);

}  // namespace hs::tool

#endif  // HS_CLIENTS_HS_WORDS_H_
