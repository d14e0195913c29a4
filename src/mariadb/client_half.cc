// SPDX-License-Identifier: GPL-2.0-only
#include "mariadb/server_headers.h"
// (before anything else)
#include <mysql_com.h>
#include <string.h>

#include <algorithm>

#include "mariadb/client_half.h"

namespace hs::mariadb {
namespace {

using Proof = engine::Credentials::Proof;

constexpr std::string_view kNativePassword = "mysql_native_password";
constexpr size_t kHeader = 4;  // three bytes of size, one that counts the packets
constexpr unsigned char kOtherPlugin = 0xfe;
constexpr char kEscape = 1;  // in front of a question that could be taken for another packet
// A plugin that asks more often wants something else than a password.
constexpr int kMostAnswers = 8;

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
  const std::string& secret = credentials_.secret;
  if (plugin_ == kNativePassword && question.size() >= SCRAMBLE_LENGTH) {
    if (credentials_.proof == Proof::kResponse) {
      // Only for the challenge that the client was given.
      if (!std::equal(credentials_.challenge.begin(), credentials_.challenge.end(),
                      question.begin()))
        return false;
      *proof += secret;
      return true;
    }
    if (credentials_.proof != Proof::kPassword) return false;
    if (secret.empty()) return true;
    char bytes[SCRAMBLE_LENGTH + 1];
    char message[SCRAMBLE_LENGTH + 1] = "";
    std::copy_n(question.begin(), SCRAMBLE_LENGTH, message);
    scramble(bytes, message, secret.c_str());
    proof->append(bytes, SCRAMBLE_LENGTH);
    return true;
  }
  // A wrong answer, behind which the server may go on to another method of the account.
  if (!takes_password()) return credentials_.proof != Proof::kPeer;
  if (credentials_.proof != Proof::kPassword) return false;
  *proof += secret;
  *proof += '\0';
  return true;
}

bool ClientHalf::ask_client(std::string_view question, std::string* proof) {
  using Outcome = engine::Dialogue::Outcome;
  // Methods are called as their accounts are: client_ed25519 is the client's half of ed25519.
  constexpr std::string_view kPrefix = "client_";
  std::string_view method = plugin_;
  if (method.starts_with(kPrefix)) method.remove_prefix(kPrefix.size());
  // The server ends this challenge with a NUL.
  if (method == kNativePassword) question = question.substr(0, SCRAMBLE_LENGTH);
  const Outcome outcome = credentials_.dialogue->ask(method, question, proof);
  // Here, too, the account may have another method.
  if (outcome == Outcome::kAnswered || outcome == Outcome::kCannot)
    return outcome == Outcome::kAnswered || !takes_password();
  is_over_ = true;
  is_given_up_ = outcome == Outcome::kGivenUp;
  return false;
}

// Whether the account's plugin wants the password itself. Some count each try.
bool ClientHalf::takes_password() const {
  return plugin_ == "mysql_clear_password" || plugin_ == "dialog";
}

void ClientHalf::forget_answer() {
  ::explicit_bzero(answer_.data(), answer_.size());
  answer_.clear();
  taken_ = 0;
}

}  // namespace hs::mariadb
