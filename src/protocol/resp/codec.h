// The protocol of Redis, in its versions 2 and 3, on the rows of tables (docs/redis.md).
#pragma once

#include "protocol/codec.h"

namespace hs::protocol::resp {

const Protocol& resp_protocol();

}  // namespace hs::protocol::resp
