// SPDX-License-Identifier: GPL-2.0-only
// What deleting rows that have expired needs of this server.
#pragma once

#include <memory>

#include "adapter/purge.h"

namespace hs::mysql {

std::unique_ptr<adapter::PurgeHost> make_purge_host();

}  // namespace hs::mysql
