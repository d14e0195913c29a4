// SPDX-License-Identifier: GPL-2.0-only
#include "mariadb/server_headers.h"
// (before anything else)
#include <openssl/ssl.h>
#include <violite.h>

#include "in_server/tls.h"

// Exported by the server (mysqld.cc), but declared in no header. Null: it has no TLS.
extern st_VioSSLFd* ssl_acceptor_fd;

namespace hs::in_server {
namespace {

class ServerTls final : public net::TlsContext {
 public:
  bool exists() const override { return ssl_acceptor_fd != nullptr; }

  // FLUSH SSL puts another context in place. The new object keeps the one that it was made from.
  ssl_st* new_connection() override {
    mysql_rwlock_rdlock(&LOCK_ssl_refresh);
    ssl_st* const made =
        ssl_acceptor_fd != nullptr ? SSL_new(ssl_acceptor_fd->ssl_context) : nullptr;
    mysql_rwlock_unlock(&LOCK_ssl_refresh);
    return made;
  }

  bool requires_secure_transport() const override { return opt_require_secure_transport != 0; }
};

}  // namespace

net::TlsContext& server_tls() {
  static ServerTls tls;
  return tls;
}

}  // namespace hs::in_server
