// SPDX-License-Identifier: GPL-2.0-only
#include "mysql/changes.h"

#include <string.h>

#include <atomic>
#include <cstring>
#include <map>
#include <mutex>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "mysql/configuration.h"
#include "mysql/running.h"
#include "mysql/values.h"

namespace hs::mysql {
namespace {

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

bool listen_by_values(std::string* error) {
  std::optional<server::Config> config = read_configuration(error);
  if (!config || !leaves(own_places(), *config, error)) return false;
  bool done = true;
  Running::ask([&](server::Server& server) {
    done = server.relisten(config->endpoints, config->backlog, error);
  });
  return done;
}

bool serve_by_values(std::string* error) {
  const server::Config wanted = read_threads();
  bool done = true;
  Running::ask([&](server::Server& server) {
    done = server.resize(wanted.read_threads, wanted.write_threads, wanted.max_threads, error);
  });
  return done;
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

// What a variable is to be set to, as the server makes it for a check. It may be a secret, so it is
// overwritten at the end.
class GivenText {
 public:
  explicit GivenText(st_mysql_value* value) {
    int length = sizeof buffer_;
    text_ = const_cast<char*>(value->val_str(value, buffer_, &length));
    if (text_ != nullptr) size_ = static_cast<size_t>(length);
  }
  GivenText(const GivenText&) = delete;
  GivenText& operator=(const GivenText&) = delete;
  ~GivenText() {
    if (text_ != nullptr) ::explicit_bzero(text_, size_);
    ::explicit_bzero(buffer_, sizeof buffer_);
  }

  bool is_null() const { return text_ == nullptr; }
  std::string_view text() const { return {text_, size_}; }
  // False: an error was raised.
  bool may_be_value_of(const SYS_VAR& variable) const {
    if (is_null()) return true;
    if (text().find('\0') != std::string_view::npos) {
      my_printf_error(ER_UNKNOWN_ERROR, "handlersocket: the value of %s contains a NUL", MYF(0),
                      variable.name);
      return false;
    }
    if (text().size() > kLongest) {
      my_printf_error(ER_UNKNOWN_ERROR, "handlersocket: the value of %s has more than %zu bytes",
                      MYF(0), variable.name, kLongest);
      return false;
    }
    return true;
  }

 private:
  // As the path of a file. The system looks names up on the stack, of which a session has little.
  static constexpr size_t kLongest = 4096;

  char buffer_[STRING_BUFFER_USUAL_SIZE];
  char* text_ = nullptr;  // the buffer, or a copy for this check in the statement's memory
  size_t size_ = 0;
};

// What check_secret() hands to set_secret(). A variable's default comes there as what it is: null,
// or an empty text, which begins with 0.
struct CheckedSecret {
  char mark = 1;
  exec::Secret secret;
};
static_assert(std::is_trivially_copyable_v<CheckedSecret>);

std::optional<exec::Secret> secret_of(const char* checked) {
  if (checked == nullptr) return std::nullopt;
  if (*checked == '\0') return exec::Secret();
  CheckedSecret made;
  std::memcpy(static_cast<void*>(&made), checked, sizeof made);
  return made.secret;
}

}  // namespace

int check_text(MYSQL_THD thd, SYS_VAR* variable, void* save, st_mysql_value* value) {
  const GivenText given(value);
  if (!given.may_be_value_of(*variable)) return 1;
  const char* kept = nullptr;
  if (!given.is_null()) {
    kept = thd->strmake(given.text().data(), given.text().size());
    if (kept == nullptr) return 1;
  }
  *static_cast<const char**>(save) = kept;
  return 0;
}

int check_secret(MYSQL_THD thd, SYS_VAR* variable, void* save, st_mysql_value* value) try {
  const GivenText given(value);
  if (!given.may_be_value_of(*variable)) return 1;
  const void* kept = nullptr;
  if (!given.is_null()) {
    CheckedSecret checked;
    checked.secret = exec::Secret(given.text());
    kept = thd->memdup(&checked, sizeof checked);
    if (kept == nullptr) return 1;
  }
  *static_cast<const void**>(save) = kept;
  return 0;
} catch (const std::bad_alloc&) {
  my_printf_error(ER_UNKNOWN_ERROR, "handlersocket: out of memory", MYF(0));
  return 1;
}

template <class T>
void change(MYSQL_THD, SYS_VAR*, void* target, const void* value) {
  const Turn turn;
  std::atomic_ref(*static_cast<T*>(target)).store(*static_cast<const T*>(value));
  Running::ask([](server::Server& server) { server.change(read_settings()); });
}

template <class T>
void listen_by(MYSQL_THD, SYS_VAR*, void* target, const void* value) {
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

void serve_by(MYSQL_THD, SYS_VAR*, void* target, const void* value) {
  const Turn turn;
  unsigned& variable = *static_cast<unsigned*>(target);
  const unsigned before = std::exchange(variable, *static_cast<const unsigned*>(value));
  if (!Turn::succeeds(serve_by_values)) variable = before;
}

template <bool kWrites>
void set_secret(MYSQL_THD, SYS_VAR*, void* target, const void* value) {
  const Turn turn;
  const std::optional<exec::Secret> secret = secret_of(*static_cast<const char* const*>(value));
  const bool done = change_secrets([&](std::string* error) {
    if (kWrites) return secrets.write.set(secret, error);
    return secrets.read.set(secret && secret->is_set() ? secret : std::nullopt, error);
  });
  if (done) *static_cast<char**>(target) = hidden_form(secret);
}

template <bool kWrites>
void set_secret_file(MYSQL_THD, SYS_VAR*, void* target, const void* value) {
  const Turn turn;
  char*& variable = *static_cast<char**>(target);
  std::optional<Kept<char*>> kept;
  const bool done = change_secrets([&](std::string* error) {
    kept.emplace(variable, *static_cast<char* const*>(value));
    return (kWrites ? secrets.write : secrets.read).read(text(kept->value()), error);
  });
  if (done) kept->put(variable);
}

void switch_slow_log(MYSQL_THD, SYS_VAR*, void* target, const void* value) {
  const bool on = *static_cast<const bool*>(value);
  *static_cast<bool*>(target) = on;
  Running::ask([on](server::Server& server) { server.slow_log().set_on(on); });
}

void set_long_query_time(MYSQL_THD, SYS_VAR*, void* target, const void* value) {
  const double seconds = *static_cast<const double*>(value);
  *static_cast<double*>(target) = seconds;
  Running::ask(
      [seconds](server::Server& server) { server.slow_log().set_threshold(in_ns(seconds)); });
}

void set_slow_log_file(MYSQL_THD, SYS_VAR*, void* target, const void* value) {
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

int kill_connection(MYSQL_THD, SYS_VAR*, void* save, st_mysql_value* value) {
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

void keep_nothing(MYSQL_THD, SYS_VAR*, void*, const void*) {}

template void change<unsigned>(MYSQL_THD, SYS_VAR*, void*, const void*);
template void change<unsigned long long>(MYSQL_THD, SYS_VAR*, void*, const void*);
template void listen_by<char*>(MYSQL_THD, SYS_VAR*, void*, const void*);
template void listen_by<bool>(MYSQL_THD, SYS_VAR*, void*, const void*);
template void listen_by<unsigned>(MYSQL_THD, SYS_VAR*, void*, const void*);
template void listen_by<unsigned long>(MYSQL_THD, SYS_VAR*, void*, const void*);
template void set_secret<false>(MYSQL_THD, SYS_VAR*, void*, const void*);
template void set_secret<true>(MYSQL_THD, SYS_VAR*, void*, const void*);
template void set_secret_file<false>(MYSQL_THD, SYS_VAR*, void*, const void*);
template void set_secret_file<true>(MYSQL_THD, SYS_VAR*, void*, const void*);

}  // namespace hs::mysql
