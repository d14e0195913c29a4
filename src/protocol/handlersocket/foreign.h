// Tells what is no mistake of a client of ours but another protocol altogether.
//
// A page in a browser can make it connect to any port of its own machine and send a request whose
// body is the page's: lines of this protocol, if it likes. What stands before that body gives it
// away.
#pragma once

#include <cstdint>
#include <string_view>

namespace hs::protocol::handlersocket {

enum class Foreign : uint8_t {
  kNo,
  kGreeting,  // as the first line of a connection: a request line of HTTP, a hello of TLS
  kAnywhere,  // a header that every request of a browser has
};

// Of a line without its LF (and CR) that is no command.
Foreign foreign(std::string_view line);

}  // namespace hs::protocol::handlersocket
