// SPDX-License-Identifier: GPL-2.0-only
// The server's error log. Any thread.
#pragma once

#include <string_view>

namespace hs::in_server {

// Nothing, unless handlersocket_verbose says that start, stop and warnings are told.
void log_info(std::string_view message);
void log_warning(std::string_view message);
void log_error(std::string_view message);
// A warning that is always told.
void log_complaint(std::string_view message);

}  // namespace hs::in_server
