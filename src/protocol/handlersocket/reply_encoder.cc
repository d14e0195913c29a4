#include "protocol/handlersocket/reply_encoder.h"

#include <charconv>
#include <limits>

#include "protocol/handlersocket/encoding.h"

namespace hs::protocol::handlersocket {
namespace {

template <class Number>
void append_number(Buffer& out, Number number) {
  constexpr size_t kRoom = std::numeric_limits<Number>::digits10 + 2;  // a sign included
  char* const begin = out.reserve(kRoom);
  out.commit(static_cast<size_t>(std::to_chars(begin, begin + kRoom, number).ptr - begin));
}

}  // namespace

void ReplyEncoder::ok() { target_->append("0\t1\n"); }

void ReplyEncoder::count(uint64_t number) {
  target_->append("0\t1\t");
  append_number(*target_, number);
  target_->append('\n');
}

void ReplyEncoder::begin_rows(size_t columns) {
  in_rows_ = true;
  rows_start_ = target_->size();
  target_->append("0\t");
  append_number(*target_, columns);
}

bool ReplyEncoder::row(std::span<const Value> values) {
  for (const Value& value : values) {
    // Looked at before as well as after writing: a value that is too long anyway is not copied.
    const size_t written = target_->size() - rows_start_;
    if (written > max_reply_size_ || value.size > max_reply_size_ - written) return false;
    target_->append('\t');
    append_value(*target_, value);
  }
  return target_->size() - rows_start_ <= max_reply_size_;
}

void ReplyEncoder::end_rows() {
  in_rows_ = false;
  target_->append('\n');
}

void ReplyEncoder::error(const Error& error) {
  if (in_rows_) target_->truncate(rows_start_);
  in_rows_ = false;
  append_number(*target_, wire_code(error.code));
  target_->append("\t1\t");
  target_->append(error.text());
  target_->append('\n');
}

}  // namespace hs::protocol::handlersocket
