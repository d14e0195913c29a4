#include "protocol/resp/row_writer.h"

#include <algorithm>
#include <charconv>
#include <string_view>

#include "mapping/versions.h"

namespace hs::protocol::resp {

void RowWriter::set_table(const mapping::Mapping& table, std::span<const Position> columns,
                          bool with_expiry) {
  expiry_.reset();
  columns_.assign(columns.begin(), columns.end());
  const auto is_given = [&](Position column) {
    return std::ranges::find(columns, column) != columns.end();
  };
  if (with_expiry && table.ttl && !is_given(*table.ttl)) {
    expiry_ = columns_.size();
    columns_.push_back(*table.ttl);
  }
  has_version_ = table.cas && !is_given(*table.cas);
  if (has_version_) columns_.push_back(*table.cas);
  changed_ = columns_.size();
  columns_.insert(columns_.end(), table.key.begin(), table.key.end());
  upserts_ = table.can_upsert(columns_);
}

void RowWriter::set_values(std::span<const Value> values, std::span<const Value> key) {
  values_.assign(values.begin(), values.end());
  if (expiry_) values_.push_back(Value::null());
  if (has_version_) {
    char* const begin = version_.data();
    const char* const end =
        std::to_chars(begin, begin + version_.size(), mapping::next_version()).ptr;
    values_.push_back(Value::of({begin, static_cast<size_t>(end - begin)}));
  }
  values_.insert(values_.end(), key.begin(), key.end());
}

void RowWriter::update(Request& request, std::optional<int64_t> expires_at_s) const {
  request.values = std::span(values_).first(changed_);
  if (expiry_) request.expiry = {*expiry_, expires_at_s};
}

void RowWriter::insert(Request& request, OnDuplicate on_duplicate,
                       std::optional<int64_t> expires_at_s) const {
  request.verb = Verb::kInsert;
  request.values = values_;
  request.key_count = static_cast<uint32_t>(values_.size());
  request.on_duplicate = on_duplicate;
  if (on_duplicate == OnDuplicate::kUpdate) request.updates = std::span(values_).first(changed_);
  if (expiry_) request.expiry = {*expiry_, expires_at_s};
}

}  // namespace hs::protocol::resp
