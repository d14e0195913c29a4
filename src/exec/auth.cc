#include "exec/auth.h"

#include "exec/login.h"

namespace hs::exec {

namespace {

constexpr std::string_view kEverybody = "default";

}  // namespace

bool may_proceed(const Client& client) {
  return !client.authentication().is_required() || client.authorized();
}

bool is_known(const Client& client) {
  return client.authentication().is_required()
             ? client.authorized()
             : client.open_indexes() > 0 || client.tables().is_any();
}

Result<void> authenticate(const protocol::Request& request, Client& client,
                          protocol::ReplyWriter& reply) {
  if (client.authentication().account) return answer_login(request, client, reply);
  const bool is_either = request.auth_method == protocol::AuthMethod::kNameAndSecret;
  if (is_either && !client.authentication().is_required()) {
    // There is nothing to show, but a client may name the user that everybody is.
    if (request.auth_user.is_null()) return ErrorCode::kNotImplemented;
    if (request.auth_user.text() != kEverybody) return ErrorCode::kUnauthorized;
    reply.ok();
    return {};
  }
  // An unknown method tries no secret, so what the client has proven before stands.
  if (request.auth_method != protocol::AuthMethod::kSecret && !is_either) {
    return ErrorCode::kAuthType;
  }
  client.set_authorized(false);
  if (request.error) return *request.error;
  // With no secret only the empty key is right.
  if (request.auth_key.is_null() ||
      !client.authentication().secret.matches(request.auth_key.text())) {
    return ErrorCode::kUnauthorized;
  }
  client.set_authorized(true);
  reply.ok();
  return {};
}

}  // namespace hs::exec
