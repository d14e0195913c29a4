// What a command sets of one row: the columns that it names, and with them what each change sets, when
// the row expires and its version.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/value.h"
#include "mapping/mapping.h"
#include "protocol/request.h"

namespace hs::protocol::resp {

class RowWriter {
 public:
  using Position = mapping::Mapping::Position;

  // `columns` get values. `with_expiry`: so does the one by which rows expire, if the table has one.
  void set_table(const mapping::Mapping& table, std::span<const Position> columns,
                 bool with_expiry);
  // `values`: one for each of the columns, valid as long as the requests. Makes a new version.
  void set_values(std::span<const Value> values, std::span<const Value> key);

  // Columns that an update sets, the version last ...
  std::span<const Position> changed() const { return std::span(columns_).first(changed_); }
  // ... and that a new row gets: these, and behind them those of the key.
  std::span<const Position> of_row() const { return columns_; }

  // An upsert does what it shall (Mapping::can_upsert()). Else the row of the key is updated, and inserted if
  // it is not there.
  bool upserts() const { return upserts_; }
  bool sets_expiry() const { return expiry_.has_value(); }
  bool sets_version() const { return has_version_; }

  // The values of such requests. `expires_at_s`: as Request::Expiry.
  void update(Request& request, std::optional<int64_t> expires_at_s = {}) const;
  // A row that is there is left alone, updated but for its key, or an error.
  void insert(Request& request, OnDuplicate on_duplicate,
              std::optional<int64_t> expires_at_s = {}) const;

 private:
  bool upserts_ = false;
  std::vector<Position> columns_;
  size_t changed_ = 0;
  std::optional<size_t> expiry_;  // its place among the columns
  bool has_version_ = false;
  std::vector<Value> values_;
  std::array<char, 20> version_{};
};

}  // namespace hs::protocol::resp
