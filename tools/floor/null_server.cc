// hs-null-server: what the network alone costs. A LineServer with nothing behind it. It answers
// every line at once with the bytes that the plugin would send for the row of test.user with the
// key in that line. It looks no row up, so no server on this machine can be faster with the same
// system calls.
//
//   hs-null-server [PORT]     prints "PORT PID" when it listens, and serves until it is killed
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string_view>

#include "line_server.h"

namespace {

constexpr std::string_view kSampleKey = "101";
constexpr std::string_view kSampleReply =
    "0\t3\tYukari Takeba\tyukari.takeba@dena.jp\t2010-02-03 11:22:33\n";

char* append(char* out, std::string_view text) {
  std::memcpy(out, text.data(), text.size());
  return out + text.size();
}

// INDEX OPERATOR COUNT KEY …
char* answer(std::string_view line, char* out) {
  const std::string_view key = hs::floor::token(line, 3);
  if (key == kSampleKey) return append(out, kSampleReply);
  out = append(append(out, "0\t3\tuser name "), key);
  out = append(append(out, "\tuser"), key);
  return append(out, "@example.com\t2010-02-03 11:22:33\n");
}

}  // namespace

int main(int count, char** arguments) {
  const auto port = count > 1 ? static_cast<uint16_t>(std::atoi(arguments[1])) : uint16_t{0};
  const auto server = std::make_unique<hs::floor::LineServer>(port);
  if (!server->listens()) {
    std::perror("hs-null-server");
    return 1;
  }
  std::printf("%d %d\n", server->port(), ::getpid());
  std::fflush(stdout);
  server->serve(
      -1, [] { return true; }, answer, [] {});
}
