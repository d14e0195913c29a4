// SPDX-License-Identifier: GPL-2.0-only
// What the system variables are set to. The server writes them: before the plugin starts, and later
// by the functions in changes.cc, one SET after the other, under LOCK_global_system_variables.
#pragma once

#include <string>

namespace hs::mysql {

enum : unsigned long { kUtf8mb4, kBinary };  // handlersocket_character_set

// A text that is null is an empty one, but for plain_secret_wr. The secrets are hidden here once
// take_secrets() was called.
struct Values {
  char* address;
  char* port;
  char* port_wr;
  char* resp_port;
  char* memcached_port;
  char* socket;
  char* socket_wr;
  char* socket_mode;
  char* socket_group;
  char* plain_secret;
  char* plain_secret_wr;
  char* plain_secret_file;
  char* plain_secret_wr_file;
  char* slow_log_file;
  unsigned verbose, epoll, threads, threads_wr, max_threads, timeout, login_timeout, backlog,
      sndbuf, rcvbuf, readsize, spin_us, accept_balance, max_connections, max_request_size,
      max_reply_size, max_open_indexes, max_changed_rows, max_rows, max_in_keys, max_columns,
      max_buffered, max_transactions, transaction_timeout;
  // The server sets it to its default when it loads the plugin; sessions without the plugin
  // (tools/moving_session) have this.
  unsigned wrlock_timeout = 12;
  unsigned ttl_purge_rows = 0;
  unsigned long long max_memory;
  bool allow_unauthenticated, slow_log;
  unsigned long character_set, authentication, authentication_wr;
  double long_query_time;
};

extern Values values;

inline std::string text(const char* value) { return value != nullptr ? value : ""; }

}  // namespace hs::mysql
