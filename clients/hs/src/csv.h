// CSV (RFC 4180), exact: NULL is an empty field, the empty text is "", and every byte is itself.
#ifndef HS_CLIENTS_HS_CSV_H_
#define HS_CLIENTS_HS_CSV_H_

#include <string>
#include <string_view>

#include "rows.h"

namespace hs::tool {

// With which some programs begin a file. It is no part of the first value, unless that is in quotes.
inline constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";
std::string_view without_byte_order_mark(std::string_view record);

void append_csv(std::string& out, const Row& row);  // with its LF

// A record without the LF or CR LF at its end. Throws BadRecord for a quote inside of a field without
// quotes, for what stands behind a closing quote, and for one that is not closed.
Row parse_csv(std::string_view record);

// Finds the end of a record, which may have lines inside of quotes.
class CsvEnd {
 public:
  // Takes the next line with its LF, and returns whether the record ends there.
  bool ends(std::string_view line);

 private:
  bool quoted_ = false;
  bool at_start_ = true;  // of a field
};

}  // namespace hs::tool

#endif  // HS_CLIENTS_HS_CSV_H_
