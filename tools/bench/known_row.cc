#include "known_row.h"

#include <algorithm>
#include <charconv>
#include <limits>

namespace hs::bench {

namespace {

constexpr std::string_view kName = "user name ";
constexpr std::string_view kDomain = "@example.com";
constexpr char kPadding = 'x';

std::string_view join(std::string_view before, std::string_view digits, std::string_view after,
                      std::array<char, 32>* place) {
  char* end = std::copy(before.begin(), before.end(), place->data());
  end = std::copy(digits.begin(), digits.end(), end);
  end = std::copy(after.begin(), after.end(), end);
  return {place->data(), end};
}

template <typename Number>
std::optional<Number> take_number(std::string_view* from) {
  Number number = 0;
  const auto [end, error] = std::from_chars(from->data(), from->data() + from->size(), number);
  if (error != std::errc()) return std::nullopt;
  from->remove_prefix(static_cast<size_t>(end - from->data()));
  return number;
}

}  // namespace

void append_number(uint64_t number, std::string* output) {
  char digits[std::numeric_limits<uint64_t>::digits10 + 1];
  output->append(digits, std::to_chars(digits, digits + sizeof(digits), number).ptr);
}

KnownRow::KnownRow(uint32_t key, EmailForm form) : key_(key), form_(form) {
  if (key == kSampleKey) {
    name_ = kSampleName;
    email_ = "yukari.takeba@dena.jp";
    return;
  }
  char text[std::numeric_limits<uint32_t>::digits10 + 1];
  const std::string_view digits(text, std::to_chars(text, text + sizeof(text), key).ptr);
  name_ = join(kName, digits, "", &name_text_);
  email_ = join("user", digits, kDomain, &email_text_);
}

std::optional<uint32_t> KnownRow::key_of(std::string_view name) {
  if (name == kSampleName) return kSampleKey;
  if (!take(kName, &name)) return std::nullopt;
  const auto key = take_number<uint32_t>(&name);
  return name.empty() ? key : std::nullopt;
}

void KnownRow::append_email(std::string* output) const {
  const size_t begin = output->size();
  output->append(email_);
  pad(begin, output);
}

void KnownRow::append_updated_email(uint64_t update, std::string* output) const {
  const size_t begin = output->size();
  output->append("user");
  append_number(key_, output);
  output->push_back('+');
  append_number(update, output);
  output->append(kDomain);
  pad(begin, output);
}

void KnownRow::pad(size_t begin, std::string* output) const {
  const size_t size = output->size() - begin;
  if (size < form_.size) output->append(form_.size - size, kPadding);
}

bool KnownRow::matches(std::string_view name, std::string_view email,
                       std::string_view created) const {
  return name == name_ && is_email(email) && created == this->created();
}

bool KnownRow::take_from(std::string_view* text) const {
  if (!take(name_, text) || !take("\t", text)) return false;
  const size_t end = text->find('\t');
  if (end == std::string_view::npos || !is_email(text->substr(0, end))) return false;
  text->remove_prefix(end + 1);
  return take(created(), text);
}

bool KnownRow::is_email(std::string_view text) const {
  std::string_view rest = text;
  if (take(email_, &rest) && is_padding(rest, text.size())) return true;
  return form_.may_be_updated && is_updated_email(text);
}

bool KnownRow::is_updated_email(std::string_view text) const {
  std::string_view rest = text;
  return take("user", &rest) && take_number<uint32_t>(&rest) == key_ && take("+", &rest) &&
         take_number<uint64_t>(&rest) && take(kDomain, &rest) && is_padding(rest, text.size());
}

bool KnownRow::is_padding(std::string_view rest, size_t total) const {
  if (rest.empty()) return total >= form_.size;
  return total == form_.size && rest.find_first_not_of(kPadding) == std::string_view::npos;
}

}  // namespace hs::bench
