// SPDX-License-Identifier: GPL-2.0-only
#include "mysql/client_half.h"

#include <openssl/evp.h>
#include <string.h>

#include <algorithm>
#include <array>

namespace hs::mysql {
namespace {

using Proof = engine::Credentials::Proof;

constexpr std::string_view kSha2 = "caching_sha2_password";
constexpr char kWantsPassword =
    4;  // what that method asks when its cache does not know the account
constexpr size_t kNonceSize = 20;

using Digest = std::array<unsigned char, 32>;

// False: the library has no memory.
bool sha256(std::string_view first, std::string_view second, Digest* digest) {
  EVP_MD_CTX* const context = EVP_MD_CTX_new();
  if (context == nullptr) return false;
  const bool done = EVP_DigestInit_ex(context, EVP_sha256(), nullptr) == 1 &&
                    EVP_DigestUpdate(context, first.data(), first.size()) == 1 &&
                    EVP_DigestUpdate(context, second.data(), second.size()) == 1 &&
                    EVP_DigestFinal_ex(context, digest->data(), nullptr) == 1;
  EVP_MD_CTX_free(context);
  return done;
}

std::string_view as_text(const Digest& digest) {
  return {reinterpret_cast<const char*>(digest.data()), digest.size()};
}

}  // namespace

bool MysqlClientHalf::answer_to(std::string_view question, std::string* proof) {
  if (credentials().proof == Proof::kDialogue) return ask(question, proof);
  if (credentials().proof != Proof::kPassword) return false;
  const std::string& secret = credentials().secret;
  if (plugin() == kSha2 && question.size() >= kNonceSize) {
    if (!secret.empty()) return scramble_password(question.substr(0, kNonceSize), proof);
    *proof += '\0';
    return true;
  }
  const bool wants_password = takes_password() || (plugin() == kSha2 && question.size() == 1 &&
                                                   question[0] == kWantsPassword);
  if (!wants_password) return false;
  *proof += secret;
  *proof += '\0';
  return true;
}

// SHA256(password) XOR SHA256(SHA256(SHA256(password)) and the nonce).
bool MysqlClientHalf::scramble_password(std::string_view nonce, std::string* proof) const {
  Digest once, twice, mask;
  const bool done = sha256(credentials().secret, {}, &once) && sha256(as_text(once), {}, &twice) &&
                    sha256(as_text(twice), nonce, &mask);
  if (done)
    for (size_t i = 0; i < once.size(); ++i) *proof += static_cast<char>(once[i] ^ mask[i]);
  ::explicit_bzero(once.data(), once.size());
  ::explicit_bzero(twice.data(), twice.size());
  return done;
}

bool MysqlClientHalf::ask(std::string_view question, std::string* proof) {
  // The server ends this challenge with a NUL.
  if (plugin() == kSha2 && question.size() > kNonceSize) question = question.substr(0, kNonceSize);
  return ask_client(plugin(), question, proof) == engine::Dialogue::Outcome::kAnswered;
}

// Whether the account's plugin wants the password itself.
bool MysqlClientHalf::takes_password() const {
  return plugin() == "mysql_clear_password" || plugin() == "sha256_password";
}

}  // namespace hs::mysql
