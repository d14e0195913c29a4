#include "adapter/changes.h"

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

#include "adapter/configuration.h"
#include "adapter/running.h"
#include "adapter/variables.h"

namespace hs::adapter {
namespace {

using seam::Change;

// One SET after the other, and after a start.
class Turn {
 public:
  explicit Turn(SettingsHost& host) : host_(host) {
    host_.unlock_variables();
    turns().lock();
    host_.lock_variables();
  }
  ~Turn() { turns().unlock(); }
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;

  // Calls `work`, which returns false and sets *error when it fails, without the server's mutex.
  template <class Work>
  bool succeeds(Work work) const {
    host_.unlock_variables();
    std::string error;
    bool done = false;
    try {
      done = work(&error);
    } catch (const std::bad_alloc&) {
      error = "out of memory";
    }
    host_.lock_variables();
    if (!done) host_.raise(error);
    return done;
  }

 private:
  SettingsHost& host_;
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

bool listen_by_values(SettingsHost& host, std::string* error) {
  std::optional<server::Config> config = read_configuration(error);
  if (!config || !leaves(host.own_places(), *config, error)) return false;
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
bool change_secrets(SettingsHost& host, const Turn& turn, Change change) {
  return turn.succeeds([&](std::string* error) {
    // Not const: GCC 12 to 14 then take `secrets` for constant, too, and put it where nobody may write.
    Secrets before = secrets;
    if (change(error) && listen_by_values(host, error)) return true;
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
void set(SettingsHost& host, T& variable, T value) {
  const Turn turn(host);
  std::atomic_ref(variable).store(value);
  Running::ask([](server::Server& server) { server.change(read_settings()); });
}

template <class T>
void listen_by(SettingsHost& host, T& variable, T value) {
  const Turn turn(host);
  const T before = std::exchange(variable, value);
  std::optional<Kept<T>> kept;
  const bool done = turn.succeeds([&](std::string* error) {
    kept.emplace(value);
    return listen_by_values(host, error);
  });
  variable = before;
  if (done) kept->put(variable);
}

void serve_by(SettingsHost& host, unsigned& variable, unsigned value) {
  const Turn turn(host);
  const unsigned before = std::exchange(variable, value);
  if (!turn.succeeds(serve_by_values)) variable = before;
}

void set_secret(SettingsHost& host, bool writes, char*& variable, const char* checked) {
  const Turn turn(host);
  const std::optional<exec::Secret> secret = secret_of(checked);
  std::optional<Kept<char*>> shown;
  const bool done = change_secrets(host, turn, [&](std::string* error) {
    shown.emplace(hidden_form(secret));
    if (writes) return secrets.write.set(secret, error);
    return secrets.read.set(secret && secret->is_set() ? secret : std::nullopt, error);
  });
  if (done) shown->put(variable);
}

void set_secret_file(SettingsHost& host, bool writes, char*& variable, const char* file) {
  const Turn turn(host);
  std::optional<Kept<char*>> kept;
  const bool done = change_secrets(host, turn, [&](std::string* error) {
    kept.emplace(file);
    return (writes ? secrets.write : secrets.read).read(text(kept->value()), error);
  });
  if (done) kept->put(variable);
}

void switch_slow_log(bool& variable, bool on) {
  variable = on;
  Running::ask([on](server::Server& server) { server.slow_log().set_on(on); });
}

void set_long_query_time(double& variable, double seconds) {
  variable = seconds;
  Running::ask(
      [seconds](server::Server& server) { server.slow_log().set_threshold(in_ns(seconds)); });
}

void set_slow_log_file(SettingsHost& host, char*& variable, const char* file) {
  const Turn turn(host);
  std::optional<Kept<char*>> kept;
  const bool done = turn.succeeds([&](std::string* error) {
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
void change(SettingsHost& host, void* target, const void* value) {
  T& variable = *static_cast<T*>(target);
  const T wanted = *static_cast<const T*>(value);
  if constexpr (kChange == Change::kStored) std::atomic_ref(variable).store(wanted);
  if constexpr (kChange == Change::kSetting) set(host, variable, wanted);
  if constexpr (kChange == Change::kListen) listen_by(host, variable, wanted);
  if constexpr (kChange == Change::kServe) serve_by(host, variable, wanted);
  if constexpr (kChange == Change::kSecret) set_secret(host, false, variable, wanted);
  if constexpr (kChange == Change::kSecretWr) set_secret(host, true, variable, wanted);
  if constexpr (kChange == Change::kSecretFile) set_secret_file(host, false, variable, wanted);
  if constexpr (kChange == Change::kSecretWrFile) set_secret_file(host, true, variable, wanted);
  if constexpr (kChange == Change::kSlowLog) switch_slow_log(variable, wanted);
  if constexpr (kChange == Change::kLongQueryTime) set_long_query_time(variable, wanted);
  if constexpr (kChange == Change::kSlowLogFile) set_slow_log_file(host, variable, wanted);
}

// An action is carried out by the loader's check.
void nothing(SettingsHost&, void*, const void*) {}

// By seam::Variable.
constexpr void (*kUpdates[])(SettingsHost&, void*, const void*) = {
#define HS_NUMBER(name, how, ...) change<Change::how, unsigned>,
#define HS_LARGE_NUMBER(name, how, ...) change<Change::how, unsigned long long>,
#define HS_SECONDS(name, how, ...) change<Change::how, double>,
#define HS_SWITCH(name, how, ...) change<Change::how, bool>,
#define HS_TEXT(name, how, ...) change<Change::how, char*>,
#define HS_CHOICE(name, how, ...) change<Change::how, unsigned long>,
#define HS_ACTION(name, ...) nothing,
#include "seam/variables.def"
#include "seam/variables_end.h"
};

}  // namespace

std::mutex& turns() {
  static std::mutex one;
  return one;
}

void update(SettingsHost& host, seam::Variable which, void* target, const void* value) {
  kUpdates[static_cast<size_t>(which)](host, target, value);
}

bool check_secret(SettingsHost& host, THD* thd, std::string_view secret, const void** kept) try {
  CheckedSecret checked;
  checked.secret = exec::Secret(secret);
  *kept = host.copy(thd, &checked, sizeof checked);
  return *kept != nullptr;
} catch (const std::bad_alloc&) {
  host.raise("out of memory");
  return false;
}

bool kill_connection(SettingsHost& host, unsigned long long id) {
  bool killed = false;
  Running::ask([&](server::Server& server) { killed = server.kill(id); });
  if (!killed) host.raise_no_such_connection(id);
  return killed;
}

}  // namespace hs::adapter
