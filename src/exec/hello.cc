#include "exec/hello.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "exec/auth.h"
#include "exec/one_row.h"

namespace hs::exec {
namespace {

constexpr std::string_view kProtocol = "2";
constexpr std::string_view kProduct = "HandlerSocket 2";
// What clients can ask for beyond the original's requests.
constexpr std::string_view kFeaturesWithTls =
    "tls,login,descending,all,count,describe,upsert,returning,gtid,transaction,ttl";
constexpr std::string_view kFeatures = kFeaturesWithTls.substr(std::string_view("tls,").size());

std::string_view methods(const Authentication& authentication) {
  return authentication.account ? "mysql_native_password,ed25519,unix_socket,password" : "secret";
}

// Operators see it in tables and logs.
std::string shown(std::string_view name) {
  std::string text(name.substr(0, kMaxClientName));
  std::replace_if(
      text.begin(), text.end(), [](char c) { return c < ' ' || c > '~'; }, '?');
  return text;
}

}  // namespace

Result<void> hello(const Context& context, const protocol::Request& request, Client& client,
                   protocol::ReplyWriter& reply) {
  client.set_name(shown(request.client_name.text()));
  if (!may_proceed(client)) {
    return reply_row(std::array{Value::of(kProtocol), Value::of(kProduct),
                                Value::of(methods(client.authentication()))},
                     reply);
  }
  const std::string id = std::to_string(client.id());
  return reply_row(
      std::array{Value::of(kProtocol), Value::of(kProduct), Value::of(context.version),
                 Value::of(context.server_version),
                 Value::of(context.has_tls ? kFeaturesWithTls : kFeatures), Value::of(id)},
      reply);
}

}  // namespace hs::exec
