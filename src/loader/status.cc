// SPDX-License-Identifier: GPL-2.0-only
// What there is is in seam/status.def. The numbers are the library's, and 0 while there is none.
#include "loader/status.h"

#include <mysql/plugin.h>

#include <algorithm>
#include <cstring>
#include <new>
#include <string>

#include "loader/loading.h"

namespace hs::loader {
namespace {

using seam::Status;

// The room that the server gives for a value (SHOW_VAR_FUNC_BUFF_SIZE, which is in no public header).
constexpr size_t kMostBytes = 1024;

template <std::string Loading::Shown::*kMember>
int show_text(THD*, st_mysql_show_var* variable, void* buffer, system_status_var*, enum_var_type) {
  std::string text;
  try {
    text = loading().shown().*kMember;
  } catch (const std::bad_alloc&) {
    // It is shown as an empty one.
  }
  text.resize(std::min(text.size(), kMostBytes - 1));
  std::memcpy(buffer, text.c_str(), text.size() + 1);
  variable->type = SHOW_CHAR;
  variable->value = buffer;
  return 0;
}

template <Status kStatus>
int show_number(THD*, st_mysql_show_var* variable, void* buffer, system_status_var*,
                enum_var_type) {
  const seam::Library* const library = loading().library();
  *static_cast<unsigned long long*>(buffer) = library != nullptr ? library->status(kStatus) : 0;
  variable->type = SHOW_ULONGLONG;
  variable->value = buffer;
  return 0;
}

template <class Function>
st_mysql_show_var variable(const char* name, Function* function) {
  return {name, reinterpret_cast<void*>(function), SHOW_FUNC};
}

}  // namespace

st_mysql_show_var status_variables[] = {
#define HS_LOADER_STATUS(name) variable(#name, show_text<&Loading::Shown::name>),
#define HS_TABLE_STATUS(name, member) variable(#name, show_number<Status::name>),
#define HS_STATUS(name) variable(#name, show_number<Status::name>),
#include "seam/status.def"
#include "seam/status_end.h"
    {nullptr, nullptr, SHOW_UNDEF}};

}  // namespace hs::loader
