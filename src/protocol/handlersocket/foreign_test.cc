#include "protocol/handlersocket/foreign.h"

#include <gtest/gtest.h>

#include <string>

namespace hs::protocol::handlersocket {
namespace {

TEST(Foreign, RequestLinesOfHttpAreGreetings) {
  for (const char* line :
       {"GET / HTTP/1.1", "POST /a/b?c=d%20e HTTP/1.1", "PUT /x HTTP/1.0", "HEAD / HTTP/1.1",
        "DELETE /x HTTP/1.1", "OPTIONS * HTTP/1.1", "CONNECT 127.0.0.1:9999 HTTP/1.1",
        "PATCH /x HTTP/1.1", "TRACE / HTTP/1.1", "PRI * HTTP/2.0", "patch / HTTP/1.1",
        "GET http://127.0.0.1:9999/ HTTP/1.1"}) {
    EXPECT_EQ(foreign(line), Foreign::kGreeting) << line;
  }
}

TEST(Foreign, AHostHeaderIsForeignAnywhere) {
  for (const char* line : {"Host: 127.0.0.1:9999", "host:x", "HOST:", "Host:\tlocalhost"}) {
    EXPECT_EQ(foreign(line), Foreign::kAnywhere) << line;
  }
}

TEST(Foreign, OtherUnknownCommandsAreMistakes) {
  for (const char* line :
       {"", "X", "GET", "GET /", "POST", "POST / HTTP", "POST / HTTP/", "POST / HTTP/x", "HTTP/1.1",
        " HTTP/1.1", "GET\t/ HTTP/1.1", "DELETE FROM t WHERE k = 1", "Host", "Hosts: x", " Host: x",
        "\x16", "\x16\x03\x01", "\xff\xfe"}) {
    EXPECT_EQ(foreign(line), Foreign::kNo) << line;
  }
}

}  // namespace
}  // namespace hs::protocol::handlersocket
