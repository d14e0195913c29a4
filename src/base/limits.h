// The bounds on everything that a client can make grow. A user can set the fields of Limits by
// variables of the same names (docs/variables.md). docs/limits.md lists all bounds.
#pragma once

#include <cstddef>
#include <cstdint>

namespace hs {

struct Limits {
  size_t max_request_size = 64u << 20;  // bytes of one request, without its end
  size_t max_reply_size = 64u << 20;    // bytes of one reply, without its end
  uint32_t max_connections = 20000;     // to all endpoints of one mode
  uint32_t max_open_indexes = 1024;     // of one connection
  uint32_t max_changed_rows = 1000000;  // by one request
  uint32_t max_rows = UINT32_MAX;       // of one reply
  uint32_t max_in_keys = 1u << 20;      // values of one IN
  uint32_t max_columns = 4096;          // in each list of columns of an index
  // Bytes of output that wait for a slow client before its further requests are left unread.
  uint32_t max_buffered = 256u << 10;
  uint64_t max_memory = 512u << 20;  // bytes that all connections hold together; 0: no bound
};

// Bytes of one request, without its end, from a client that is not known yet: it has not
// authenticated, or, where no secret is asked for, has opened no index.
inline constexpr size_t kMaxRequestOfUnknown = 64u << 10;

// Values of one request (key values, IN values, modify values, filters). The request's size already
// bounds the memory for their views; this bounds the work.
inline constexpr uint32_t kMaxRequestValues = 1u << 20;

// Bytes read from one connection in one cycle, unless handlersocket_readsize asks for more.
inline constexpr size_t kReadSize = 64u << 10;

// Memory that an idle connection may keep in each of its two buffers, in bytes.
inline constexpr size_t kIdleBuffer = 2u << 10;

}  // namespace hs
