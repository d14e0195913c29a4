// A server of lines with nothing but the system calls that it must make: one thread, a loop on
// epoll, one receive and one send for each connection that is ready. For the benchmark only: input
// is not checked, and bounded only by kBuffer.
//
// A request is what hs bench sends: `P…` opens, and any other line is answered by the owner.
#ifndef HS_TOOLS_FLOOR_LINE_SERVER_H_
#define HS_TOOLS_FLOOR_LINE_SERVER_H_

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

namespace hs::floor {

// The token at `place`, from 0.
inline std::string_view token(std::string_view line, int place) {
  for (; place > 0; --place) line.remove_prefix(line.find('\t') + 1);
  return line.substr(0, line.find('\t'));
}

class LineServer {
 public:
  static constexpr size_t kLongestReply = 256;

  // Listens on that port of 127.0.0.1, or on any if it is 0.
  explicit LineServer(uint16_t port);
  ~LineServer();
  LineServer(const LineServer&) = delete;
  LineServer& operator=(const LineServer&) = delete;

  // False: the port could not be had; errno says why.
  bool listens() const { return port_ != 0; }
  uint16_t port() const { return port_; }

  // Serves until a client has come and the last one has gone, or none has come for so long.
  // `patience_ms` -1: for ever. `begin` and `end` stand around what is ready at one time.
  // `answer(line, out)` appends the reply and returns its end. False from `begin`: ends.
  template <class Begin, class Answer, class End>
  void serve(int patience_ms, Begin begin, Answer answer, End end);

  // The same for changes: waits until each connection has sent a request, or none has come for a
  // millisecond, and sends the replies behind `end`.
  template <class Begin, class Answer, class End>
  void serve_together(int patience_ms, Begin begin, Answer answer, End end);

 private:
  static constexpr size_t kBuffer = size_t{64} * 1024;
  static constexpr int kEvents = 1024;
  static constexpr int kStragglersMs = 1;

  struct Connection {
    int descriptor;
    size_t unread = 0;  // bytes of lines that were not answered
    std::array<char, kBuffer> input;
    std::array<char, 4 * kLongestReply> replies;  // of serve_together(), up to `end`
    char* end = nullptr;
  };

  void admit();
  void forget(Connection* connection) {
    ::close(connection->descriptor);
    delete connection;
    --connections_;
  }
  // False: the client has gone.
  static bool receive(Connection& connection);
  // Returns the end of the replies in `output`; null: there is no room for them.
  template <class Answer>
  static char* execute(Connection& connection, std::span<char> output, Answer& answer);
  static bool reply(const Connection& connection, const char* begin, const char* end) {
    return end != nullptr && ::send(connection.descriptor, begin, static_cast<size_t>(end - begin),
                                    MSG_NOSIGNAL) == end - begin;
  }

  int listener_;
  int epoll_;
  uint16_t port_ = 0;
  size_t connections_ = 0;
  std::array<char, kBuffer * 4> output_;
};

inline LineServer::LineServer(uint16_t port)
    : listener_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)),
      epoll_(::epoll_create1(EPOLL_CLOEXEC)) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(port);
  const int on = 1;
  ::setsockopt(listener_, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  if (::bind(listener_, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) return;
  if (::listen(listener_, SOMAXCONN) != 0) return;
  epoll_event event{};
  event.events = EPOLLIN;
  if (::epoll_ctl(epoll_, EPOLL_CTL_ADD, listener_, &event) != 0) return;
  socklen_t length = sizeof address;
  ::getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &length);
  port_ = ntohs(address.sin_port);
}

inline LineServer::~LineServer() {
  ::close(listener_);
  ::close(epoll_);
}

inline void LineServer::admit() {
  auto connection = std::make_unique<Connection>();
  connection->descriptor = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
  if (connection->descriptor < 0) return;
  const int on = 1;
  ::setsockopt(connection->descriptor, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.ptr = connection.get();
  if (::epoll_ctl(epoll_, EPOLL_CTL_ADD, connection->descriptor, &event) != 0) {
    ::close(connection->descriptor);
    return;
  }
  connection.release();  // owned by epoll's data until answer() returns false
  ++connections_;
}

inline bool LineServer::receive(Connection& connection) {
  const ssize_t size = ::recv(connection.descriptor, connection.input.data() + connection.unread,
                              connection.input.size() - connection.unread, MSG_DONTWAIT);
  if (size <= 0) return false;
  connection.unread += static_cast<size_t>(size);
  return true;
}

// Answers the lines that are complete.
template <class Answer>
char* LineServer::execute(Connection& connection, std::span<char> output, Answer& answer) {
  constexpr std::string_view kOpened = "0\t1\n";
  std::string_view rest(connection.input.data(), connection.unread);
  char* out = output.data();
  const char* const last = out + output.size() - kLongestReply;
  for (;;) {
    const size_t end = rest.find('\n');
    if (end == std::string_view::npos) break;
    if (end > kLongestReply / 2 || out > last) return nullptr;
    if (rest.starts_with('P')) {
      std::memcpy(out, kOpened.data(), kOpened.size());
      out += kOpened.size();
    } else {
      out = answer(rest.substr(0, end), out);
    }
    rest.remove_prefix(end + 1);
  }
  std::memmove(connection.input.data(), rest.data(), rest.size());
  connection.unread = rest.size();
  return out;
}

template <class Begin, class Answer, class End>
void LineServer::serve(int patience_ms, Begin begin, Answer answer, End end) {
  std::array<epoll_event, kEvents> events;
  bool served = false;
  while (!served || connections_ != 0 || patience_ms < 0) {
    const int happened = ::epoll_wait(epoll_, events.data(), kEvents, patience_ms);
    if (happened == 0 || !begin()) return;
    for (int i = 0; i < happened; ++i) {
      auto* const connection = static_cast<Connection*>(events[static_cast<size_t>(i)].data.ptr);
      if (connection == nullptr) {
        admit();
      } else if (receive(*connection) &&
                 reply(*connection, output_.data(), execute(*connection, output_, answer))) {
        served = true;
      } else {
        forget(connection);
      }
    }
    end();
  }
}

template <class Begin, class Answer, class End>
void LineServer::serve_together(int patience_ms, Begin begin, Answer answer, End end) {
  std::array<epoll_event, kEvents> events;
  std::vector<Connection*> ready;
  bool served = false;
  while (!served || connections_ != 0) {
    const int happened =
        ::epoll_wait(epoll_, events.data(), kEvents, ready.empty() ? patience_ms : kStragglersMs);
    if (happened == 0 && ready.empty()) return;
    for (int i = 0; i < happened; ++i) {
      auto* const connection = static_cast<Connection*>(events[static_cast<size_t>(i)].data.ptr);
      if (connection == nullptr) {
        admit();
      } else if (receive(*connection)) {
        ready.push_back(connection);
      } else {
        forget(connection);
      }
    }
    if (ready.empty() || (happened != 0 && ready.size() < connections_)) continue;
    if (!begin()) return;
    for (Connection* const connection : ready)
      connection->end = execute(*connection, connection->replies, answer);
    end();
    for (Connection* const connection : ready)
      if (!reply(*connection, connection->replies.data(), connection->end)) forget(connection);
    ready.clear();
    served = true;
  }
}

}  // namespace hs::floor

#endif  // HS_TOOLS_FLOOR_LINE_SERVER_H_
