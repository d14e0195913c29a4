#include "tls.h"

#include <openssl/err.h>
#include <openssl/ssl.h>

#include "target.h"

namespace hs::bench {

namespace {

[[noreturn]] void fail(const std::string& what) {
  const unsigned long number = ERR_get_error();
  const char* const reason = number == 0 ? nullptr : ERR_reason_error_string(number);
  throw Failure(reason == nullptr ? what : what + ": " + reason);
}

}  // namespace

Tls::Tls(const std::string& ca_file) : context_(SSL_CTX_new(TLS_client_method())) {
  if (context_ == nullptr) fail("TLS cannot be used");
  // A read of the socket takes all that is there, and not one record's header.
  SSL_CTX_set_read_ahead(context_, 1);
  SSL_CTX_set_mode(context_, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
  if (ca_file.empty()) return;
  SSL_CTX_set_verify(context_, SSL_VERIFY_PEER, nullptr);
  if (SSL_CTX_load_verify_locations(context_, ca_file.c_str(), nullptr) == 1) return;
  SSL_CTX_free(context_);
  fail("there are no certificates in " + ca_file);
}

Tls::~Tls() { SSL_CTX_free(context_); }

void Tls::Free::operator()(ssl_st* ssl) const { SSL_free(ssl); }

Tls::Stream Tls::connect(int descriptor) const {
  ERR_clear_error();
  Stream stream(SSL_new(context_));
  if (stream == nullptr || SSL_set_fd(stream.get(), descriptor) != 1 ||
      SSL_connect(stream.get()) != 1) {
    fail("no TLS connection");
  }
  return stream;
}

}  // namespace hs::bench
