#include "net/acceptor.h"

#include <fcntl.h>
#include <sys/socket.h>

#include <cerrno>
#include <new>
#include <string>
#include <system_error>

namespace hs::net {
namespace {

// How long to pause when the system has no memory for another connection, or no descriptor.
constexpr int kPauseMs = 100;
// Connections taken from one listening socket before stop() and the other sockets are looked at.
constexpr int kMostAtOnce = 256;

// The error is that of one client, which has gone; the next client may be waiting.
bool concerns_one_client(int error) {
  switch (error) {
    case EINTR:
    case ECONNABORTED:
    case EPROTO:
    case EPERM:
    case ENETDOWN:
    case ENOPROTOOPT:
    case EHOSTDOWN:
    case ENONET:
    case EHOSTUNREACH:
    case EOPNOTSUPP:
    case ENETUNREACH:
      return true;
    default:
      return false;
  }
}

FileDescriptor accept_from(const FileDescriptor& listening) {
  return FileDescriptor(::accept4(listening.get(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
}

FileDescriptor copy_of(int fd) { return FileDescriptor(::fcntl(fd, F_DUPFD_CLOEXEC, 0)); }

}  // namespace

Acceptor::Acceptor(const Listener& listener, Handlers handlers)
    : listener_(listener), handlers_(std::move(handlers)), spare_(copy_of(stop_.fd())) {
  for (const FileDescriptor& socket : listener_.sockets()) {
    watched_.push_back({socket.get(), POLLIN, 0});
  }
  watched_.push_back({stop_.fd(), POLLIN, 0});
}

void Acceptor::run() {
  for (;;) {
    ::poll(watched_.data(), watched_.size(), -1);
    if (watched_.back().revents != 0) return accept_the_last();
    bool pause = false;
    for (size_t i = 0; i + 1 < watched_.size(); ++i) {
      if (watched_[i].revents != 0 && !accept_waiting(listener_.sockets()[i])) pause = true;
    }
    if (pause && stopped(kPauseMs)) return;
  }
}

// Closing a listening socket would end the connections that wait there.
void Acceptor::accept_the_last() {
  for (const FileDescriptor& socket : listener_.sockets()) accept_waiting(socket);
}

bool Acceptor::accept_waiting(const FileDescriptor& listening) {
  for (int i = 0; i < kMostAtOnce; ++i) {
    // Before a client has it: else a descriptor that comes free would never be the spare again.
    if (!spare_) spare_ = copy_of(stop_.fd());
    FileDescriptor socket = accept_from(listening);
    if (socket) {
      warned_ = false;
      handlers_.accepted(std::move(socket));
      continue;
    }
    const int error = errno;
    if (error == EAGAIN) return true;
    if (concerns_one_client(error)) continue;
    if ((error == EMFILE || error == ENFILE) && spare_) {
      if (refuse_one(listening)) continue;
      return false;  // the spare may be back after a pause
    }
    warn(error);
    return false;
  }
  return true;
}

// False: another thread has taken the spare descriptor's place.
bool Acceptor::refuse_one(const FileDescriptor& listening) {
  spare_.reset();
  if (FileDescriptor socket = accept_from(listening)) handlers_.refused(std::move(socket));
  spare_ = copy_of(stop_.fd());
  return static_cast<bool>(spare_);
}

void Acceptor::warn(int error) {
  if (warned_) return;
  warned_ = true;
  try {
    handlers_.warning("cannot accept connections on " + listener_.place() + ": " +
                      std::generic_category().message(error) + "; they wait");
  } catch (const std::bad_alloc&) {
    handlers_.warning("cannot accept connections: out of memory; they wait");
  }
}

bool Acceptor::stopped(int wait_ms) {
  pollfd watched{stop_.fd(), POLLIN, 0};
  return ::poll(&watched, 1, wait_ms) > 0;
}

}  // namespace hs::net
