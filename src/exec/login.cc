#include "exec/login.h"

#include <sys/random.h>

#include <array>
#include <new>
#include <utility>

#include "base/traces.h"
#include "exec/one_row.h"

namespace hs::exec {
namespace {

using engine::Credentials;
using protocol::AuthMethod;
using protocol::Request;

constexpr std::string_view kNativePassword = "mysql_native_password";
constexpr std::string_view kPeerUser = "unix_socket";
constexpr std::string_view kPassword = "password";  // A 4, as H lists it
// The size of the challenges of the methods that draw them themselves.
constexpr size_t kNonceSize = 32;
// No account has a longer name, in bytes.
constexpr size_t kMaxUserSize = 512;

// Calls `visit` with each name of a list, until it returns true. False: it never did.
template <class Visit>
bool any_of(std::string_view list, Visit visit) {
  for (;;) {
    const size_t comma = list.find(',');
    if (visit(list.substr(0, comma))) return true;
    if (comma == std::string_view::npos) return false;
    list.remove_prefix(comma + 1);
  }
}

bool lists(std::string_view list, std::string_view wanted) {
  return any_of(list, [wanted](std::string_view name) { return name == wanted; });
}

bool is_safe(std::string_view method, bool on_private_channel) {
  return on_private_channel || lists(kOpenMethods, method);
}

// A method whose challenge the server may draw anywhere, so that no thread waits for the answer.
bool is_cheap(std::string_view method) { return method == kNativePassword; }

// Whether the client can do a method of which the challenge is drawn in the middle of a login.
bool wants_dialogue(std::string_view methods, const Channel& channel) {
  return any_of(methods, [&](std::string_view method) {
    return !method.empty() && !is_cheap(method) && method != kPeerUser && method != kPassword &&
           is_safe(method, channel.is_private);
  });
}

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

// False: it is no hexadecimal text.
bool read_hex(std::string_view text, std::string* bytes) {
  bytes->clear();
  if (text.size() % 2 != 0) return false;
  bytes->reserve(text.size() / 2);  // no copy of a secret is left where it was before
  for (size_t i = 0; i < text.size(); i += 2) {
    const int high = hex_digit(text[i]);
    const int low = hex_digit(text[i + 1]);
    if (high < 0 || low < 0) return false;
    bytes->push_back(static_cast<char>(high * 16 + low));
  }
  return true;
}

std::string to_hex(std::span<const char> bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  for (const char byte : bytes) {
    const auto number = static_cast<unsigned char>(byte);
    text += kDigits[number / 16];
    text += kDigits[number % 16];
  }
  return text;
}

// As the server makes its own: seven bits, and none of the two that some clients cannot take.
bool draw_challenge(std::array<char, Credentials::kChallengeSize>* challenge) {
  if (::getrandom(challenge->data(), challenge->size(), 0) !=
      static_cast<ssize_t>(challenge->size())) {
    return false;
  }
  for (char& byte : *challenge) {
    byte = static_cast<char>(byte & 0x7f);
    if (byte == '\0' || byte == '$') ++byte;
  }
  return true;
}

// The user and the password may be in one field.
Request with_user(Request request) {
  const std::string_view both = request.auth_key.text();
  const size_t colon = both.find(':');
  if (!request.auth_user.is_null() || colon == std::string_view::npos) return request;
  request.auth_user = Value::of(both.substr(0, colon));
  request.auth_key = Value::of(both.substr(colon + 1));
  return request;
}

void want(const Request& request, const Channel& channel, Credentials::Proof proof,
          Client& client) {
  auto login = std::make_shared<Login>();
  login->credentials.user = request.auth_user.text();
  login->credentials.proof = proof;
  if (proof == Credentials::Proof::kPassword) login->credentials.secret = request.auth_key.text();
  login->credentials.socket = channel.socket;
  login->credentials.tls = channel.tls;
  if (proof == Credentials::Proof::kDialogue) {
    login->methods = request.auth_key.text();
    login->is_private = channel.is_private;
  }
  client.set_login(std::move(login));
}

bool begin_response(const Request& request, const Channel& channel, Client& client) {
  Login* const login = client.login();
  if (login == nullptr || login->state != Login::State::kChallenged) return false;
  if (!read_hex(request.auth_key.text(), &login->credentials.secret)) return false;
  if (login->credentials.proof == Credentials::Proof::kDialogue) {
    login->state = Login::State::kWanted;
    return true;
  }
  login->credentials.socket = channel.socket;
  login->credentials.tls = channel.tls;
  login->state = Login::State::kWanted;
  return true;
}

Result<void> tell_question(const Login& login, protocol::ReplyWriter& reply) {
  const std::string text = to_hex(login.question);
  return reply_row(std::array{Value::of(login.method), Value::of(text)}, reply);
}

// A challenge to which no answer is right.
Result<void> decoy(Client& client, protocol::ReplyWriter& reply) {
  Login& login = *client.login();
  any_of(login.methods, [&login](std::string_view method) {
    if (!lists(kOpenMethods, method)) return false;
    login.method = method;
    return true;
  });
  if (login.method.empty()) return ErrorCode::kAuthType;
  std::array<char, Credentials::kChallengeSize> challenge{};
  if (!draw_challenge(&challenge)) return ErrorCode::kUnauthorized;
  login.question.assign(challenge.begin(), challenge.end());
  if (!is_cheap(login.method)) {
    login.question.resize(kNonceSize);
    if (::getrandom(login.question.data(), kNonceSize, 0) != static_cast<ssize_t>(kNonceSize)) {
      return ErrorCode::kUnauthorized;
    }
  }
  login.is_decoy = login.has_asked = true;
  login.state = Login::State::kChallenged;
  return tell_question(login, reply);
}

Result<void> challenge(const Request& request, Client& client, protocol::ReplyWriter& reply) {
  const std::string_view methods = request.auth_key.text();
  if (!methods.empty() && !lists(methods, kNativePassword)) return ErrorCode::kAuthType;
  auto login = std::make_shared<Login>();
  login->state = Login::State::kChallenged;
  login->credentials.user = request.auth_user.text();
  login->credentials.proof = Credentials::Proof::kResponse;
  if (!draw_challenge(&login->credentials.challenge)) return ErrorCode::kUnauthorized;
  const std::string text = to_hex(login->credentials.challenge);
  client.set_login(std::move(login));
  return reply_row(std::array{Value::of(kNativePassword), Value::of(text)}, reply);
}

Result<void> tell(Client& client, protocol::ReplyWriter& reply) {
  if (client.login()->wants_decoy()) {
    Result<void> told = decoy(client, reply);
    if (!told) client.set_login(nullptr);
    return told;
  }
  Result<engine::AccountPtr> result = std::move(client.login()->result);
  client.set_login(nullptr);
  client.set_authorized(result.has_value());
  client.set_account(result ? std::move(*result) : nullptr);
  if (!result) return std::move(result.error());
  reply.ok();
  return {};
}

}  // namespace

bool Login::carry_out(engine::Engine& engine, engine::Dialogue* client) {
  Result<engine::AccountPtr> outcome = ErrorCode::kUnauthorized;
  if (!is_decoy) {
    credentials.dialogue = client;
    try {
      outcome = engine.log_in(credentials);
    } catch (const std::bad_alloc&) {
      outcome = ErrorCode::kMaxMemory;
    }
    overwrite_traces();  // before the client is told
    if (exchange.given_up()) return false;
  }
  credentials.forget_secret();
  result = std::move(outcome);
  state = State::kDone;
  return true;
}

bool Login::takes(std::string_view asked_method) const {
  return lists(methods, asked_method) && is_safe(asked_method, is_private);
}

void Login::ask(std::string_view asked_method, std::string_view what) {
  method = asked_method;
  question = what;
  has_asked = true;
  state = State::kAsks;
  exchange.open();
}

void Login::refuse(ErrorCode error) {
  credentials.forget_secret();
  result = error;
  state = State::kDone;
}

bool begin_login(const Request& request, const Channel& channel, Client& client) {
  if (!client.authentication().account || request.error) return false;
  const Login* const login = client.login();
  if (login != nullptr &&
      (login->state == Login::State::kDone || login->state == Login::State::kAsks)) {
    return false;
  }
  if (request.auth_user.size > kMaxUserSize) return false;
  switch (request.auth_method) {
    case AuthMethod::kChallenge:
      if (channel.knows_peer && lists(request.auth_key.text(), kPeerUser)) {
        want(request, channel, Credentials::Proof::kPeer, client);
        return true;
      }
      if (!wants_dialogue(request.auth_key.text(), channel)) return false;
      want(request, channel, Credentials::Proof::kDialogue, client);
      return true;
    case AuthMethod::kResponse:
      return begin_response(request, channel, client);
    case AuthMethod::kPassword:
    case AuthMethod::kNameAndSecret:
      if (!channel.is_private) return false;
      want(with_user(request), channel, Credentials::Proof::kPassword, client);
      return true;
    case AuthMethod::kSecret:
    case AuthMethod::kUnknown:
      break;
  }
  return false;
}

Result<void> answer_login(const Request& request, Client& client, protocol::ReplyWriter& reply) {
  Login* const login = client.login();
  if (login != nullptr && login->state == Login::State::kDone) return tell(client, reply);
  if (login != nullptr && login->state == Login::State::kAsks) {
    login->state = Login::State::kChallenged;
    return tell_question(*login, reply);
  }
  switch (request.auth_method) {
    case AuthMethod::kChallenge:
      if (request.error || request.auth_user.size > kMaxUserSize) break;
      return challenge(request, client, reply);
    case AuthMethod::kResponse:
      break;
    case AuthMethod::kPassword:
    case AuthMethod::kNameAndSecret:
      // begin_login() has refused the channel, or what the request says.
      return request.error ? *request.error : ErrorCode::kAuthType;
    case AuthMethod::kSecret:
    case AuthMethod::kUnknown:
      return ErrorCode::kAuthType;
  }
  client.set_login(nullptr);
  client.log_out();
  return request.error.value_or(ErrorCode::kUnauthorized);
}

}  // namespace hs::exec
