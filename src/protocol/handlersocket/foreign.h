// Tells another protocol from a mistake of a HandlerSocket client.
//
// A web page can make a browser connect to any port of its machine and send a request whose body
// the page chooses, for example lines of this protocol. The bytes before that body show that the
// sender is a browser.
#pragma once

#include <cstdint>
#include <string_view>

namespace hs::protocol::handlersocket {

enum class Foreign : uint8_t {
  kNo,
  kGreeting,  // only as the first line of a connection: a request line of HTTP
  kAnywhere,  // in any place: a header that every request of a browser has
};

// Judges a line, without its LF (and CR), that is no command.
Foreign foreign(std::string_view line);

}  // namespace hs::protocol::handlersocket
