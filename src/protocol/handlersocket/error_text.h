// An error as a HandlerSocket client receives it: <code> \t 1 \t <text>. The texts are in
// errors.def.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace hs::protocol::handlersocket {

// 1: the server or the engine, 2: the request, 3: authentication.
int wire_code(ErrorCode code);

// The text in errors.def; empty for kEngine, a prefix for kSql.
std::string_view wire_text(ErrorCode code);

// The whole text token: printable ASCII without TAB or LF. May throw std::bad_alloc.
std::string wire_text(const Error& error);

}  // namespace hs::protocol::handlersocket
