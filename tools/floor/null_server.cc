// hs-null-server: what the network alone costs. A loop on epoll with nothing behind it. It answers
// every line at once with the bytes that the plugin would send for the row of test.user with the
// key in that line. It looks no row up, so no server on this machine can be faster with the same
// system calls.
//
//   hs-null-server [PORT]     prints "PORT PID" when it listens, and serves until it is killed
//
// One thread. A request is what hs-bench sends: `P…` opens, any other line is a find whose key is
// the fourth token. For the benchmark only: input is not checked, and bounded only by kBuffer.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string_view>

namespace {

constexpr size_t kBuffer = size_t{64} * 1024;
constexpr size_t kLongestReply = 256;
constexpr int kEvents = 1024;
constexpr std::string_view kSampleKey = "101";
constexpr std::string_view kSampleReply =
    "0\t3\tYukari Takeba\tyukari.takeba@dena.jp\t2010-02-03 11:22:33\n";

struct Connection {
  int descriptor;
  size_t unread = 0;  // bytes of a line that is not complete
  std::array<char, kBuffer> input;
};

[[noreturn]] void fail(const char* what) {
  std::perror(what);
  std::exit(1);
}

char* append(char* out, std::string_view text) {
  std::memcpy(out, text.data(), text.size());
  return out + text.size();
}

// The fourth token: INDEX OPERATOR COUNT KEY …
std::string_view key_of(std::string_view line) {
  for (int i = 0; i < 3; ++i) line.remove_prefix(line.find('\t') + 1);
  return line.substr(0, line.find('\t'));
}

char* answer(std::string_view line, char* out) {
  if (line.starts_with('P')) return append(out, "0\t1\n");
  const std::string_view key = key_of(line);
  if (key == kSampleKey) return append(out, kSampleReply);
  out = append(append(out, "0\t3\tuser name "), key);
  out = append(append(out, "\tuser"), key);
  return append(out, "@example.com\t2010-02-03 11:22:33\n");
}

// False: the client has gone.
bool serve(Connection& connection) {
  static std::array<char, kBuffer * 4> output;
  char* const input = connection.input.data();
  const ssize_t size = ::recv(connection.descriptor, input + connection.unread,
                              connection.input.size() - connection.unread, MSG_DONTWAIT);
  if (size <= 0) return false;
  std::string_view rest(input, connection.unread + static_cast<size_t>(size));
  char* out = output.data();
  for (;;) {
    const size_t end = rest.find('\n');
    if (end == std::string_view::npos) break;
    if (end > kLongestReply / 2) return false;
    out = answer(rest.substr(0, end), out);
    rest.remove_prefix(end + 1);
    if (out > output.data() + output.size() - kLongestReply) return false;
  }
  std::memmove(input, rest.data(), rest.size());
  connection.unread = rest.size();
  const auto length = static_cast<size_t>(out - output.data());
  return ::send(connection.descriptor, output.data(), length, MSG_NOSIGNAL) == ssize_t(length);
}

int listen_on(uint16_t port) {
  const int listener = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(port);
  if (::bind(listener, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) fail("bind");
  if (::listen(listener, SOMAXCONN) != 0) fail("listen");
  socklen_t length = sizeof address;
  ::getsockname(listener, reinterpret_cast<sockaddr*>(&address), &length);
  std::printf("%d %d\n", ntohs(address.sin_port), ::getpid());
  std::fflush(stdout);
  return listener;
}

void admit(int epoll, int listener) {
  auto connection = std::make_unique<Connection>();
  connection->descriptor = ::accept4(listener, nullptr, nullptr, SOCK_CLOEXEC);
  if (connection->descriptor < 0) return;
  const int on = 1;
  ::setsockopt(connection->descriptor, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.ptr = connection.get();
  if (::epoll_ctl(epoll, EPOLL_CTL_ADD, connection->descriptor, &event) != 0) fail("epoll_ctl");
  connection.release();  // owned by epoll's data until serve() returns false
}

}  // namespace

int main(int count, char** arguments) {
  const int listener = listen_on(count > 1 ? static_cast<uint16_t>(std::atoi(arguments[1])) : 0);
  const int epoll = ::epoll_create1(EPOLL_CLOEXEC);
  epoll_event event{};
  event.events = EPOLLIN;
  if (::epoll_ctl(epoll, EPOLL_CTL_ADD, listener, &event) != 0) fail("epoll_ctl");
  std::array<epoll_event, kEvents> events;
  for (;;) {
    const int happened = ::epoll_wait(epoll, events.data(), kEvents, -1);
    for (int i = 0; i < happened; ++i) {
      auto* const connection = static_cast<Connection*>(events[static_cast<size_t>(i)].data.ptr);
      if (connection == nullptr) {
        admit(epoll, listener);
      } else if (!serve(*connection)) {
        ::close(connection->descriptor);
        delete connection;
      }
    }
  }
}
