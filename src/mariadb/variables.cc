// SPDX-License-Identifier: GPL-2.0-only
// The variables of the original plugin keep their names, types and ranges, so that its my.cnf still
// works. docs/variables.md describes them.
#include "mariadb/variables.h"

#include <atomic>
#include <map>
#include <mutex>
#include <new>
#include <optional>
#include <string>
#include <utility>

#include "mariadb/configuration.h"
#include "mariadb/own_places.h"
#include "mariadb/running.h"
#include "mariadb/values.h"

namespace hs::mariadb {
namespace {

const char* character_set_names[] = {"utf8mb4", "binary", nullptr};
TYPELIB character_sets = {array_elements(character_set_names) - 1, "", character_set_names,
                          nullptr};

const char* authentication_names[] = {"auto", "none", "secret", "account", nullptr};
TYPELIB authentications = {array_elements(authentication_names) - 1, "", authentication_names,
                           nullptr};

constexpr int kSetAtStart = PLUGIN_VAR_READONLY | PLUGIN_VAR_RQCMDARG;
constexpr int kDynamic = PLUGIN_VAR_RQCMDARG;
constexpr unsigned kMega = 1u << 20;

// --- changes at run time ---
//
// The server calls these functions with LOCK_global_system_variables, which every new connection of
// SQL needs. So it is given back while a change may take time. A failure is reported as an error of
// the SET, and the variable stays as it was.

// One SET after the other.
class Turn {
 public:
  Turn() {
    mysql_mutex_unlock(&LOCK_global_system_variables);
    turns_.lock();
    mysql_mutex_lock(&LOCK_global_system_variables);
  }
  ~Turn() { turns_.unlock(); }
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;

  // Calls `work`, which returns false and sets *error when it fails, without the server's mutex.
  template <class Work>
  static bool succeeds(Work work) {
    mysql_mutex_unlock(&LOCK_global_system_variables);
    std::string error;
    bool done = false;
    try {
      done = work(&error);
    } catch (const std::bad_alloc&) {
      error = "out of memory";
    }
    mysql_mutex_lock(&LOCK_global_system_variables);
    if (!done) my_printf_error(ER_UNKNOWN_ERROR, "handlersocket: %s", MYF(0), error.c_str());
    return done;
  }

 private:
  static inline std::mutex turns_;
};

// What a variable is to be set to. A text is kept here, since the variable only points to it.
template <class T>
class Kept {
 public:
  // May throw std::bad_alloc.
  Kept(T&, T value) : value_(value) {}
  T value() const { return value_; }
  void put(T& variable) { variable = value_; }

 private:
  T value_;
};
template <>
class Kept<char*> {
 public:
  Kept(char*& variable, const char* value)
      : place_(texts_[&variable]), is_null_(value == nullptr), text_(is_null_ ? "" : value) {}
  const char* value() const { return is_null_ ? nullptr : text_.c_str(); }
  void put(char*& variable) {
    place_.swap(text_);
    variable = is_null_ ? nullptr : place_.data();
  }

