// The formats in which rows are written.
#ifndef HS_CLIENTS_HS_FORMAT_H_
#define HS_CLIENTS_HS_FORMAT_H_

#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "rows.h"

namespace hs::tool {

enum class Format { table, json, jsonl, csv, tsv, vertical };

inline constexpr const char* format_names[] = {"table", "json", "jsonl", "csv", "tsv", "vertical"};
std::optional<Format> format_of(std::string_view name);

struct Look {
  Format format = Format::table;
  bool header = true;  // names of columns: table, csv and tsv
  bool colour = false;
  bool terminal = false;  // nothing of the rows is obeyed there
};

// Writes rows one after the other. The texts go to `out`, and grow until somebody empties it.
class Printer {
 public:
  virtual ~Printer() = default;
  virtual void row(const Row& row) = 0;
  virtual void end() {}  // behind the last row
};

// The columns must outlive the printer, and so must `out`.
std::unique_ptr<Printer> make_printer(const Look& look, const Columns& columns, std::string& out);

// All rows as one text.
std::string as_text(const Look& look, const Rows& rows);

}  // namespace hs::tool

#endif  // HS_CLIENTS_HS_FORMAT_H_
