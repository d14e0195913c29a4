// SPDX-License-Identifier: GPL-2.0-only
#include "mariadb/server_headers.h"
// (before anything else)
#include <mysql_com.h>

#include <algorithm>

#include "mariadb/client_half.h"

namespace hs::mariadb {
namespace {

using Proof = engine::Credentials::Proof;

constexpr std::string_view kNativePassword = "mysql_native_password";

}  // namespace

bool MariaClientHalf::answer_to(std::string_view question, std::string* proof) {
  if (credentials().proof == Proof::kDialogue) return ask(question, proof);
  const std::string& secret = credentials().secret;
  if (plugin() == kNativePassword && question.size() >= SCRAMBLE_LENGTH) {
    if (credentials().proof == Proof::kResponse) {
      // Only for the challenge that the client was given.
      if (!std::equal(credentials().challenge.begin(), credentials().challenge.end(),
                      question.begin()))
        return false;
      *proof += secret;
      return true;
    }
    if (credentials().proof != Proof::kPassword) return false;
    if (secret.empty()) return true;
    char bytes[SCRAMBLE_LENGTH + 1];
    char message[SCRAMBLE_LENGTH + 1] = "";
    std::copy_n(question.begin(), SCRAMBLE_LENGTH, message);
    scramble(bytes, message, secret.c_str());
    proof->append(bytes, SCRAMBLE_LENGTH);
    return true;
  }
  // A wrong answer, behind which the server may go on to another method of the account.
  if (!takes_password()) return credentials().proof != Proof::kPeer;
  if (credentials().proof != Proof::kPassword) return false;
  *proof += secret;
  *proof += '\0';
  return true;
}

bool MariaClientHalf::ask(std::string_view question, std::string* proof) {
  using Outcome = engine::Dialogue::Outcome;
  // Methods are called as their accounts are: client_ed25519 is the client's half of ed25519.
  constexpr std::string_view kPrefix = "client_";
  std::string_view method = plugin();
  if (method.starts_with(kPrefix)) method.remove_prefix(kPrefix.size());
  // The server ends this challenge with a NUL.
  if (method == kNativePassword) question = question.substr(0, SCRAMBLE_LENGTH);
  const Outcome outcome = ask_client(method, question, proof);
  // Here, too, the account may have another method.
  return outcome == Outcome::kAnswered || (outcome == Outcome::kCannot && !takes_password());
}

// Whether the account's plugin wants the password itself. Some count each try.
bool MariaClientHalf::takes_password() const {
  return plugin() == "mysql_clear_password" || plugin() == "dialog";
}

}  // namespace hs::mariadb
