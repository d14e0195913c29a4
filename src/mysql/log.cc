// SPDX-License-Identifier: GPL-2.0-only
#include "mysql/log.h"

#include "mysql/variables.h"

namespace hs::mysql {
namespace {

void* own_plugin;

constexpr unsigned kVerboseInfo = 10;

void log_at(plugin_log_level level, std::string_view message) {
  my_plugin_log_message(&own_plugin, level, "%.*s", static_cast<int>(message.size()),
                        message.data());
}

}  // namespace

void log_as(MYSQL_PLUGIN plugin) { own_plugin = plugin; }

void log_info(std::string_view message) {
  if (verbosity() >= kVerboseInfo) log_at(MY_INFORMATION_LEVEL, message);
}

void log_warning(std::string_view message) {
  if (verbosity() >= kVerboseInfo) log_complaint(message);
}

void log_error(std::string_view message) { log_at(MY_ERROR_LEVEL, message); }

void log_complaint(std::string_view message) { log_at(MY_WARNING_LEVEL, message); }

}  // namespace hs::mysql
