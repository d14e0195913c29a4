// SPDX-License-Identifier: GPL-2.0-only
// The variables of the original plugin keep their names, types and ranges, so that its my.cnf still
// works. docs/variables.md describes them.
#include "mysql/variables.h"

#include <atomic>

#include "mysql/changes.h"
#include "mysql/values.h"
#include "server/port_settings.h"

namespace hs::mysql {
namespace {

const char* character_set_names[] = {"utf8mb4", "binary", nullptr};
TYPELIB character_sets = {2, "", character_set_names, nullptr};

const char* authentication_names[] = {"auto", "none", "secret", "account", nullptr};
TYPELIB authentications = {4, "", authentication_names, nullptr};

constexpr int kSetAtStart = PLUGIN_VAR_READONLY | PLUGIN_VAR_RQCMDARG;
constexpr int kDynamic = PLUGIN_VAR_RQCMDARG;
// SET PERSIST is refused. It would write down what the variable shows, which is no secret and no
// connection's id.
constexpr int kNotKept = PLUGIN_VAR_RQCMDARG | PLUGIN_VAR_NOPERSIST;
constexpr unsigned kMega = 1u << 20;

MYSQL_SYSVAR_UINT(verbose, values.verbose, PLUGIN_VAR_RQCMDARG,
                  "How much goes to the error log: 0 errors only, 10 also start, stop and warnings",
                  nullptr, nullptr, 10, 0, 10000, 0);
MYSQL_SYSVAR_STR(address, values.address, kDynamic,
                 "Addresses to listen on, separated by commas: IPv4, IPv6 or names, empty for all; "
                 "'/' makes the ports paths of Unix sockets",
                 check_text, listen_by<char*>, "127.0.0.1");
MYSQL_SYSVAR_BOOL(allow_unauthenticated, values.allow_unauthenticated, kDynamic,
                  "Listen on addresses that other machines can reach although no secret is set",
                  nullptr, listen_by<bool>, false);
MYSQL_SYSVAR_STR(socket, values.socket, kDynamic,
                 "Path of a Unix socket for reading, beside the port; empty for none", check_text,
                 listen_by<char*>, "");
MYSQL_SYSVAR_STR(socket_wr, values.socket_wr, kDynamic,
                 "Path of a Unix socket for reading and writing, beside the port; empty for none",
                 check_text, listen_by<char*>, "");
MYSQL_SYSVAR_STR(port, values.port, kDynamic,
                 "Port for reading: a number or a service name; empty to switch it off", check_text,
                 listen_by<char*>, "9998");
MYSQL_SYSVAR_STR(port_wr, values.port_wr, kDynamic,
                 "Port for reading and writing: a number or a service name; empty to switch it off",
                 check_text, listen_by<char*>, "9999");
MYSQL_SYSVAR_STR(resp_port, values.resp_port, kDynamic,
                 "Port for clients of Redis: a number or a service name; 0 to switch it off",
                 check_text, listen_by<char*>, "0");
MYSQL_SYSVAR_STR(memcached_port, values.memcached_port, kDynamic,
                 "Port for clients of memcached: a number or a service name; 0 to switch it off",
                 check_text, listen_by<char*>, "0");
MYSQL_SYSVAR_STR(socket_mode, values.socket_mode, kDynamic,
                 "Mode of the Unix sockets, in octal: clients need the right to write", check_text,
                 listen_by<char*>, "0660");
MYSQL_SYSVAR_STR(socket_group, values.socket_group, kDynamic,
                 "Group of the Unix sockets, its name or number; empty for that of the server",
                 check_text, listen_by<char*>, "");
MYSQL_SYSVAR_UINT(epoll, values.epoll, kSetAtStart,
                  "Kept for old configuration files; epoll is always used", nullptr, nullptr, 1, 0,
                  1, 0);
MYSQL_SYSVAR_UINT(threads, values.threads, kDynamic,
                  "Threads that serve the read port at the same time", nullptr, serve_by, 16, 1,
                  3000, 0);
MYSQL_SYSVAR_UINT(threads_wr, values.threads_wr, kDynamic,
                  "Threads that serve the write port at the same time; 0 for one for each eight "
                  "cores, from 1 to 4",
                  nullptr, serve_by, 0, 0, 3000, 0);
MYSQL_SYSVAR_UINT(max_threads, values.max_threads, kDynamic,
                  "Most threads of each port, those included that wait for a page, a lock or the "
                  "log while others go on; at least as many as serve it",
                  nullptr, serve_by, 256, 1, 10000, 0);
MYSQL_SYSVAR_UINT(timeout, values.timeout, kDynamic,
                  "Seconds without traffic after which a connection is closed", nullptr,
                  change<unsigned>, 300, 30, 3600, 0);
MYSQL_SYSVAR_UINT(login_timeout, values.login_timeout, kDynamic,
                  "Seconds within which a client must have authenticated, where it has to, and "
                  "finished a TLS handshake",
                  nullptr, change<unsigned>, 10, 1, 3600, 0);
MYSQL_SYSVAR_UINT(backlog, values.backlog, kDynamic, "Connections that may wait to be accepted",
                  nullptr, listen_by<unsigned>, 32768, 5, 1000000, 0);
MYSQL_SYSVAR_UINT(sndbuf, values.sndbuf, kDynamic,
                  "Bytes of each socket's send buffer; 0 = the system's choice", nullptr,
                  change<unsigned>, 0, 0, 16 * kMega, 0);
MYSQL_SYSVAR_UINT(rcvbuf, values.rcvbuf, kDynamic,
                  "Bytes of each socket's receive buffer; 0 = the system's choice", nullptr,
                  change<unsigned>, 0, 0, 16 * kMega, 0);
MYSQL_SYSVAR_UINT(readsize, values.readsize, kDynamic,
                  "Most bytes taken from one connection at a time; 0 = 65536", nullptr,
                  change<unsigned>, 0, 0, 16 * kMega, 0);
MYSQL_SYSVAR_UINT(spin_us, values.spin_us, kDynamic,
                  "Microseconds that a thread looks for the next request before it sleeps, while "
                  "requests come that fast; 0 = never",
                  nullptr, change<unsigned>, 20, 0, 1000, 0);
MYSQL_SYSVAR_UINT(accept_balance, values.accept_balance, kSetAtStart,
                  "Kept for old configuration files; connections are always spread evenly", nullptr,
                  nullptr, 0, 0, 10000, 0);
MYSQL_SYSVAR_UINT(
    wrlock_timeout, values.wrlock_timeout, kDynamic,
    "Seconds that a request waits for a table or a backup before it fails with lock_tables",
    nullptr, change<unsigned>, 12, 0, 3600, 0);
MYSQL_SYSVAR_UINT(
    ttl_purge_rows, values.ttl_purge_rows, kDynamic,
    "Most expired rows that are deleted in a second, in all tables together; 0 = none", nullptr,
    change<unsigned>, 20000, 0, 10000000, 0);
MYSQL_SYSVAR_STR(plain_secret, values.plain_secret, kNotKept,
                 "Shared secret of the read port; empty for none. Not shown after start",
                 check_secret, set_secret<false>, "");
MYSQL_SYSVAR_STR(plain_secret_wr, values.plain_secret_wr, kNotKept,
                 "Shared secret of the write port; empty for none, unset for that of the read "
                 "port. Not shown after start",
                 check_secret, set_secret<true>, nullptr);
MYSQL_SYSVAR_STR(plain_secret_file, values.plain_secret_file, kDynamic,
                 "File whose first line is the shared secret of the read port", check_text,
                 set_secret_file<false>, "");
MYSQL_SYSVAR_STR(plain_secret_wr_file, values.plain_secret_wr_file, kDynamic,
                 "File whose first line is the shared secret of the write port", check_text,
                 set_secret_file<true>, "");
MYSQL_SYSVAR_ENUM(authentication, values.authentication, kDynamic,
                  "What clients of the read port must show: none; the secret; an account of the "
                  "server, whose privileges then hold; or auto, the secret if there is one",
                  nullptr, listen_by<unsigned long>,
                  static_cast<unsigned long>(server::Asks::kAuto), &authentications);
MYSQL_SYSVAR_ENUM(authentication_wr, values.authentication_wr, kDynamic,
                  "The same for the write port; auto is account where the read port asks for "
                  "accounts",
                  nullptr, listen_by<unsigned long>,
                  static_cast<unsigned long>(server::Asks::kAuto), &authentications);
MYSQL_SYSVAR_ENUM(character_set, values.character_set, kSetAtStart,
                  "What keys and values are: utf8mb4 text, converted to and from the columns' "
                  "character sets as SQL does it; or binary, the columns' own bytes as they are",
                  nullptr, nullptr, kUtf8mb4, &character_sets);
MYSQL_SYSVAR_UINT(max_connections, values.max_connections, kDynamic,
                  "Most connections of each port", nullptr, change<unsigned>, 20000, 1, 1000000, 0);
MYSQL_SYSVAR_UINT(
    max_request_size, values.max_request_size, kDynamic,
    "Most bytes of one request line; a longer one is answered with request_too_long and a closed "
    "connection",
    nullptr, change<unsigned>, 64 * kMega, 1024, 1024 * kMega, 0);
MYSQL_SYSVAR_UINT(max_reply_size, values.max_reply_size, kDynamic,
                  "Most bytes of one reply; a longer one is replaced by reply_too_long", nullptr,
                  change<unsigned>, 64 * kMega, 1024, 1024 * kMega, 0);
MYSQL_SYSVAR_UINT(max_open_indexes, values.max_open_indexes, kDynamic,
                  "Most indexes that one connection may have open", nullptr, change<unsigned>, 1024,
                  1, 1000000, 0);
MYSQL_SYSVAR_UINT(max_changed_rows, values.max_changed_rows, kDynamic,
                  "Most rows that one request may update or delete", nullptr, change<unsigned>,
                  1000000, 1, 100000000, 0);
MYSQL_SYSVAR_UINT(max_rows, values.max_rows, kDynamic, "Most rows that one find may return",
                  nullptr, change<unsigned>, 4294967295U, 1, 4294967295U, 0);
MYSQL_SYSVAR_UINT(max_in_keys, values.max_in_keys, kDynamic, "Most values of one IN", nullptr,
                  change<unsigned>, 1048576, 1, 1048576, 0);
MYSQL_SYSVAR_UINT(max_columns, values.max_columns, kDynamic,
                  "Most columns in each of the two lists of an open index", nullptr,
                  change<unsigned>, 4096, 1, 4096, 0);
MYSQL_SYSVAR_UINT(max_buffered, values.max_buffered, kDynamic,
                  "Bytes of replies that wait for one connection's client before the server reads "
                  "nothing more from it",
                  nullptr, change<unsigned>, 262144, 4096, 1024 * kMega, 0);
MYSQL_SYSVAR_ULONGLONG(max_memory, values.max_memory, kDynamic,
                       "Bytes that the connections of both ports may hold together, in their "
                       "buffers and for their open indexes; 0 = no bound",
                       nullptr, change<unsigned long long>, 536870912, 0, 1ULL << 50, 0);

MYSQL_SYSVAR_UINT(max_transactions, values.max_transactions, kDynamic,
                  "Most transactions that clients of each port may have open", nullptr,
                  change<unsigned>, 100, 0, 10000, 0);
MYSQL_SYSVAR_UINT(
    transaction_timeout, values.transaction_timeout, kDynamic,
    "Seconds for which a client's transaction may be idle, or hold off DDL, before it "
    "is rolled back",
    nullptr, change<unsigned>, 10, 1, 3600, 0);

unsigned long long kill_id;  // always 0
MYSQL_SYSVAR_ULONGLONG(
    kill, kill_id, kNotKept | PLUGIN_VAR_NOCMDOPT,
    "Set it to the ID of a row of INFORMATION_SCHEMA.HANDLERSOCKET_CONNECTIONS to "
    "close that connection",
    kill_connection, keep_nothing, 0, 0, 18446744073709551615ULL, 0);

MYSQL_SYSVAR_BOOL(slow_log, values.slow_log, PLUGIN_VAR_RQCMDARG,
                  "Write requests that take longer than handlersocket_long_query_time to a log",
                  nullptr, switch_slow_log, false);
MYSQL_SYSVAR_DOUBLE(long_query_time, values.long_query_time, PLUGIN_VAR_RQCMDARG,
                    "Seconds from which on a request is slow; 0 = every request", nullptr,
                    set_long_query_time, 10, 0, 31536000, 0);
MYSQL_SYSVAR_STR(slow_log_file, values.slow_log_file, kDynamic, "File of the log of slow requests",
                 check_text, set_slow_log_file, "handlersocket-slow.log");

}  // namespace

SYS_VAR* system_variables[] = {MYSQL_SYSVAR(verbose),
                               MYSQL_SYSVAR(address),
                               MYSQL_SYSVAR(port),
                               MYSQL_SYSVAR(port_wr),
                               MYSQL_SYSVAR(resp_port),
                               MYSQL_SYSVAR(memcached_port),
                               MYSQL_SYSVAR(allow_unauthenticated),
                               MYSQL_SYSVAR(socket),
                               MYSQL_SYSVAR(socket_wr),
                               MYSQL_SYSVAR(socket_mode),
                               MYSQL_SYSVAR(socket_group),
                               MYSQL_SYSVAR(epoll),
                               MYSQL_SYSVAR(threads),
                               MYSQL_SYSVAR(threads_wr),
                               MYSQL_SYSVAR(max_threads),
                               MYSQL_SYSVAR(timeout),
                               MYSQL_SYSVAR(login_timeout),
                               MYSQL_SYSVAR(backlog),
                               MYSQL_SYSVAR(sndbuf),
                               MYSQL_SYSVAR(rcvbuf),
                               MYSQL_SYSVAR(readsize),
                               MYSQL_SYSVAR(spin_us),
                               MYSQL_SYSVAR(accept_balance),
                               MYSQL_SYSVAR(wrlock_timeout),
                               MYSQL_SYSVAR(ttl_purge_rows),
                               MYSQL_SYSVAR(plain_secret),
                               MYSQL_SYSVAR(plain_secret_wr),
                               MYSQL_SYSVAR(plain_secret_file),
                               MYSQL_SYSVAR(plain_secret_wr_file),
                               MYSQL_SYSVAR(authentication),
                               MYSQL_SYSVAR(authentication_wr),
                               MYSQL_SYSVAR(character_set),
                               MYSQL_SYSVAR(max_connections),
                               MYSQL_SYSVAR(max_request_size),
                               MYSQL_SYSVAR(max_reply_size),
                               MYSQL_SYSVAR(max_open_indexes),
                               MYSQL_SYSVAR(max_changed_rows),
                               MYSQL_SYSVAR(max_rows),
                               MYSQL_SYSVAR(max_in_keys),
                               MYSQL_SYSVAR(max_columns),
                               MYSQL_SYSVAR(max_buffered),
                               MYSQL_SYSVAR(max_memory),
                               MYSQL_SYSVAR(max_transactions),
                               MYSQL_SYSVAR(transaction_timeout),
                               MYSQL_SYSVAR(kill),
                               MYSQL_SYSVAR(slow_log),
                               MYSQL_SYSVAR(long_query_time),
                               MYSQL_SYSVAR(slow_log_file),
                               nullptr};

const CHARSET_INFO* value_charset_of_the_wire() {
  return values.character_set == kUtf8mb4 ? &my_charset_utf8mb4_bin : &my_charset_bin;
}

unsigned lock_timeout_s() {
  return std::atomic_ref(values.wrlock_timeout).load(std::memory_order_relaxed);
}
unsigned purge_rows_per_second() {
  return std::atomic_ref(values.ttl_purge_rows).load(std::memory_order_relaxed);
}
unsigned verbosity() { return values.verbose; }

}  // namespace hs::mysql
