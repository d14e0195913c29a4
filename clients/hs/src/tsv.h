// Lines of values with TABs between them, as mariadb-dump writes and LOAD DATA reads them: NULL is
// \N, and \t \n \r \0 \\ stand for TAB, LF, CR, NUL and the backslash. Every other byte is itself.
#ifndef HS_CLIENTS_HS_TSV_H_
#define HS_CLIENTS_HS_TSV_H_

#include <string>
#include <string_view>

#include "rows.h"

namespace hs::tool {

void append_tsv(std::string& out, const Row& row);  // with its LF

// A line without its LF. Throws BadRecord for a backslash that stands for nothing.
Row parse_tsv(std::string_view line);

// Takes the backslashes out of one value; \xNN is any byte. NULL for \N alone.
Cell unescaped(std::string_view text);

}  // namespace hs::tool

#endif  // HS_CLIENTS_HS_TSV_H_
