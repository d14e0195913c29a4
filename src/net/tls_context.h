// Where the TLS of new connections comes from. The owner of the certificates implements it.
#pragma once

extern "C" {
struct ssl_st;  // OpenSSL's SSL
}

namespace hs::net {

// Any thread, all functions.
class TlsContext {
 public:
  virtual ~TlsContext() = default;

  // Whether there is a certificate at present.
  virtual bool exists() const = 0;

  // A new object for one connection to a client, with today's certificate and policy. The caller
  // owns it. Null: there is no TLS, or no memory.
  virtual ssl_st* new_connection() = 0;

  // Whether a client that comes over TCP without TLS must be refused.
  virtual bool requires_secure_transport() const = 0;
};

}  // namespace hs::net
