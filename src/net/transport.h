// Carries a connection's bytes to and from its client. Everything that is done to a socket after it
// is accepted is done here, so that encryption has one place.
//
// One thread at a time, that of the connection. Only wait_until_writable() waits.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <string>
#include <utility>

#include "net/file_descriptor.h"

namespace hs::net {

class Transport {
 public:
  Transport() = default;
  // `socket` is connected and non-blocking.
  explicit Transport(FileDescriptor socket) : socket_(std::move(socket)) {}

  // For epoll.
  int descriptor() const { return socket_.get(); }

  // Reads at most `size` bytes that the client sent. 0 at their end; -1 with errno as recv(2) sets
  // it.
  ssize_t receive(char* bytes, size_t size);
  // How many of the bytes the system took; -1 with errno as send(2) sets it.
  ssize_t send(const char* bytes, size_t size);

  // Waits at most `timeout_ms` until send() can take something. False: it cannot.
  bool wait_until_writable(int timeout_ms);

  // Tells the client that nothing more will be sent. False: the client has gone.
  bool end_output();
  void close() { socket_.reset(); }

  // The client's address, for messages: "127.0.0.1:40112", "a Unix socket". May throw
  // std::bad_alloc.
  std::string remote_address() const;

 private:
  FileDescriptor socket_;
};

}  // namespace hs::net
