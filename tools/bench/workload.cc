#include "workload.h"

#include <charconv>
#include <cstring>

namespace hs::bench {

namespace {

// Removes the text from the front of the line, if it is there.
bool take(std::string_view text, std::string_view* line) {
  if (line->substr(0, text.size()) != text) return false;
  line->remove_prefix(text.size());
  return true;
}

template <size_t N>
std::string_view join(std::string_view before, uint32_t key, std::string_view after,
                      std::array<char, N>* place) {
  char* end = place->data();
  std::memcpy(end, before.data(), before.size());
  end = std::to_chars(end + before.size(), place->data() + N, key).ptr;
  std::memcpy(end, after.data(), after.size());
  return {place->data(), static_cast<size_t>(end - place->data()) + after.size()};
}

}  // namespace

// SplitMix64: the n-th number is a function of n alone.
uint32_t Keys::at(uint64_t request) const {
  uint64_t bits = seed_ * 0xd1342543de82ef95 + request * 0x9e3779b97f4a7c15;
  bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9;
  bits = (bits ^ (bits >> 27)) * 0x94d049bb133111eb;
  bits ^= bits >> 31;
  const bool is_cold = static_cast<double>(bits & UINT32_MAX) < cold_ * 0x1p32;
  return static_cast<uint32_t>(((bits >> 32) * (is_cold ? rows_ : hot_)) >> 32) + 1;
}

KnownRow::KnownRow(uint32_t key) {
  if (key == kSampleKey) {
    name_ = "Yukari Takeba";
    email_ = "yukari.takeba@dena.jp";
    return;
  }
  name_ = join("user name ", key, "", &name_text_);
  email_ = join("user", key, "@example.com", &email_text_);
}

bool KnownRow::is_answer(std::string_view line) const {
  return take("0\t3\t", &line) && take(name_, &line) && take("\t", &line) && take(email_, &line) &&
         take("\t", &line) && line == created();
}

}  // namespace hs::bench
