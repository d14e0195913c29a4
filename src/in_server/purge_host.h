// SPDX-License-Identifier: GPL-2.0-only
// The server, as the purge of expired rows sees it.
#pragma once

#include <memory>

#include "adapter/purge.h"

namespace hs::in_server {

std::unique_ptr<adapter::PurgeHost> make_purge_host();

}  // namespace hs::in_server
