// The bounds on everything that a client can make grow. Those that a user can set are the fields of
// Limits; the variables of the same names are documented in docs/variables.md, all of them in
// docs/limits.md.
#pragma once

#include <cstddef>
#include <cstdint>

namespace hs {

struct Limits {
  size_t max_request_size = 64u << 20;  // bytes of one request line, without its LF
  size_t max_reply_size = 64u << 20;    // bytes of one reply line
  uint32_t max_connections = 20000;     // of one port
  uint32_t max_open_indexes = 1024;     // of one connection
  uint32_t max_changed_rows = 1000000;  // by one request
  uint32_t max_rows = UINT32_MAX;       // of one reply
  uint32_t max_in_keys = 1u << 20;      // values of one IN
  uint32_t max_columns = 4096;          // in each list of columns of an index
  // Bytes of output that wait for a slow client before its further requests are left unread.
  uint32_t max_buffered = 256u << 10;
  uint64_t max_memory = 512u << 20;  // bytes that all connections hold together; 0: no bound
};

// Bytes of one request line, without its LF, of a client that has not shown yet that it is one of
// ours: has not authenticated, or where no secret is asked, opened an index.
inline constexpr size_t kMaxStrangersRequest = 64u << 10;

// Values of one request (key values, IN values, modify values, filters): memory for their views is
// bounded by the request's size, this bounds the work.
inline constexpr uint32_t kMaxRequestValues = 1u << 20;

// Bytes taken from one connection in one cycle, unless handlersocket_readsize asks for more.
inline constexpr size_t kReadSize = 64u << 10;

// Memory that an idle connection may keep in each of its two buffers, in bytes.
inline constexpr size_t kIdleBuffer = 2u << 10;

}  // namespace hs
