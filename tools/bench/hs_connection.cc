#include "hs_connection.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstring>
#include <utility>

namespace hs::bench {

namespace {

constexpr size_t kInputSize = size_t{64} * 1024;

std::string system_error(const std::string& what) {
  return what + ": " + std::strerror(errno);  // NOLINT(concurrency-mt-unsafe)
}

int connect_unix(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof(address.sun_path)) throw Failure("the path of the socket is too long");
  std::memcpy(address.sun_path, path.data(), path.size());
  const int descriptor = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (descriptor < 0 ||
      ::connect(descriptor, reinterpret_cast<sockaddr*>(&address), sizeof(address)) != 0) {
    throw Failure(system_error("cannot connect to " + path));
  }
  return descriptor;
}

int connect_tcp(const Place& place) {
  const std::string name = place.host + ":" + std::to_string(place.port);
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  const int status =
      ::getaddrinfo(place.host.c_str(), std::to_string(place.port).c_str(), &hints, &found);
  if (status != 0) throw Failure("cannot connect to " + name + ": " + ::gai_strerror(status));
  const int descriptor = ::socket(found->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const bool connected =
      descriptor >= 0 && ::connect(descriptor, found->ai_addr, found->ai_addrlen) == 0;
  const std::string error = system_error("cannot connect to " + name);
  ::freeaddrinfo(found);
  if (!connected) throw Failure(error);
  const int on = 1;
  ::setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
  return descriptor;
}

}  // namespace

HsConnection::HsConnection(const Place& place)
    : descriptor_(place.socket.empty() ? connect_tcp(place) : connect_unix(place.socket)),
      input_(kInputSize) {
  open_index();
  ::fcntl(descriptor_, F_SETFL, O_NONBLOCK);
}

HsConnection::HsConnection(HsConnection&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)),
      output_(std::move(other.output_)),
      added_(other.added_),
      pending_(std::move(other.pending_)),
      input_(std::move(other.input_)),
      input_size_(other.input_size_) {}

HsConnection::~HsConnection() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

void HsConnection::open_index() {
  const std::string request =
      "P\t1\ttest\tuser\tPRIMARY\t" + std::string(KnownRow::kColumns) + "\n";
  if (::send(descriptor_, request.data(), request.size(), MSG_NOSIGNAL) !=
      static_cast<ssize_t>(request.size())) {
    throw Failure(system_error("cannot send"));
  }
  std::string answer;
  for (char byte = 0; !answer.ends_with('\n'); answer += byte) {
    if (::recv(descriptor_, &byte, 1, 0) != 1) throw Failure("no answer to open_index");
  }
  if (answer != "0\t1\n") throw Failure("the answer to open_index is " + answer);
}

void HsConnection::add_find(uint32_t key) {
  char line[32] = "1\t=\t1\t";
  char* const end = std::to_chars(line + 6, line + sizeof(line) - 1, key).ptr;
  *end = '\n';
  output_.append(line, end + 1);
  pending_.push_back({key, {}});
  ++added_;
}

bool HsConnection::flush(Clock::time_point now) {
  for (; added_ > 0; --added_) pending_[pending_.size() - added_].at = now;
  if (output_.empty()) return true;
  const ssize_t sent = ::send(descriptor_, output_.data(), output_.size(), MSG_NOSIGNAL);
  if (sent < 0 && errno != EAGAIN) throw Failure(system_error("cannot send"));
  output_.erase(0, sent < 0 ? 0 : static_cast<size_t>(sent));
  return output_.empty();
}

size_t HsConnection::receive(Tally* tally) {
  const ssize_t got =
      ::recv(descriptor_, input_.data() + input_size_, input_.size() - input_size_, 0);
  if (got < 0 && errno == EAGAIN) return 0;
  if (got < 0) throw Failure(system_error("cannot receive"));
  if (got == 0) throw Failure("the server has closed a connection");
  input_size_ += static_cast<size_t>(got);
  const Clock::time_point now = Clock::now();
  std::string_view rest(input_.data(), input_size_);
  size_t answers = 0;
  for (size_t end; (end = rest.find('\n')) != std::string_view::npos; ++answers) {
    settle(rest.substr(0, end), now, tally);
    rest.remove_prefix(end + 1);
  }
  if (rest.size() == input_.size()) throw Failure("an answer has no end");
  std::memmove(input_.data(), rest.data(), rest.size());
  input_size_ = rest.size();
  return answers;
}

void HsConnection::settle(std::string_view line, Clock::time_point now, Tally* tally) {
  if (pending_.empty()) throw Failure("an answer to no request: " + std::string(line));
  const Sent sent = pending_.front();
  pending_.pop_front();
  tally->latency.record(static_cast<uint64_t>((now - sent.at).count()));
  if (!KnownRow(sent.key).is_answer(line)) tally->count_error(sent.key, std::string(line));
}

}  // namespace hs::bench
