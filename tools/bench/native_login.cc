#include "native_login.h"

#include <openssl/sha.h>

#include <array>
#include <charconv>

#include "target.h"

namespace hs::bench {

namespace {

using Sum = std::array<unsigned char, SHA_DIGEST_LENGTH>;

Sum sum_of(std::string_view bytes) {
  Sum sum;
  SHA1(reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size(), sum.data());
  return sum;
}

std::string_view bytes_of(const Sum& sum) {
  return {reinterpret_cast<const char*>(sum.data()), sum.size()};
}

Sum decoded(std::string_view hexadecimal) {
  Sum sum;
  bool is_right = hexadecimal.size() == 2 * sum.size();
  for (size_t i = 0; is_right && i < sum.size(); ++i) {
    const char* const digits = hexadecimal.data() + 2 * i;
    is_right = std::from_chars(digits, digits + 2, sum[i], 16).ptr == digits + 2;
  }
  if (!is_right) throw Failure("the challenge of a login is not twenty bytes");
  return sum;
}

}  // namespace

// SHA1(password) XOR SHA1(challenge, SHA1(SHA1(password)))
std::string native_response(std::string_view challenge, std::string_view password) {
  const Sum sent = decoded(challenge);
  if (password.empty()) return {};
  const Sum once = sum_of(password);
  const Sum key = sum_of(std::string(bytes_of(sent)).append(bytes_of(sum_of(bytes_of(once)))));
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string response;
  for (size_t i = 0; i < key.size(); ++i) {
    const unsigned byte = once[i] ^ key[i];
    response += kDigits[byte >> 4];
    response += kDigits[byte & 15];
  }
  return response;
}

}  // namespace hs::bench
