// SPDX-License-Identifier: GPL-2.0-only
// Keeps the rows of a TABLE in record[0] and record[1], with the values of their BLOBs, while
// others are read into it: an engine's BLOBs are valid until it reads the next row.
#pragma once

#include "server_rows.h"
// (before anything else)
#include <deque>
#include <string>

namespace hs::columns {

class RowsAside {
 public:
  // Copies both. Columns that are not in the TABLE's read_set have no value there. May throw
  // std::bad_alloc.
  explicit RowsAside(TABLE* table);
  RowsAside(const RowsAside&) = delete;
  RowsAside& operator=(const RowsAside&) = delete;

  // Puts both back. Their BLOBs are in this object then, which must live as long as they are used.
  void put_back();

  // Whether the row in record[1] is still the one that was copied, as far as the deletion of other
  // rows can alter it: a foreign key's cascade sets columns to NULL. In the TABLE's read_set.
  bool has_second_as_read() const;

 private:
  struct Blob {
    Field_blob* field;
    ptrdiff_t offset;  // of its record
    std::string value;
  };

  void copy_blobs(size_t number);

  TABLE* const table_;
  std::string rows_[2];
  std::deque<Blob> blobs_;
};

}  // namespace hs::columns
