// The HandlerSocket line protocol: framing, foreign, parser and reply_encoder put together.
#pragma once

#include "protocol/codec.h"

namespace hs::protocol::handlersocket {

// Lives as long as the process.
const Protocol& line_protocol();

}  // namespace hs::protocol::handlersocket
