// What tells a row that is in the table already, when it is sent once more.
#ifndef HS_CLIENTS_HS_IMPORT_KEY_H_
#define HS_CLIENTS_HS_IMPORT_KEY_H_

#include <string>
#include <vector>

#include "rows.h"
#include "server.h"

namespace hs::tool {

class ImportKeys {
 public:
  ImportKeys() = default;  // none
  // Those of the unique indexes of the table whose columns are among `columns`; with no columns: all.
  ImportKeys(Server& server, const std::string& table, const std::vector<std::string>& columns);

  bool empty() const { return keys_.empty(); }
  // Whether the row has one of the keys: NULL in one is never a duplicate, and what has the server make
  // an id is a new row each time.
  bool tell(const Fields& row) const;

 private:
  struct Part {
    std::string column;
    bool makes_ids;
  };
  using Key = std::vector<Part>;
  static bool has(const Fields& row, const Part& part);

  std::vector<Key> keys_;
};

}  // namespace hs::tool

#endif  // HS_CLIENTS_HS_IMPORT_KEY_H_
