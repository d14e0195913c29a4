// SPDX-License-Identifier: GPL-2.0-only
#include "columns/rows_aside.h"

#include "server_dialect.h"

namespace hs::columns {

RowsAside::RowsAside(TABLE* table) : table_(table) {
  for (size_t i = 0; i < std::size(rows_); ++i) {
    const uchar* const record = table_->record[i];
    rows_[i].assign(reinterpret_cast<const char*>(record), table_->s->reclength);
    if (table_->s->blob_fields != 0 || table_->vfield != nullptr) copy_blobs(i);
  }
}

void RowsAside::copy_blobs(size_t number) {
  const uchar* const record = table_->record[number];
  const ptrdiff_t offset = record - table_->record[0];
  for (Field** at = table_->field; *at != nullptr; ++at) {
    if (!has_flag(*at, BLOB_FLAG)) continue;
    auto* const field = static_cast<Field_blob*>(*at);
    if (!bitmap_is_set(table_->read_set, number_of(field))) {
      // It points to a value of an earlier row, which the engine forgets with the next one.
      memset(rows_[number].data() + place_in_row(field), 0, field->pack_length());
      continue;
    }
    if (field->is_null(offset)) continue;
    const uchar* const value = blob_at(field, offset);
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
    if (bitmap_is_set(table_->read_set, number_of(field)) &&
        field->is_null_in_record(copied) != field->is_null_in_record(table_->record[1]))
      return false;
  }
  return true;
}

}  // namespace hs::columns
