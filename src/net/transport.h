// The way of a connection's bytes to and from its client. Everything that is done to a socket once
// it is accepted is done here, so that encryption has one place to stand.
//
// One thread at a time, that of the connection. None of the calls waits but wait_until_writable().
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

  // Bytes of the client's, at most `size`; 0 at the end of them; -1 with errno as recv(2) sets it.
  ssize_t receive(char* bytes, size_t size);
  // How many of the bytes were taken; -1 with errno as send(2) sets it.
  ssize_t send(const char* bytes, size_t size);

  // Waits until send() can take something, at most so long. False: it cannot.
  bool wait_until_writable(int timeout_ms);

  // Tells the client that nothing more is sent. False: the client has gone.
  bool end_output();
  void close() { socket_.reset(); }

  // The client's address, for messages: "127.0.0.1:40112", "a Unix socket". May throw
  // std::bad_alloc.
  std::string remote_address() const;

 private:
  FileDescriptor socket_;
};

}  // namespace hs::net
