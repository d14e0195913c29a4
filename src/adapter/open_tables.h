// Decides how many tables a session keeps open.
#pragma once

#include <cstddef>

namespace hs::adapter {

// Each open table costs memory, a place in the server's table cache and, for some engines, file
// descriptors. All `sessions` together keep as many as the cache has places, which is `cache`. But
// each may keep 8, and none keeps more than 256.
size_t most_open_tables(size_t cache, size_t sessions);

}  // namespace hs::adapter
