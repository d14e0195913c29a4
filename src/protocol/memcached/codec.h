// The protocol of memcached's clients: text, meta commands and binary, told apart by the first byte
// of each message.
#pragma once

#include "protocol/codec.h"

namespace hs::protocol::memcached {

const Protocol& memcached_protocol();

}  // namespace hs::protocol::memcached
