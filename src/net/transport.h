// Carries a connection's bytes to and from its client. Everything that is done to a socket after it
// is accepted is done here, and what is sent over TLS is encrypted here.
//
// One thread at a time, that of the connection. Only wait_until_writable() waits.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "net/file_descriptor.h"
#include "net/tls_stream.h"

namespace hs::net {

class Transport {
 public:
  Transport() = default;
  // `socket` is connected and non-blocking.
  explicit Transport(FileDescriptor socket) : socket_(std::move(socket)) {}

  // For epoll.
  int descriptor() const { return socket_.get(); }

  // Reads at most `size` bytes that the client sent, as they came: with TLS they are encrypted. 0
  // at their end; -1 with errno as recv(2) sets it.
  ssize_t receive(char* bytes, size_t size);
  // As receive() of one byte, which stays where it is.
  ssize_t peek(char* byte) const;
  // How many of the bytes were taken; -1 with errno as send(2) sets it. With TLS up to
  // TlsStream::kMostSealed of them may be kept here, see unsent(). To send nothing sends what is
  // kept.
  ssize_t send(const char* bytes, size_t size) {
    return tls_ == nullptr ? send_plain(bytes, size) : send_sealed(bytes, size);
  }
  // How many bytes of records are kept. send() takes nothing until they are sent.
  size_t unsent() const { return tls_ == nullptr ? 0 : tls_->records().size(); }

  // Waits at most `timeout_ms` until send() can take something. False: it cannot.
  bool wait_until_writable(int timeout_ms);

  // TLS: sends its last record, behind which the client expects nothing. What the system does not
  // take is kept, see unsent().
  void seal_end();
  // Tells the client that nothing more will be sent. False: the client has gone.
  bool end_output();
  void close() { socket_.reset(); }

  // Gives memory back that an idle connection does not need.
  void shrink() {
    if (tls_ != nullptr) tls_->shrink();
  }

  // From here on the client is talked to by TLS, at first its handshake.
  void begin_tls(std::unique_ptr<TlsStream> tls) { tls_ = std::move(tls); }
  // Null: there is no TLS.
  TlsStream* tls() { return tls_.get(); }
  const TlsStream* tls() const { return tls_.get(); }

  // Whether the client came over a Unix socket.
  bool is_local() const;
  // Whether what is sent cannot be read on the way: a Unix socket, or TLS.
  bool is_secure() const { return (tls_ != nullptr && tls_->established()) || is_local(); }
  // The user of the process at the other end of a Unix socket, when it connected. Empty: over TCP.
  std::optional<uid_t> peer_uid() const;

  // The client's address, for messages: "127.0.0.1:40112", "a Unix socket". May throw
  // std::bad_alloc.
  std::string remote_address() const;
  // A number for the client's address without its port. Of IPv6 it is that of the network, the first
  // 64 bits. 0: a Unix socket, or the client has gone.
  uint64_t host_number() const;
  // The client's address without its port: "127.0.0.1", "::1". Empty: a Unix socket, or the client
  // has gone. May throw std::bad_alloc.
  std::string remote_host() const;

 private:
  ssize_t send_plain(const char* bytes, size_t size);
  ssize_t send_sealed(const char* bytes, size_t size);
  bool send_records();

  FileDescriptor socket_;
  std::unique_ptr<TlsStream> tls_;
};

}  // namespace hs::net
