// The meta commands: mg, ms, md, ma, mn and me, and their flags.
#pragma once

#include <string>
#include <string_view>

#include "protocol/memcached/ask.h"
#include "protocol/memcached/words.h"

namespace hs::protocol::memcached {

bool is_meta(std::string_view name);

// `words`: what follows the name. `data`: what follows the line.
void parse_meta(std::string_view name, Words words, std::string_view data, Ask* ask,
                std::string* memory);

}  // namespace hs::protocol::memcached
