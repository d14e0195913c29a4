#include "protocol/resp/encoder.h"

#include <charconv>

namespace hs::protocol::resp {
namespace {

constexpr size_t kMostIntegerDigits = 20;

}  // namespace

void Encoder::head(char mark, uint64_t number) {
  char* const begin = target_->reserve(kMostIntegerDigits + 3);
  *begin = mark;
  char* end = std::to_chars(begin + 1, begin + 1 + kMostIntegerDigits, number).ptr;
  *end++ = '\r';
  *end++ = '\n';
  target_->commit(static_cast<size_t>(end - begin));
}

void Encoder::simple(std::string_view text) {
  target_->append('+');
  target_->append(text);
  target_->append("\r\n");
}

void Encoder::error(std::string_view text) {
  char* const begin = target_->reserve(text.size() + 3);
  *begin = '-';
  for (size_t i = 0; i < text.size(); ++i) {
    const bool ends_line = text[i] == '\r' || text[i] == '\n';
    begin[i + 1] = ends_line ? ' ' : text[i];
  }
  begin[text.size() + 1] = '\r';
  begin[text.size() + 2] = '\n';
  target_->commit(text.size() + 3);
}

void Encoder::integer(int64_t number) {
  if (number >= 0) return head(':', static_cast<uint64_t>(number));
  char* const begin = target_->reserve(kMostIntegerDigits + 4);
  *begin = ':';
  char* end = std::to_chars(begin + 1, begin + 2 + kMostIntegerDigits, number).ptr;
  *end++ = '\r';
  *end++ = '\n';
  target_->commit(static_cast<size_t>(end - begin));
}

void Encoder::integer(uint64_t number) { head(':', number); }

void Encoder::bulk(std::string_view text) {
  begin_bulk(text.size());
  target_->append(text);
  end_bulk();
}

void Encoder::begin_bulk(size_t size) { head('$', size); }

void Encoder::null() { target_->append(version_ == 3 ? "_\r\n" : "$-1\r\n"); }

void Encoder::null_array() { target_->append(version_ == 3 ? "_\r\n" : "*-1\r\n"); }

void Encoder::array(size_t size) { head('*', size); }

void Encoder::map(size_t pairs) { version_ == 3 ? head('%', pairs) : head('*', 2 * pairs); }

void Encoder::set(size_t size) { head(version_ == 3 ? '~' : '*', size); }

void Encoder::number(std::string_view text) {
  if (version_ != 3) return bulk(text);
  target_->append(',');
  target_->append(text);
  target_->append("\r\n");
}

void Encoder::boolean(bool value) {
  if (version_ != 3) return integer(int64_t{value});
  target_->append(value ? "#t\r\n" : "#f\r\n");
}

void Encoder::verbatim(std::string_view text) {
  if (version_ != 3) return bulk(text);
  head('=', text.size() + 4);
  target_->append("txt:");
  target_->append(text);
  end_bulk();
}

}  // namespace hs::protocol::resp
