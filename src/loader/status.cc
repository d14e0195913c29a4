// SPDX-License-Identifier: GPL-2.0-only
// What there is is in seam/status.def. The numbers are the library's, and 0 while there is none.
#include "loader/status.h"

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
void show_text(StatusVariable* variable, char* buffer) {
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
}

template <Status kStatus>
void show_number(StatusVariable* variable, char* buffer) {
  const seam::Library* const library = loading().library();
  const unsigned long long number = library != nullptr ? library->status(kStatus) : 0;
  std::memcpy(buffer, &number, sizeof number);
  variable->type = kShownNumber;
  variable->value = buffer;
}

}  // namespace

StatusVariable status_variables[] = {
#define HS_LOADER_STATUS(name) \
  status_variable<show_text<&Loading::Shown::name>>(HS_STATUS_NAME(name)),
#define HS_TABLE_STATUS(name, member) \
  status_variable<show_number<Status::name>>(HS_STATUS_NAME(name)),
#define HS_STATUS(name) status_variable<show_number<Status::name>>(HS_STATUS_NAME(name)),
#include "seam/status.def"
#include "seam/status_end.h"
    kNoStatusVariable};

}  // namespace hs::loader
