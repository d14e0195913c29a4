// SPDX-License-Identifier: GPL-2.0-only
// The variables of the original plugin keep their names, types and ranges, so that its my.cnf still
// works. docs/variables.md describes them.
#include "mariadb/variables.h"

#include <atomic>

#include "mariadb/running.h"
#include "server/secret_file.h"

namespace hs::mariadb {
namespace {

char* address;
char* port;
char* port_wr;
char* socket_path;
char* socket_path_wr;
char* socket_mode;
char* socket_group;
char* plain_secret;
char* plain_secret_wr;
char* plain_secret_file;
char* plain_secret_wr_file;
unsigned verbose, epoll, threads, threads_wr, max_threads, timeout, login_timeout, backlog, sndbuf,
    rcvbuf, readsize, spin_us, accept_balance, max_connections, max_request_size, max_reply_size,
    max_open_indexes, max_changed_rows, max_rows, max_in_keys, max_columns, max_buffered;
// The server sets it to its default when it loads the plugin; sessions without the plugin
// (tools/moving_session) have this.
unsigned wrlock_timeout = 12;
unsigned long long max_memory;
char allow_unauthenticated;  // my_bool
char hidden[] = "(hidden)";

enum : unsigned long { kUtf8mb4, kBinary };
unsigned long character_set;
const char* character_set_names[] = {"utf8mb4", "binary", nullptr};
TYPELIB character_sets = {array_elements(character_set_names) - 1, "", character_set_names,
                          nullptr};

enum : unsigned long { kAuto, kNone, kSecret, kAccount };
unsigned long authentication, authentication_wr;
const char* authentication_names[] = {"auto", "none", "secret", "account", nullptr};
TYPELIB authentications = {array_elements(authentication_names) - 1, "", authentication_names,
                           nullptr};

constexpr int kSetAtStart = PLUGIN_VAR_READONLY | PLUGIN_VAR_RQCMDARG;
constexpr int kDynamic = PLUGIN_VAR_RQCMDARG;
constexpr unsigned kMega = 1u << 20;

// Of the variables that may change at run time, but for those with a meaning of their own.
server::Settings read_settings() {
  server::Settings settings;
  settings.limits = {.max_request_size = max_request_size,
                     .max_reply_size = max_reply_size,
                     .max_connections = max_connections,
                     .max_open_indexes = max_open_indexes,
                     .max_changed_rows = max_changed_rows,
                     .max_rows = max_rows,
                     .max_in_keys = max_in_keys,
                     .max_columns = max_columns,
                     .max_buffered = max_buffered,
                     .max_memory = max_memory};
  settings.idle_timeout_s = timeout;
  settings.login_timeout_s = login_timeout;
  settings.spin_us = spin_us;
  settings.sndbuf = sndbuf;
  settings.rcvbuf = rcvbuf;
  settings.readsize = readsize;
  return settings;
}

// Sets the variable and tells the server that runs. Called with LOCK_global_system_variables.
template <class T>
void change(MYSQL_THD, st_mysql_sys_var*, void* target, const void* value) {
  std::atomic_ref(*static_cast<T*>(target)).store(*static_cast<const T*>(value));
  Running::ask([](server::Server& server) { server.change(read_settings()); });
}

MYSQL_SYSVAR_UINT(verbose, verbose, PLUGIN_VAR_RQCMDARG,
                  "How much goes to the error log: 0 errors only, 10 also start, stop and warnings",
                  nullptr, nullptr, 10, 0, 10000, 0);
MYSQL_SYSVAR_STR(address, address, kSetAtStart,
                 "Addresses to listen on, separated by commas: IPv4, IPv6 or names, empty for all; "
                 "'/' makes the ports paths of Unix sockets",
                 nullptr, nullptr, "127.0.0.1");
MYSQL_SYSVAR_BOOL(allow_unauthenticated, allow_unauthenticated, kSetAtStart,
                  "Listen on addresses that other machines can reach although no secret is set",
                  nullptr, nullptr, false);
MYSQL_SYSVAR_STR(socket, socket_path, kSetAtStart,
                 "Path of a Unix socket for reading, beside the port; empty for none", nullptr,
                 nullptr, "");
MYSQL_SYSVAR_STR(socket_wr, socket_path_wr, kSetAtStart,
                 "Path of a Unix socket for reading and writing, beside the port; empty for none",
                 nullptr, nullptr, "");
MYSQL_SYSVAR_STR(port, port, kSetAtStart,
                 "Port for reading: a number or a service name; empty to switch it off", nullptr,
                 nullptr, "9998");
MYSQL_SYSVAR_STR(port_wr, port_wr, kSetAtStart,
                 "Port for reading and writing: a number or a service name; empty to switch it off",
                 nullptr, nullptr, "9999");
MYSQL_SYSVAR_STR(socket_mode, socket_mode, kSetAtStart,
                 "Mode of the Unix sockets, in octal: clients need the right to write", nullptr,
                 nullptr, "0660");
MYSQL_SYSVAR_STR(socket_group, socket_group, kSetAtStart,
                 "Group of the Unix sockets, its name or number; empty for that of the server",
                 nullptr, nullptr, "");
MYSQL_SYSVAR_UINT(epoll, epoll, kSetAtStart,
                  "Kept for old configuration files; epoll is always used", nullptr, nullptr, 1, 0,
                  1, 0);
MYSQL_SYSVAR_UINT(threads, threads, kSetAtStart,
                  "Threads that serve the read port at the same time", nullptr, nullptr, 16, 1,
                  3000, 0);
MYSQL_SYSVAR_UINT(threads_wr, threads_wr, kSetAtStart,
                  "Threads that serve the write port at the same time; 0 for one for each eight "
                  "cores, from 1 to 4",
                  nullptr, nullptr, 0, 0, 3000, 0);
MYSQL_SYSVAR_UINT(max_threads, max_threads, kSetAtStart,
                  "Most threads of each port, those included that wait for a page, a lock or the "
                  "log while others go on; at least as many as serve it",
                  nullptr, nullptr, 256, 1, 10000, 0);
MYSQL_SYSVAR_UINT(timeout, timeout, kDynamic,
                  "Seconds without traffic after which a connection is closed", nullptr,
                  change<unsigned>, 300, 30, 3600, 0);
MYSQL_SYSVAR_UINT(login_timeout, login_timeout, kDynamic,
                  "Seconds within which a client must have authenticated, where it has to, and "
                  "finished a TLS handshake",
                  nullptr, change<unsigned>, 10, 1, 3600, 0);
MYSQL_SYSVAR_UINT(backlog, backlog, kSetAtStart, "Connections that may wait to be accepted",
                  nullptr, nullptr, 32768, 5, 1000000, 0);
MYSQL_SYSVAR_UINT(sndbuf, sndbuf, kDynamic,
                  "Bytes of each socket's send buffer; 0 = the system's choice", nullptr,
                  change<unsigned>, 0, 0, 16 * kMega, 0);
MYSQL_SYSVAR_UINT(rcvbuf, rcvbuf, kDynamic,
                  "Bytes of each socket's receive buffer; 0 = the system's choice", nullptr,
                  change<unsigned>, 0, 0, 16 * kMega, 0);
MYSQL_SYSVAR_UINT(readsize, readsize, kDynamic,
                  "Most bytes taken from one connection at a time; 0 = 65536", nullptr,
                  change<unsigned>, 0, 0, 16 * kMega, 0);
MYSQL_SYSVAR_UINT(spin_us, spin_us, kDynamic,
                  "Microseconds that a thread looks for the next request before it sleeps, while "
                  "requests come that fast; 0 = never",
                  nullptr, change<unsigned>, 20, 0, 1000, 0);
MYSQL_SYSVAR_UINT(accept_balance, accept_balance, kSetAtStart,
                  "Kept for old configuration files; connections are always spread evenly", nullptr,
                  nullptr, 0, 0, 10000, 0);
MYSQL_SYSVAR_UINT(
    wrlock_timeout, wrlock_timeout, kDynamic,
    "Seconds that a request waits for a table or a backup before it fails with lock_tables",
    nullptr, change<unsigned>, 12, 0, 3600, 0);
MYSQL_SYSVAR_STR(plain_secret, plain_secret, kSetAtStart,
                 "Shared secret of the read port; empty for none. Not shown after start", nullptr,
                 nullptr, "");
MYSQL_SYSVAR_STR(plain_secret_wr, plain_secret_wr, kSetAtStart,
                 "Shared secret of the write port; empty for none, unset for that of the read "
                 "port. Not shown after start",
                 nullptr, nullptr, nullptr);
MYSQL_SYSVAR_STR(plain_secret_file, plain_secret_file, kSetAtStart,
                 "File whose first line is the shared secret of the read port", nullptr, nullptr,
                 "");
MYSQL_SYSVAR_STR(plain_secret_wr_file, plain_secret_wr_file, kSetAtStart,
                 "File whose first line is the shared secret of the write port", nullptr, nullptr,
                 "");
MYSQL_SYSVAR_ENUM(authentication, authentication, kSetAtStart,
                  "What clients of the read port must show: none; the secret; an account of the "
                  "server, whose privileges then hold; or auto, the secret if there is one",
                  nullptr, nullptr, kAuto, &authentications);
MYSQL_SYSVAR_ENUM(authentication_wr, authentication_wr, kSetAtStart,
                  "The same for the write port; auto is account where the read port asks for "
                  "accounts",
                  nullptr, nullptr, kAuto, &authentications);
MYSQL_SYSVAR_ENUM(character_set, character_set, kSetAtStart,
                  "What keys and values are: utf8mb4 text, converted to and from the columns' "
                  "character sets as SQL does it; or binary, the columns' own bytes as they are",
                  nullptr, nullptr, kUtf8mb4, &character_sets);
MYSQL_SYSVAR_UINT(max_connections, max_connections, kDynamic, "Most connections of each port",
                  nullptr, change<unsigned>, 20000, 1, 1000000, 0);
MYSQL_SYSVAR_UINT(
    max_request_size, max_request_size, kDynamic,
    "Most bytes of one request line; a longer one is answered with request_too_long and a closed "
    "connection",
    nullptr, change<unsigned>, 64 * kMega, 1024, 1024 * kMega, 0);
MYSQL_SYSVAR_UINT(max_reply_size, max_reply_size, kDynamic,
                  "Most bytes of one reply; a longer one is replaced by reply_too_long", nullptr,
                  change<unsigned>, 64 * kMega, 1024, 1024 * kMega, 0);
MYSQL_SYSVAR_UINT(max_open_indexes, max_open_indexes, kDynamic,
                  "Most indexes that one connection may have open", nullptr, change<unsigned>, 1024,
                  1, 1000000, 0);
MYSQL_SYSVAR_UINT(max_changed_rows, max_changed_rows, kDynamic,
                  "Most rows that one request may update or delete", nullptr, change<unsigned>,
                  1000000, 1, 100000000, 0);
MYSQL_SYSVAR_UINT(max_rows, max_rows, kDynamic, "Most rows that one find may return", nullptr,
                  change<unsigned>, 4294967295U, 1, 4294967295U, 0);
MYSQL_SYSVAR_UINT(max_in_keys, max_in_keys, kDynamic, "Most values of one IN", nullptr,
                  change<unsigned>, 1048576, 1, 1048576, 0);
MYSQL_SYSVAR_UINT(max_columns, max_columns, kDynamic,
                  "Most columns in each of the two lists of an open index", nullptr,
                  change<unsigned>, 4096, 1, 4096, 0);
MYSQL_SYSVAR_UINT(max_buffered, max_buffered, kDynamic,
                  "Bytes of replies that wait for one connection's client before the server reads "
                  "nothing more from it",
                  nullptr, change<unsigned>, 262144, 4096, 1024 * kMega, 0);
MYSQL_SYSVAR_ULONGLONG(max_memory, max_memory, kDynamic,
                       "Bytes that the connections of both ports may hold together, in their "
                       "buffers and for their open indexes; 0 = no bound",
                       nullptr, change<unsigned long long>, 536870912, 0, 1ULL << 50, 0);

// --- handlersocket_kill ---

int check_kill(MYSQL_THD, st_mysql_sys_var*, void* save, st_mysql_value* value) {
  longlong number = 0;
  value->val_int(value, &number);
  const auto id = static_cast<unsigned long long>(number);
  bool killed = false;
  Running::ask([&](server::Server& server) { killed = server.kill(id); });
  *static_cast<unsigned long long*>(save) = 0;
  if (killed) return 0;
  my_printf_error(ER_NO_SUCH_THREAD, "Unknown connection id: %llu", MYF(0), id);
  return 1;
}

void keep_nothing(MYSQL_THD, st_mysql_sys_var*, void*, const void*) {}

unsigned long long kill_id;  // always 0
MYSQL_SYSVAR_ULONGLONG(
    kill, kill_id, PLUGIN_VAR_RQCMDARG | PLUGIN_VAR_NOCMDOPT,
    "Set it to the ID of a row of INFORMATION_SCHEMA.HANDLERSOCKET_CONNECTIONS to "
    "close that connection",
    check_kill, keep_nothing, 0, 0, 18446744073709551615ULL, 0);

// --- the slow log ---

char slow_log;  // my_bool
double long_query_time;
char* slow_log_file;

int64_t in_ns(double seconds) { return static_cast<int64_t>(seconds * 1e9); }

void switch_slow_log(MYSQL_THD, st_mysql_sys_var*, void* target, const void* value) {
  const bool on = *static_cast<const char*>(value) != 0;
  *static_cast<char*>(target) = on ? 1 : 0;
  Running::ask([on](server::Server& server) { server.slow_log().set_on(on); });
}

void set_long_query_time(MYSQL_THD, st_mysql_sys_var*, void* target, const void* value) {
  const double seconds = *static_cast<const double*>(value);
  *static_cast<double*>(target) = seconds;
  Running::ask(
      [seconds](server::Server& server) { server.slow_log().set_threshold(in_ns(seconds)); });
}

MYSQL_SYSVAR_BOOL(slow_log, slow_log, PLUGIN_VAR_RQCMDARG,
                  "Write requests that take longer than handlersocket_long_query_time to a log",
                  nullptr, switch_slow_log, false);
MYSQL_SYSVAR_DOUBLE(long_query_time, long_query_time, PLUGIN_VAR_RQCMDARG,
                    "Seconds from which on a request is slow; 0 = every request", nullptr,
                    set_long_query_time, 10, 0, 31536000, 0);
MYSQL_SYSVAR_STR(slow_log_file, slow_log_file, kSetAtStart, "File of the log of slow requests",
                 nullptr, nullptr, "handlersocket-slow.log");

std::string text(const char* value) { return value != nullptr ? value : ""; }

// The secret of the variable `name`, or of the file that the variable `name`_file names.
std::optional<std::string> read_secret(const std::string& name, bool is_set, const char* secret,
                                       const char* file, std::string* error) {
  if (text(file).empty()) return text(secret);
  if (is_set) {
    *error = name + " and " + name + "_file are both set: only one of them can be";
    return std::nullopt;
  }
  std::string read;
  if (server::read_secret_file(file, &read, error)) return read;
  *error += " (" + name + "_file)";
  return std::nullopt;
}

bool read_socket_rights(net::SocketRights* rights, std::string* error) {
  if (!net::parse_socket_mode(text(socket_mode), &rights->mode, error)) {
    *error += " (handlersocket_socket_mode)";
    return false;
  }
  const std::string group = text(socket_group);
  if (group.empty()) return true;
  gid_t number = 0;
  if (!net::find_group(group, &number, error)) {
    *error += " (handlersocket_socket_group)";
    return false;
  }
  rights->group = number;
  return true;
}

// False: the variable `name` contradicts the secret.
bool read_authentication(const std::string& name, unsigned long value, const std::string& secret,
                         exec::Authentication* authentication, std::string* error) {
  authentication->account = value == kAccount;
  authentication->secret = secret;
  const char* const contradicts = value == kSecret && secret.empty() ? "no secret is set"
                                  : value != kAuto && value != kSecret && !secret.empty()
                                      ? "a secret is set"
                                      : nullptr;
  if (contradicts == nullptr) return true;
  *error = name + " is " + authentication_names[value] + ", but " + contradicts;
  return false;
}

void hide(char*& secret) {
  if (secret != nullptr && *secret != '\0') secret = hidden;
}

}  // namespace

st_mysql_sys_var* system_variables[] = {MYSQL_SYSVAR(verbose),
                                        MYSQL_SYSVAR(address),
                                        MYSQL_SYSVAR(port),
                                        MYSQL_SYSVAR(port_wr),
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
                                        MYSQL_SYSVAR(kill),
                                        MYSQL_SYSVAR(slow_log),
                                        MYSQL_SYSVAR(long_query_time),
                                        MYSQL_SYSVAR(slow_log_file),
                                        nullptr};

std::optional<server::Config> read_configuration(std::string* error) {
  const bool has_secret = !text(plain_secret).empty();
  const bool has_secret_wr = plain_secret_wr != nullptr;
  const std::optional<std::string> secret =
      read_secret("handlersocket_plain_secret", has_secret, plain_secret, plain_secret_file, error);
  if (!secret) return std::nullopt;
  const std::optional<std::string> secret_wr = read_secret(
      "handlersocket_plain_secret_wr", has_secret_wr, plain_secret_wr, plain_secret_wr_file, error);
  if (!secret_wr) return std::nullopt;
  const bool is_own = has_secret_wr || !text(plain_secret_wr_file).empty();

  server::Config config;
  static_cast<server::Settings&>(config) = read_settings();
  net::SocketRights socket_rights;
  if (!read_socket_rights(&socket_rights, error)) return std::nullopt;
  std::vector<std::string> addresses;
  if (!server::split_addresses(text(address), &addresses, error)) {
    *error += " (handlersocket_address)";
    return std::nullopt;
  }
  server::EndpointConfig endpoint;
  endpoint.socket_rights = socket_rights;
  endpoint.allow_unauthenticated = allow_unauthenticated;
  const auto listen = [&](const std::string& where, const char* place, std::string_view variable) {
    if (text(place).empty()) return;
    endpoint.address = where;
    endpoint.port = text(place);
    endpoint.port_variable = variable;
    config.endpoints.push_back(endpoint);
  };
  endpoint.mode = engine::Mode::kReadOnly;
  if (!read_authentication("handlersocket_authentication", authentication, *secret,
                           &endpoint.authentication, error))
    return std::nullopt;
  for (const std::string& one : addresses) listen(one, port, "handlersocket_port");
  listen(std::string(server::kUnixSocket), socket_path, "handlersocket_socket");
  endpoint.mode = engine::Mode::kReadWrite;
  // If what the read port asks for did not count here, writing would be open to every client.
  const bool inherits_accounts = authentication_wr == kAuto && authentication == kAccount;
  if (!read_authentication("handlersocket_authentication_wr",
                           inherits_accounts && !is_own ? kAccount : authentication_wr,
                           is_own ? *secret_wr : *secret, &endpoint.authentication, error))
    return std::nullopt;
  for (const std::string& one : addresses) listen(one, port_wr, "handlersocket_port_wr");
  listen(std::string(server::kUnixSocket), socket_path_wr, "handlersocket_socket_wr");
  config.read_threads = threads;
  if (threads_wr != 0) config.write_threads = threads_wr;
  config.max_threads = max_threads;
  config.backlog = backlog;
  config.version = HS_VERSION;
  config.server_version = server_version;
  config.slow_log = {slow_log != 0, in_ns(long_query_time), text(slow_log_file)};
  return config;
}

CHARSET_INFO* value_charset_of_the_wire() {
  return character_set == kUtf8mb4 ? &my_charset_utf8mb4_bin : &my_charset_bin;
}

unsigned lock_timeout_s() {
  return std::atomic_ref(wrlock_timeout).load(std::memory_order_relaxed);
}
unsigned verbosity() { return verbose; }

void hide_secrets() {
  hide(plain_secret);
  hide(plain_secret_wr);
}

void forget_secrets() { plain_secret = plain_secret_wr = nullptr; }

}  // namespace hs::mariadb
