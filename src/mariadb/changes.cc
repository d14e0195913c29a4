// SPDX-License-Identifier: GPL-2.0-only
#include "mariadb/changes.h"

#include <string.h>

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "mariadb/configuration.h"
#include "mariadb/running.h"
#include "mariadb/variables.h"

namespace hs::mariadb {
namespace {

using seam::Change;

// One SET after the other, and after a start.
class Turn {
 public:
  Turn() {
    mysql_mutex_unlock(&LOCK_global_system_variables);
    turns().lock();
    mysql_mutex_lock(&LOCK_global_system_variables);
  }
  ~Turn() { turns().unlock(); }
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
};

// What a variable is to be set to. A text is copied for the loader, since the variable only points to
// it.
template <class T>
class Kept {
 public:
  // May throw std::bad_alloc.
  explicit Kept(T value) : value_(value) {}
  T value() const { return value_; }
  void put(T& variable) { variable = value_; }

 private:
  T value_;
};
template <>
class Kept<char*> {
 public:
  explicit Kept(const char* value) : text_(value != nullptr ? ::strdup(value) : nullptr) {
    if (value != nullptr && text_ == nullptr) throw std::bad_alloc();
  }
  const char* value() const { return text_.get(); }
  void put(char*& variable) { keep_text(&variable, text_.release()); }

 private:
  struct Free {
    void operator()(char* text) const { std::free(text); }
  };
  std::unique_ptr<char, Free> text_;
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

// A setting (server/settings.h).
template <class T>
void set(T& variable, T value) {
  const Turn turn;
  std::atomic_ref(variable).store(value);
  Running::ask([](server::Server& server) { server.change(read_settings()); });
}

template <class T>
void listen_by(T& variable, T value) {
  const Turn turn;
  const T before = std::exchange(variable, value);
  std::optional<Kept<T>> kept;
  const bool done = Turn::succeeds([&](std::string* error) {
    kept.emplace(value);
    return listen_by_values(error);
  });
  variable = before;
  if (done) kept->put(variable);
}

void serve_by(unsigned& variable, unsigned value) {
  const Turn turn;
  const unsigned before = std::exchange(variable, value);
  if (!Turn::succeeds(serve_by_values)) variable = before;
}

void set_secret(bool writes, char*& variable, const char* checked) {
  const Turn turn;
  const std::optional<exec::Secret> secret = secret_of(checked);
  std::optional<Kept<char*>> shown;
  const bool done = change_secrets([&](std::string* error) {
    shown.emplace(hidden_form(secret));
    if (writes) return secrets.write.set(secret, error);
    return secrets.read.set(secret && secret->is_set() ? secret : std::nullopt, error);
  });
  if (done) shown->put(variable);
}

void set_secret_file(bool writes, char*& variable, const char* file) {
  const Turn turn;
  std::optional<Kept<char*>> kept;
  const bool done = change_secrets([&](std::string* error) {
    kept.emplace(file);
    return (writes ? secrets.write : secrets.read).read(text(kept->value()), error);
  });
  if (done) kept->put(variable);
}

void switch_slow_log(char& variable, bool on) {
  variable = on ? 1 : 0;
  Running::ask([on](server::Server& server) { server.slow_log().set_on(on); });
}

void set_long_query_time(double& variable, double seconds) {
  variable = seconds;
  Running::ask(
      [seconds](server::Server& server) { server.slow_log().set_threshold(in_ns(seconds)); });
}

void set_slow_log_file(char*& variable, const char* file) {
  const Turn turn;
  std::optional<Kept<char*>> kept;
  const bool done = Turn::succeeds([&](std::string* error) {
    kept.emplace(file);
    bool taken = true;
    Running::ask([&](server::Server& server) {
      taken = server.slow_log().set_file(text(kept->value()), error);
    });
    return taken;
  });
  if (done) kept->put(variable);
}

template <Change kChange, class T>
void change(void* target, const void* value) {
  T& variable = *static_cast<T*>(target);
  const T wanted = *static_cast<const T*>(value);
  if constexpr (kChange == Change::kStored) std::atomic_ref(variable).store(wanted);
  if constexpr (kChange == Change::kSetting) set(variable, wanted);
  if constexpr (kChange == Change::kListen) listen_by(variable, wanted);
  if constexpr (kChange == Change::kServe) serve_by(variable, wanted);
  if constexpr (kChange == Change::kSecret) set_secret(false, variable, wanted);
  if constexpr (kChange == Change::kSecretWr) set_secret(true, variable, wanted);
  if constexpr (kChange == Change::kSecretFile) set_secret_file(false, variable, wanted);
  if constexpr (kChange == Change::kSecretWrFile) set_secret_file(true, variable, wanted);
  if constexpr (kChange == Change::kSlowLog) switch_slow_log(variable, wanted != 0);
  if constexpr (kChange == Change::kLongQueryTime) set_long_query_time(variable, wanted);
  if constexpr (kChange == Change::kSlowLogFile) set_slow_log_file(variable, wanted);
}

}  // namespace

std::mutex& turns() {
  static std::mutex one;
  return one;
}

void update(seam::Variable which, void* target, const void* value) {
  switch (which) {
#define HS_NUMBER(name, how, ...) \
  case seam::Variable::name:      \
    return change<Change::how, unsigned>(target, value);
#define HS_LARGE_NUMBER(name, how, ...) \
  case seam::Variable::name:            \
    return change<Change::how, unsigned long long>(target, value);
#define HS_SECONDS(name, how, ...) \
  case seam::Variable::name:       \
    return change<Change::how, double>(target, value);
#define HS_SWITCH(name, how, ...) \
  case seam::Variable::name:      \
    return change<Change::how, char>(target, value);
#define HS_TEXT(name, how, ...) \
  case seam::Variable::name:    \
    return change<Change::how, char*>(target, value);
#define HS_CHOICE(name, how, ...) \
  case seam::Variable::name:      \
    return change<Change::how, unsigned long>(target, value);
#define HS_ACTION(name, ...) \
  case seam::Variable::name: \
    return;
#include "seam/variables.def"
#include "seam/variables_end.h"
  }
}

bool check_secret(THD* thd, const char* text, size_t size, const void** kept) try {
  CheckedSecret checked;
  checked.secret = exec::Secret({text, size});
  *kept = thd->memdup(&checked, sizeof checked);
  return *kept != nullptr;
} catch (const std::bad_alloc&) {
  my_printf_error(ER_UNKNOWN_ERROR, "handlersocket: out of memory", MYF(0));
  return false;
}

bool kill_connection(unsigned long long id) {
  bool killed = false;
  Running::ask([&](server::Server& server) { killed = server.kill(id); });
  if (!killed) my_printf_error(ER_NO_SUCH_THREAD, "Unknown connection id: %llu", MYF(0), id);
  return killed;
}

}  // namespace hs::mariadb
