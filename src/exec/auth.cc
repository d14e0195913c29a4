#include "exec/auth.h"

#include "exec/login.h"

namespace hs::exec {
namespace {

// Takes the same time wherever the two differ: the time of an answer must not tell how much of a
// guess was right.
bool same_secret(std::string_view given, std::string_view secret) {
  volatile unsigned difference = given.size() == secret.size() ? 0 : 1;
  for (size_t i = 0; i < given.size(); ++i) {
    const char expected = secret.empty() ? '\0' : secret[i % secret.size()];
    difference =
        difference | (static_cast<unsigned char>(given[i]) ^ static_cast<unsigned char>(expected));
  }
  return difference == 0;
}

}  // namespace

bool may_proceed(const Client& client) {
  return !client.authentication().is_required() || client.authorized();
}

bool is_known(const Client& client) {
  return client.authentication().is_required() ? client.authorized() : client.open_indexes() > 0;
}

Result<void> authenticate(const protocol::Request& request, Client& client,
                          protocol::ReplyWriter& reply) {
  if (client.authentication().account) return answer_login(request, client, reply);
  // An unknown method tries no secret, so what the client has proven before stands.
  if (request.auth_method != protocol::AuthMethod::kSecret) return ErrorCode::kAuthType;
  client.set_authorized(false);
  if (request.error) return *request.error;
  // With no secret only the empty key is right.
  if (request.auth_key.is_null() ||
      !same_secret(request.auth_key.text(), client.authentication().secret)) {
    return ErrorCode::kUnauthorized;
  }
  client.set_authorized(true);
  reply.ok();
  return {};
}

}  // namespace hs::exec
