// SPDX-License-Identifier: GPL-2.0-only
#include "mysql/server_headers.h"
// (before anything else)
#include <openssl/ssl.h>

#include "in_server/tls.h"
#include "sql/ssl_acceptor_context_operator.h"

namespace hs::in_server {
namespace {

class ServerTls final : public net::TlsContext {
 public:
  bool exists() const override {
    return mysql_main != nullptr && Lock_and_access_ssl_acceptor_context(mysql_main).have_ssl();
  }

  // ALTER INSTANCE RELOAD TLS puts another context in place. The new object keeps the one that it was
  // made from. Without a certificate there is no context to ask for.
  ssl_st* new_connection() override {
    if (mysql_main == nullptr) return nullptr;
    Lock_and_access_ssl_acceptor_context context(mysql_main);
    return context.have_ssl() ? SSL_new(static_cast<SSL_CTX*>(context)) : nullptr;
  }

  bool requires_secure_transport() const override { return opt_require_secure_transport; }
};

}  // namespace

net::TlsContext& server_tls() {
  static ServerTls tls;
  return tls;
}

}  // namespace hs::in_server
