// SPDX-License-Identifier: GPL-2.0-only
// What they are is in seam/variables.def. What a change does is the library's; while there is none,
// the value is stored, and counts when a library starts.
#include "loader/variables.h"

#include <string.h>

#include <cstdlib>
#include <cstring>
#include <new>
#include <string>
#include <string_view>

#include "loader/host_server.h"
#include "loader/loading.h"

namespace hs::loader {
namespace {

using seam::Change;
using seam::Variable;

constexpr bool is_secret(Change change) {
  return change == Change::kSecret || change == Change::kSecretWr;
}
constexpr int flags_of(Change change) {
  return PLUGIN_VAR_RQCMDARG | (change == Change::kAtStart ? PLUGIN_VAR_READONLY : 0) |
         (is_secret(change) ? kNeverPersisted : 0);
}

// What a text is to be set to. It may be a secret, so it is overwritten at the end.
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
  // False: an error was raised. A NUL would end the text early.
  bool may_be_value_of(const SystemVariable& variable) const {
    if (is_null()) return true;
    const std::string what = std::string("the value of ") + variable.name;
    if (text().find('\0') != std::string_view::npos) {
      raise_error(what + " contains a NUL");
      return false;
    }
    if (text().size() > kLongest) {
      raise_error(what + " has more than " + std::to_string(kLongest) + " bytes");
      return false;
    }
    return true;
  }

 private:
  // As the path of a file. The system looks names up on the stack, of which a session has little.
  static constexpr size_t kLongest = 4096;

