// How a table is named: DATABASE.TABLE. Each part may stand in backquotes, as in SQL, and has any character there.
#ifndef HS_CLIENTS_HS_FULL_NAME_H_
#define HS_CLIENTS_HS_FULL_NAME_H_

#include <string>

namespace hs::tool {

struct FullName {
  std::string database;  // empty: the text has one part
  std::string table;
};

// Throws UsageError.
FullName full_name_of(const std::string& text);

// The text that full_name_of() reads.
std::string text_of(const FullName& name);

}  // namespace hs::tool

#endif  // HS_CLIENTS_HS_FULL_NAME_H_
