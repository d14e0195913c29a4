// SPDX-License-Identifier: GPL-2.0-only
#include "mariadb/rows_aside.h"

namespace hs::mariadb {

RowsAside::RowsAside(TABLE* table) : table_(table) {
  for (size_t i = 0; i < std::size(rows_); ++i) {
    const uchar* const record = table_->record[i];
    rows_[i].assign(reinterpret_cast<const char*>(record), table_->s->reclength);
    if (table_->s->blob_fields != 0 || table_->vfield != nullptr) copy_blobs(record);
  }
}

void RowsAside::copy_blobs(const uchar* record) {
  const my_ptrdiff_t offset = record - table_->record[0];
  for (Field** at = table_->field; *at != nullptr; ++at) {
    const bool has_value = ((*at)->flags & BLOB_FLAG) && !(*at)->is_null(offset) &&
                           bitmap_is_set(table_->read_set, (*at)->field_index);
    if (!has_value) continue;
    auto* const field = static_cast<Field_blob*>(*at);
    const uchar* const value = field->get_ptr(field->ptr + offset);
    blobs_.push_back({field, offset, {}});
    blobs_.back().value.assign(reinterpret_cast<const char*>(value), field->get_length(offset));
  }
}

void RowsAside::put_back() {
  for (size_t i = 0; i < std::size(rows_); ++i)
    memcpy(table_->record[i], rows_[i].data(), rows_[i].size());
  for (const Blob& blob : blobs_)
    blob.field->set_ptr_offset(blob.offset, static_cast<uint32>(blob.value.size()),
                               reinterpret_cast<const uchar*>(blob.value.data()));
}

bool RowsAside::has_second_as_read() const {
  const auto* const copied = reinterpret_cast<const uchar*>(rows_[1].data());
  for (Field** at = table_->field; *at != nullptr; ++at) {
    const Field* const field = *at;
    if (bitmap_is_set(table_->read_set, field->field_index) &&
        field->is_null_in_record(copied) != field->is_null_in_record(table_->record[1]))
      return false;
  }
  return true;
}

}  // namespace hs::mariadb
