// recv() and send() without waiting, as the kernel has them.
//
// In a process with several threads the C library makes each of its own a point where the thread
// may be cancelled, with two locked instructions before and two behind; nobody cancels ours.
// Returns and errno are those of recv(2) and send(2).
#pragma once

#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace hs::net {

inline ssize_t receive_now(int socket, char* bytes, size_t size) {
  return ::syscall(SYS_recvfrom, socket, bytes, size, MSG_DONTWAIT, nullptr, nullptr);
}

inline ssize_t send_now(int socket, const char* bytes, size_t size) {
  return ::syscall(SYS_sendto, socket, bytes, size, MSG_NOSIGNAL | MSG_DONTWAIT, nullptr, 0);
}

}  // namespace hs::net
