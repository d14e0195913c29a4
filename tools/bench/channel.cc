#include "channel.h"

#include <fcntl.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "socket.h"

namespace hs::bench {

namespace {

// What a call of the library that did nothing means: it is to be tried again, or it failed.
void check(const ssl_st& tls, int result, const char* what) {
  switch (SSL_get_error(&tls, result)) {
    case SSL_ERROR_WANT_READ:
    case SSL_ERROR_WANT_WRITE:
      return;
    case SSL_ERROR_ZERO_RETURN:
      throw Failure("the server has closed a connection");
    case SSL_ERROR_SYSCALL:
      throw Failure(system_error(what));
    default:
      const char* const reason = ERR_reason_error_string(ERR_peek_error());
      throw Failure(std::string(what) + ": " + (reason == nullptr ? "TLS failed" : reason));
  }
}

}  // namespace

Channel::Channel(const Place& place) : descriptor_(connect_to(place)) {
  const timeval patience{std::chrono::floor<std::chrono::seconds>(kPatience).count(), 0};
  ::setsockopt(descriptor_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
  if (place.tls == nullptr) return;
  try {
    tls_ = place.tls->connect(descriptor_);
  } catch (...) {
    ::close(descriptor_);
    throw;
  }
}

Channel::Channel(Channel&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)), tls_(std::move(other.tls_)) {}

Channel::~Channel() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

void Channel::set_nonblocking() { ::fcntl(descriptor_, F_SETFL, O_NONBLOCK); }

size_t Channel::send(std::string_view bytes) {
  if (tls_ != nullptr) {
    ERR_clear_error();
    size_t sent = 0;
    const int done = SSL_write_ex(tls_.get(), bytes.data(), bytes.size(), &sent);
    if (done != 1) check(*tls_, done, "cannot send");
    return sent;
  }
  const ssize_t sent = ::send(descriptor_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
  if (sent < 0 && errno != EAGAIN) throw Failure(system_error("cannot send"));
  return sent < 0 ? 0 : static_cast<size_t>(sent);
}

size_t Channel::receive(char* bytes, size_t size) {
  if (tls_ != nullptr) {
    ERR_clear_error();
    size_t got = 0;
    const int done = SSL_read_ex(tls_.get(), bytes, size, &got);
    if (done != 1) check(*tls_, done, "cannot receive");
    return got;
  }
  const ssize_t got = ::recv(descriptor_, bytes, size, 0);
  if (got < 0 && errno != EAGAIN) throw Failure(system_error("cannot receive"));
  if (got == 0) throw Failure("the server has closed a connection");
  return got < 0 ? 0 : static_cast<size_t>(got);
}

bool Channel::has_pending() const { return tls_ != nullptr && SSL_has_pending(tls_.get()) == 1; }

}  // namespace hs::bench