  char buffer_[256];
  char* text_ = nullptr;  // the buffer, or a copy for this check in the statement's memory
  size_t size_ = 0;
};

// The check of a text: keeps a copy of it, of a secret what the library makes of it.
template <bool kIsSecret>
int check_text(THD* thd, SystemVariable* variable, void* save, st_mysql_value* value) try {
  const GivenText given(value);
  if (!given.may_be_value_of(*variable)) return 1;
  const seam::Library* const library = kIsSecret ? loading().library() : nullptr;
  if (kIsSecret && library == nullptr) {
    raise_error("a secret cannot be set while there is no library (see Handlersocket_message)");
    return 1;
  }
  const void* kept = nullptr;
  bool done = true;
  if (!given.is_null() && kIsSecret)
    done = library->check_secret(thd, given.text().data(), given.text().size(), &kept);
  else if (!given.is_null())
    done = (kept = statement_copy(thd, given.text())) != nullptr;
  *static_cast<const void**>(save) = kept;
  return done ? 0 : 1;
} catch (const std::bad_alloc&) {
  raise_error("out of memory");
  return 1;
}

template <class T>
void store(T& variable, const T& value) {
  variable = value;
}
template <>
void store<char*>(char*& variable, char* const& value) {
  char* const copy = value != nullptr ? ::strdup(value) : nullptr;
  if (value != nullptr && copy == nullptr)
    raise_error("out of memory");
  else
    keep_text(&variable, copy);
}

template <Variable kVariable, class T>
void update(THD*, SystemVariable*, void* target, const void* value) {
  const seam::Library* const library = loading().store_without_library(
      [&] { store(*static_cast<T*>(target), *static_cast<const T*>(value)); });
  if (library != nullptr) library->update(kVariable, target, value);
}

// Actions are carried out by the check, without LOCK_global_system_variables. They may take time, make
// sessions, and fail with an error of the SET.
int open_the_ports() {
  std::string why;
  if (loading().start(&why) == Loading::Outcome::kRunning) return 0;
  log_error(why);
  raise_error(why);
  return 1;
}

int reload(unsigned long long number) {
  if (number <= 1) return number == 1 ? open_the_ports() : 0;
  raise_error("handlersocket_reload takes 1, or 0, which does nothing");
  return 1;
}

int kill(unsigned long long number) {
  if (const seam::Library* const library = loading().library())
    return library->kill_connection(number) ? 0 : 1;
  raise_error("no port is open (see Handlersocket_message)");
  return 1;
}

template <int (*kAct)(unsigned long long)>
int act(THD*, SystemVariable*, void* save, st_mysql_value* value) try {
  long long number = 0;  // it may be an unsigned one
  value->val_int(value, &number);
  *static_cast<unsigned long long*>(save) = 0;
  return kAct(static_cast<unsigned long long>(number));
} catch (const std::bad_alloc&) {
  raise_error("out of memory");
  return 1;
}
void keep_nothing(THD*, SystemVariable*, void*, const void*) {}

// The TYPELIB of later releases has more members than that of the headers, and the server looks at
// them: there is room, which is empty.
struct Choices {
  TYPELIB list;
  const void* later[8];
};
template <size_t kSize>
Choices choices(const char* (&names)[kSize]) {
  Choices made{};
  made.list.count = kSize - 1;
  made.list.name = "";
  made.list.type_names = names;
  return made;
}

#define HS_NAMES(...) \
  { __VA_ARGS__, nullptr }
#define HS_NUMBER(...)
#define HS_LARGE_NUMBER(...)
#define HS_SECONDS(...)
#define HS_SWITCH(...)
#define HS_TEXT(...)
#define HS_CHOICE(name, change, standard, names, help) \
  const char* name##_names[] = HS_NAMES names;         \
  auto name##_choices = choices(name##_names);
#define HS_ACTION(name, ...) unsigned long long name##_value;  // always 0
#include "seam/variables.def"
#include "seam/variables_end.h"

#define HS_NUMBER(name, change, standard, least, most, help)                    \
  MYSQL_SYSVAR_UINT(name, values.name, flags_of(Change::change), help, nullptr, \
                    (update<Variable::name, unsigned>), standard, least, most, 0);
#define HS_LARGE_NUMBER(name, change, standard, least, most, help)                   \
  MYSQL_SYSVAR_ULONGLONG(name, values.name, flags_of(Change::change), help, nullptr, \
                         (update<Variable::name, unsigned long long>), standard, least, most, 0);
#define HS_SECONDS(name, change, standard, least, most, help)                     \
  MYSQL_SYSVAR_DOUBLE(name, values.name, flags_of(Change::change), help, nullptr, \
                      (update<Variable::name, double>), standard, least, most, 0);
#define HS_SWITCH(name, change, standard, help)                                                  \
  MYSQL_SYSVAR_BOOL(name, HS_SWITCH_PLACE(values.name), flags_of(Change::change), help, nullptr, \
                    (update<Variable::name, bool>), standard);
#define HS_TEXT(name, change, standard, help)                                              \
  MYSQL_SYSVAR_STR(name, values.name, flags_of(Change::change), help,                      \
                   check_text<is_secret(Change::change)>, (update<Variable::name, char*>), \
                   standard);
#define HS_CHOICE(name, change, standard, names, help)                          \
  MYSQL_SYSVAR_ENUM(name, values.name, flags_of(Change::change), help, nullptr, \
                    (update<Variable::name, unsigned long>), seam::standard,    \
                    &name##_choices.list);
#define HS_ACTION(name, most, help)                                                         \
  MYSQL_SYSVAR_ULONGLONG(name, name##_value,                                                \
                         PLUGIN_VAR_RQCMDARG | PLUGIN_VAR_NOCMDOPT | kNeverPersisted, help, \
                         act<name>, keep_nothing, 0, 0, most, 0);
#include "seam/variables.def"
#include "seam/variables_end.h"

}  // namespace

SystemVariable* system_variables[] = {
#define HS_NUMBER(name, ...) MYSQL_SYSVAR(name),
#define HS_LARGE_NUMBER(name, ...) MYSQL_SYSVAR(name),
#define HS_SECONDS(name, ...) MYSQL_SYSVAR(name),
#define HS_SWITCH(name, ...) MYSQL_SYSVAR(name),
#define HS_TEXT(name, ...) MYSQL_SYSVAR(name),
#define HS_CHOICE(name, ...) MYSQL_SYSVAR(name),
#define HS_ACTION(name, ...) MYSQL_SYSVAR(name),
#include "seam/variables.def"
#include "seam/variables_end.h"
    nullptr};

}  // namespace hs::loader
