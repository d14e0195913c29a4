// What an import has done, in a file beside it, so that it can go on after it was ended.
#ifndef HS_CLIENTS_HS_IMPORT_STATE_H_
#define HS_CLIENTS_HS_IMPORT_STATE_H_

#include <optional>
#include <string>

#include "records.h"

namespace hs::tool {

struct ImportState {
  std::string table, file;  // what it is of
  Spot done;                // all records before it have their answers
  Spot sent;                // those before it were sent, with answers or without
  uint64_t rows = 0;        // imported
  uint64_t bad = 0;         // refused
  std::string before;       // Records::before of `done`: another file has another one
};

// Nothing when there is no such file. Throws FileError, also for a file that is no state.
std::optional<ImportState> read_state(const std::string& path);

// Replaces the file at once. Throws FileError.
void write_state(const std::string& path, const ImportState& state);

void remove_state(const std::string& path);

}  // namespace hs::tool

#endif  // HS_CLIENTS_HS_IMPORT_STATE_H_
