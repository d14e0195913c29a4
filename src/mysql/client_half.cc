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
constexpr size_t kHeader = 4;  // three bytes of size, one that counts the packets
constexpr unsigned char kOtherPlugin = 0xfe;
constexpr char kEscape = 1;  // in front of a question that could be taken for another packet
// A plugin that asks more often wants something else than a password.
constexpr int kMostAnswers = 8;

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

void ClientHalf::write(const unsigned char* bytes, size_t size) {
  received_.append(reinterpret_cast<const char*>(bytes), size);
}

size_t ClientHalf::read(unsigned char* bytes, size_t size) {
  if (taken_ == answer_.size() && !answer()) return 0;
  const size_t count = std::min(size, answer_.size() - taken_);
  memcpy(bytes, answer_.data() + taken_, count);
  taken_ += count;
  return count;
}

// Answers the last packet that was received.
bool ClientHalf::answer() {
  forget_answer();
  std::string_view last;
  unsigned char number = 0;
  for (std::string_view rest = received_; rest.size() >= kHeader;) {
    const auto byte = [&](size_t i) { return size_t{static_cast<unsigned char>(rest[i])}; };
    const size_t size = byte(0) + (byte(1) << 8) + (byte(2) << 16);
    if (rest.size() - kHeader < size) break;
    number = static_cast<unsigned char>(rest[3]);
    last = rest.substr(kHeader, size);
    rest.remove_prefix(kHeader + size);
  }
  if (last.empty() || is_over_ || ++answers_ > kMostAnswers) return false;
  std::string_view question = last;
  if (static_cast<unsigned char>(last[0]) == kOtherPlugin) {
    const size_t end = std::min(last.find('\0'), last.size());
    plugin_ = last.substr(1, end - 1);
    question = last.substr(std::min(end + 1, last.size()));
  } else if (last[0] == kEscape) {
    question.remove_prefix(1);
  }
  // The packet is built in place, so that no copy of the proof is left in memory.
  constexpr size_t kMostProof = 64u << 10;
  answer_.reserve(kHeader + kMostProof);
  answer_.assign(kHeader, '\0');
  if (!answer_to(question, &answer_) || answer_.size() > kHeader + kMostProof) {
    forget_answer();
    return false;
  }
  const size_t size = answer_.size() - kHeader;
  for (size_t i = 0; i < 3; ++i) answer_[i] = static_cast<char>(size >> (8 * i));
  answer_[3] = static_cast<char>(number + 1);
  received_.clear();
  return true;
}

// Appends the proof that the plugin wants. False: the client has none of this kind.
bool ClientHalf::answer_to(std::string_view question, std::string* proof) {
  if (credentials_.proof == Proof::kDialogue) return ask_client(question, proof);
  if (credentials_.proof != Proof::kPassword) return false;
  const std::string& secret = credentials_.secret;
  if (plugin_ == kSha2 && question.size() >= kNonceSize) {
    if (!secret.empty()) return scramble_password(question.substr(0, kNonceSize), proof);
    *proof += '\0';
    return true;
  }
  const bool wants_password = takes_password() || (plugin_ == kSha2 && question.size() == 1 &&
                                                   question[0] == kWantsPassword);
  if (!wants_password) return false;
  *proof += secret;
  *proof += '\0';
  return true;
}

// SHA256(password) XOR SHA256(SHA256(SHA256(password)) and the nonce).
bool ClientHalf::scramble_password(std::string_view nonce, std::string* proof) const {
  Digest once, twice, mask;
  const bool done = sha256(credentials_.secret, {}, &once) && sha256(as_text(once), {}, &twice) &&
                    sha256(as_text(twice), nonce, &mask);
  if (done)
    for (size_t i = 0; i < once.size(); ++i) *proof += static_cast<char>(once[i] ^ mask[i]);
  ::explicit_bzero(once.data(), once.size());
  ::explicit_bzero(twice.data(), twice.size());
  return done;
}

bool ClientHalf::ask_client(std::string_view question, std::string* proof) {
  using Outcome = engine::Dialogue::Outcome;
  // The server ends this challenge with a NUL.
  if (plugin_ == kSha2 && question.size() > kNonceSize) question = question.substr(0, kNonceSize);
  const Outcome outcome = credentials_.dialogue->ask(plugin_, question, proof);
  if (outcome == Outcome::kAnswered) return true;
  is_over_ = outcome != Outcome::kCannot;
  return false;
}

// Whether the account's plugin wants the password itself.
bool ClientHalf::takes_password() const {
  return plugin_ == "mysql_clear_password" || plugin_ == "sha256_password";
}

void ClientHalf::forget_answer() {
  ::explicit_bzero(answer_.data(), answer_.size());
  answer_.clear();
  taken_ = 0;
}

}  // namespace hs::mysql
