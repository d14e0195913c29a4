// SPDX-License-Identifier: GPL-2.0-only
#include "in_server/log.h"

#include "adapter/variables.h"
#include "server_words.h"

namespace hs::in_server {

void log_info(std::string_view message) {
  if (adapter::is_verbose()) write_to_log(INFORMATION_LEVEL, message);
}

void log_warning(std::string_view message) {
  if (adapter::is_verbose()) log_complaint(message);
}

void log_error(std::string_view message) { write_to_log(ERROR_LEVEL, message); }

void log_complaint(std::string_view message) { write_to_log(WARNING_LEVEL, message); }

}  // namespace hs::in_server
