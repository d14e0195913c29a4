// SPDX-License-Identifier: GPL-2.0-only
#include "mysql/log.h"

#include "adapter/variables.h"
#include "mysql/server_headers.h"
#include "sql/log.h"

namespace hs::mysql {
namespace {

void log_at(loglevel level, std::string_view message) {
  log_message(LOG_TYPE_ERROR, LOG_ITEM_LOG_PRIO, static_cast<longlong>(level), LOG_ITEM_SRV_SUBSYS,
              "Server", LOG_ITEM_LOG_MESSAGE, "handlersocket: %.*s",
              static_cast<int>(message.size()), message.data());
}

}  // namespace

void log_info(std::string_view message) {
  if (adapter::is_verbose()) log_at(INFORMATION_LEVEL, message);
}

void log_warning(std::string_view message) {
  if (adapter::is_verbose()) log_complaint(message);
}

void log_error(std::string_view message) { log_at(ERROR_LEVEL, message); }

void log_complaint(std::string_view message) { log_at(WARNING_LEVEL, message); }

}  // namespace hs::mysql
