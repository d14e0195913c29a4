// Rows as JSON objects. Integers and floating point numbers are numbers, digit for digit; all else is
// a string. What is no UTF-8, and all of a binary column, is {"base64": "..."}.
#ifndef HS_CLIENTS_HS_JSON_H_
#define HS_CLIENTS_HS_JSON_H_

#include <string>
#include <string_view>

#include "rows.h"

namespace hs::tool {

void append_json(std::string& out, const Columns& columns, const Row& row);  // one object, no LF

// One object, whose names are the columns. Numbers keep their digits; true is 1 and false 0. Throws
// BadRecord for what is no object of such values, and for a name that stands twice.
Fields parse_json(std::string_view line);

}  // namespace hs::tool

#endif  // HS_CLIENTS_HS_JSON_H_
