// One connection to a server as bytes: a socket, with TLS over it if the place asks for it.
#ifndef HS_TOOLS_BENCH_CHANNEL_H_
#define HS_TOOLS_BENCH_CHANNEL_H_

#include <sys/types.h>

#include <cstddef>
#include <string_view>

#include "target.h"
#include "tls.h"

namespace hs::bench {

class Channel {
 public:
  // Connects, and shakes hands. The channel waits for at most kPatience where it must, until
  // set_nonblocking(). Throws Failure.
  explicit Channel(const Place& place);
  ~Channel();
  Channel(Channel&& other) noexcept;
  Channel& operator=(Channel&&) = delete;

  // For epoll.
  int descriptor() const { return descriptor_; }
  void set_nonblocking();

  // How many of the bytes were taken; 0: none now. What was not taken must come first in the next
  // call. Throws Failure.
  size_t send(std::string_view bytes);
  // Reads what is there, at most `size` bytes; 0: nothing now. Throws Failure, also at the end.
  size_t receive(char* bytes, size_t size);
  // Whether receive() has more without a byte from the socket, of which epoll says nothing.
  bool has_pending() const;

 private:
  int descriptor_;
  Tls::Stream tls_;  // null: there is none
};

}  // namespace hs::bench

#endif  // HS_TOOLS_BENCH_CHANNEL_H_
