#include "protocol/handlersocket/reply_encoder.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <utility>

#include "base/assert.h"
#include "protocol/handlersocket/encoding.h"
#include "protocol/handlersocket/error_text.h"

namespace hs::protocol::handlersocket {
namespace {

void append_number(Buffer& out, uint64_t number) {
  constexpr size_t kRoom = std::numeric_limits<uint64_t>::digits10 + 1;
  char* const begin = out.reserve(kRoom);
  if (number < 10) {
    *begin = static_cast<char>('0' + number);
    return out.commit(1);
  }
  out.commit(static_cast<size_t>(std::to_chars(begin, begin + kRoom, number).ptr - begin));
}

}  // namespace

void ReplyEncoder::ok() {
  HS_ASSERT(!in_rows_);
  target_->append("0\t1\n");
}

void ReplyEncoder::count(uint64_t number) {
  HS_ASSERT(!in_rows_);
  target_->append("0\t1\t");
  append_number(*target_, number);
  target_->append('\n');
}

void ReplyEncoder::begin_rows(size_t columns) {
  HS_ASSERT(!in_rows_);
  in_rows_ = true;
  streams_ = false;
  sent_ = measured_ = 0;
  rows_start_ = target_->size();
  target_->append("0\t");
  append_number(*target_, columns);
}

bool ReplyEncoder::row(std::span<const Value> values) {
  HS_ASSERT(in_rows_ && target_->size() >= rows_start_);
  last_row_ = target_->size();
  // What the row takes at most. Nearly every row is short and fits, and is then written at one go.
  size_t room = 0;
  for (const Value& value : values) room += 2 + 2 * value.size;
  if (room <= kShortRow && size() + room <= max_reply_size_) {
    write_short_row(values, target_->reserve(room + 1));
  } else if (!write_long_row(values)) {
    return false;
  }
  if (streams_ && target_->size() >= kPiece && !send_piece()) return false;
  return size() <= max_reply_size_;
}

void ReplyEncoder::write_short_row(std::span<const Value> values, char* const begin) {
  char* out = begin;
  for (const Value& value : values) {
    *out++ = '\t';
    if (value.is_null()) {
      *out++ = '\0';
    } else {
      out = escape(value.text(), out);
    }
  }
  target_->commit(static_cast<size_t>(out - begin));
}

bool ReplyEncoder::write_long_row(std::span<const Value> values) {
  for (const Value& value : values) {
    // The limit is checked before writing, too: a value that is too long is not copied.
    const uint64_t written = size();
    if (written > max_reply_size_ || value.size > max_reply_size_ - written) return false;
    target_->append('\t');
    append_value(*target_, value);
  }
  target_->reserve(1);
  return true;
}

bool ReplyEncoder::should_stream() const {
  return stream_ != nullptr && !streams_ && size() >= kStreamFrom && stream_->may_stream();
}

bool ReplyEncoder::measure(std::span<const Value> values) {
  HS_ASSERT(in_rows_ && !streams_);
  if (measured_ == 0) measured_ = size();
  for (const Value& value : values) measured_ += 1 + encoded_size(value);
  return measured_ <= max_reply_size_;
}

void ReplyEncoder::stream() {
  HS_ASSERT(in_rows_ && !streams_ && stream_ != nullptr);
  streams_ = true;
  stream_->begin();
}

bool ReplyEncoder::send_piece() {
  const size_t before = target_->size();
  const bool alive = stream_->send();
  const size_t sent = before - target_->size();
  const size_t of_earlier_replies = std::min(sent, rows_start_);
  rows_start_ -= of_earlier_replies;
  sent_ += sent - of_earlier_replies;
  return alive;
}

void ReplyEncoder::take_back_row() {
  HS_ASSERT(in_rows_ && !streams_ && last_row_ > rows_start_);
  target_->truncate(last_row_);
}

// Allocates nothing: row() and begin_rows() leave room for the LF.
void ReplyEncoder::end_rows() {
  HS_ASSERT(in_rows_);
  in_rows_ = false;
  target_->append('\n');
}

void ReplyEncoder::error(const Error& error) {
  if (std::exchange(in_rows_, false)) {
    if (sent_ > 0) return stream_->fail();
    target_->truncate(rows_start_);
  }
  append_number(*target_, static_cast<uint64_t>(wire_code(error.code)));
  target_->append("\t1\t");
  target_->append(wire_text(error));
  target_->append('\n');
}

}  // namespace hs::protocol::handlersocket
