// SPDX-License-Identifier: GPL-2.0-only
// The system variables, as the server wants them declared.
#pragma once

#include "server_plugin.h"

namespace hs::loader {

extern SystemVariable* system_variables[];

}  // namespace hs::loader
