// What all TLS connections of the load generator share.
#ifndef HS_TOOLS_BENCH_TLS_H_
#define HS_TOOLS_BENCH_TLS_H_

#include <memory>
#include <string>

struct ssl_ctx_st;
struct ssl_st;

namespace hs::bench {

// The library's own defaults, so that every server gets the same offer. A server that closes its end
// raises SIGPIPE when something is sent to it: the program must ignore that signal.
class Tls {
 public:
  // The server's certificate must be signed by one in the file; any is taken when `ca_file` is
  // empty. Names are not looked at. Throws Failure.
  explicit Tls(const std::string& ca_file);
  Tls(const Tls&) = delete;
  Tls& operator=(const Tls&) = delete;
  ~Tls();

  struct Free {
    void operator()(ssl_st* ssl) const;
  };
  using Stream = std::unique_ptr<ssl_st, Free>;

  // Shakes hands over a socket that blocks. Throws Failure.
  Stream connect(int descriptor) const;

 private:
  ssl_ctx_st* context_;
};

}  // namespace hs::bench

#endif  // HS_TOOLS_BENCH_TLS_H_
