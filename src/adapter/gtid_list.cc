#include "adapter/gtid_list.h"

#include <algorithm>
#include <charconv>

namespace hs::adapter {
namespace {

// Takes a number off the beginning of `text`. False: there is none, or T does not hold it.
template <class T>
bool take_number(std::string_view& text, T* number) {
  text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
  const auto read = std::from_chars(text.data(), text.data() + text.size(), *number);
  text.remove_prefix(static_cast<size_t>(read.ptr - text.data()));
  return read.ec == std::errc();
}

bool take(std::string_view& text, char c) {
  if (text.empty() || text.front() != c) return false;
  text.remove_prefix(1);
  return true;
}

bool take_gtid(std::string_view& text, DomainGtid* gtid) {
  return take_number(text, &gtid->domain) && take(text, '-') && take_number(text, &gtid->server) &&
         take(text, '-') && take_number(text, &gtid->number);
}

}  // namespace

bool GtidList::read(std::string_view text) {
  size_ = 0;
  if (text.empty()) return true;
  do {
    if (size_ == kMost || !take_gtid(text, &gtids_[size_])) return false;
    ++size_;
  } while (take(text, ','));
  return text.empty();
}

}  // namespace hs::adapter