 private:
  static inline std::map<char**, std::string> texts_;
  std::string& place_;
  bool is_null_;
  std::string text_;
};

// A setting (server/settings.h).
template <class T>
void change(MYSQL_THD, st_mysql_sys_var*, void* target, const void* value) {
  const Turn turn;
  std::atomic_ref(*static_cast<T*>(target)).store(*static_cast<const T*>(value));
  Running::ask([](server::Server& server) { server.change(read_settings()); });
}

bool listen_by_values(std::string* error) {
  std::optional<server::Config> config = read_configuration(error);
  if (!config || !leaves_places_to_server(*config, error)) return false;
  bool done = true;
  Running::ask([&](server::Server& server) {
    done = server.relisten(config->endpoints, config->backlog, error);
  });
  for (server::EndpointConfig& endpoint : config->endpoints) wipe(endpoint.authentication.secret);
  return done;
}

// Where to listen, and on what terms.
template <class T>
void listen_by(MYSQL_THD, st_mysql_sys_var*, void* target, const void* value) {
  const Turn turn;
  T& variable = *static_cast<T*>(target);
  const T before = std::exchange(variable, *static_cast<const T*>(value));
  std::optional<Kept<T>> kept;
  const bool done = Turn::succeeds([&](std::string* error) {
    kept.emplace(variable, variable);
    return listen_by_values(error);
  });
  variable = before;
  if (done) kept->put(variable);
}

bool serve_by_values(std::string* error) {
  const server::Config wanted = read_threads();
  bool done = true;
  Running::ask([&](server::Server& server) {
    done = server.resize(wanted.read_threads, wanted.write_threads, wanted.max_threads, error);
  });
  return done;
}

// How many threads serve.
void serve_by(MYSQL_THD, st_mysql_sys_var*, void* target, const void* value) {
  const Turn turn;
  unsigned& variable = *static_cast<unsigned*>(target);
  const unsigned before = std::exchange(variable, *static_cast<const unsigned*>(value));
  if (!Turn::succeeds(serve_by_values)) variable = before;
}

// Listens by the secrets as `change` makes them, which returns false when it fails.
template <class Change>
bool change_secrets(Change change) {
  return Turn::succeeds([&](std::string* error) {
    const Secrets before = secrets;
    if (change(error) && listen_by_values(error)) return true;
    secrets = before;
    return false;
  });
}

template <bool kWrites>
void set_secret(MYSQL_THD, st_mysql_sys_var*, void* target, const void* value) {
  const Turn turn;
  const char* const text = *static_cast<const char* const*>(value);
  const bool done = change_secrets([&](std::string* error) {
    if (kWrites) return secrets.write.set(text, error);
    return secrets.read.set(text != nullptr && *text != '\0' ? text : nullptr, error);
  });
  if (done) *static_cast<char**>(target) = hidden_form(text);
}

template <bool kWrites>
void set_secret_file(MYSQL_THD, st_mysql_sys_var*, void* target, const void* value) {
  const Turn turn;
  char*& variable = *static_cast<char**>(target);
  std::optional<Kept<char*>> kept;
  const bool done = change_secrets([&](std::string* error) {
    kept.emplace(variable, *static_cast<char* const*>(value));
    return (kWrites ? secrets.write : secrets.read).read(text(kept->value()), error);
  });
  if (done) kept->put(variable);
}

MYSQL_SYSVAR_UINT(verbose, values.verbose, PLUGIN_VAR_RQCMDARG,
                  "How much goes to the error log: 0 errors only, 10 also start, stop and warnings",
                  nullptr, nullptr, 10, 0, 10000, 0);
MYSQL_SYSVAR_STR(address, values.address, kDynamic,
                 "Addresses to listen on, separated by commas: IPv4, IPv6 or names, empty for all; "
                 "'/' makes the ports paths of Unix sockets",
                 nullptr, listen_by<char*>, "127.0.0.1");
MYSQL_SYSVAR_BOOL(allow_unauthenticated, values.allow_unauthenticated, kDynamic,
                  "Listen on addresses that other machines can reach although no secret is set",
                  nullptr, listen_by<char>, false);
MYSQL_SYSVAR_STR(socket, values.socket, kDynamic,
                 "Path of a Unix socket for reading, beside the port; empty for none", nullptr,
                 listen_by<char*>, "");
MYSQL_SYSVAR_STR(socket_wr, values.socket_wr, kDynamic,
                 "Path of a Unix socket for reading and writing, beside the port; empty for none",
                 nullptr, listen_by<char*>, "");
MYSQL_SYSVAR_STR(port, values.port, kDynamic,
                 "Port for reading: a number or a service name; empty to switch it off", nullptr,
                 listen_by<char*>, "9998");
MYSQL_SYSVAR_STR(port_wr, values.port_wr, kDynamic,
                 "Port for reading and writing: a number or a service name; empty to switch it off",
                 nullptr, listen_by<char*>, "9999");
MYSQL_SYSVAR_STR(socket_mode, values.socket_mode, kDynamic,
                 "Mode of the Unix sockets, in octal: clients need the right to write", nullptr,
                 listen_by<char*>, "0660");
MYSQL_SYSVAR_STR(socket_group, values.socket_group, kDynamic,
                 "Group of the Unix sockets, its name or number; empty for that of the server",
                 nullptr, listen_by<char*>, "");
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
MYSQL_SYSVAR_STR(plain_secret, values.plain_secret, kDynamic,
                 "Shared secret of the read port; empty for none. Not shown after start", nullptr,
                 set_secret<false>, "");
MYSQL_SYSVAR_STR(plain_secret_wr, values.plain_secret_wr, kDynamic,
                 "Shared secret of the write port; empty for none, unset for that of the read "
                 "port. Not shown after start",
                 nullptr, set_secret<true>, nullptr);
MYSQL_SYSVAR_STR(plain_secret_file, values.plain_secret_file, kDynamic,
                 "File whose first line is the shared secret of the read port", nullptr,
                 set_secret_file<false>, "");
MYSQL_SYSVAR_STR(plain_secret_wr_file, values.plain_secret_wr_file, kDynamic,
                 "File whose first line is the shared secret of the write port", nullptr,
                 set_secret_file<true>, "");
MYSQL_SYSVAR_ENUM(authentication, values.authentication, kDynamic,
                  "What clients of the read port must show: none; the secret; an account of the "
                  "server, whose privileges then hold; or auto, the secret if there is one",
                  nullptr, listen_by<unsigned long>, kAuto, &authentications);
MYSQL_SYSVAR_ENUM(authentication_wr, values.authentication_wr, kDynamic,
                  "The same for the write port; auto is account where the read port asks for "
                  "accounts",
                  nullptr, listen_by<unsigned long>, kAuto, &authentications);
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

void set_slow_log_file(MYSQL_THD, st_mysql_sys_var*, void* target, const void* value) {
  const Turn turn;
  char*& variable = *static_cast<char**>(target);
  std::optional<Kept<char*>> kept;
  const bool done = Turn::succeeds([&](std::string* error) {
    kept.emplace(variable, *static_cast<char* const*>(value));
    bool taken = true;
    Running::ask([&](server::Server& server) {
      taken = server.slow_log().set_file(text(kept->value()), error);
    });
    return taken;
  });
  if (done) kept->put(variable);
}

MYSQL_SYSVAR_BOOL(slow_log, values.slow_log, PLUGIN_VAR_RQCMDARG,
                  "Write requests that take longer than handlersocket_long_query_time to a log",
                  nullptr, switch_slow_log, false);
MYSQL_SYSVAR_DOUBLE(long_query_time, values.long_query_time, PLUGIN_VAR_RQCMDARG,
                    "Seconds from which on a request is slow; 0 = every request", nullptr,
                    set_long_query_time, 10, 0, 31536000, 0);
MYSQL_SYSVAR_STR(slow_log_file, values.slow_log_file, kDynamic, "File of the log of slow requests",
                 nullptr, set_slow_log_file, "handlersocket-slow.log");

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

CHARSET_INFO* value_charset_of_the_wire() {
  return values.character_set == kUtf8mb4 ? &my_charset_utf8mb4_bin : &my_charset_bin;
}

unsigned lock_timeout_s() {
  return std::atomic_ref(values.wrlock_timeout).load(std::memory_order_relaxed);
}
unsigned verbosity() { return values.verbose; }

}  // namespace hs::mariadb
