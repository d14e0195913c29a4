#include "connection.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string_view>
#include <utility>

#include "socket.h"

namespace hs::bench {

namespace {

constexpr size_t kInputSize = size_t{64} * 1024;             // at first
constexpr size_t kMaxInputSize = size_t{256} * 1024 * 1024;  // of one answer

}  // namespace

Connection::Connection(const Place& place, Dialect& dialect, size_t depth)
    : dialect_(&dialect), descriptor_(connect_to(place)), in_flight_(depth), input_(kInputSize) {
  open();
  ::fcntl(descriptor_, F_SETFL, O_NONBLOCK);
}

Connection::Connection(Connection&& other) noexcept
    : dialect_(other.dialect_),
      descriptor_(std::exchange(other.descriptor_, -1)),
      output_(std::move(other.output_)),
      has_new_(other.has_new_),
      untimed_(other.untimed_),
      in_flight_(std::move(other.in_flight_)),
      input_(std::move(other.input_)),
      input_size_(other.input_size_) {}

Connection::~Connection() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

void Connection::open() {
  const Opening opening = dialect_->opening();
  if (opening.request.empty()) return;
  const timeval patience{std::chrono::floor<std::chrono::seconds>(kPatience).count(), 0};
  ::setsockopt(descriptor_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
  if (::send(descriptor_, opening.request.data(), opening.request.size(), MSG_NOSIGNAL) !=
      static_cast<ssize_t>(opening.request.size())) {
    throw Failure(system_error("cannot send"));
  }
  std::string answer;
  while (answer.size() < opening.answer.size() && opening.answer.starts_with(answer)) {
    char byte = 0;
    if (::recv(descriptor_, &byte, 1, 0) != 1) {
      throw Failure("the server does not answer what opens a connection");
    }
    answer += byte;
  }
  if (answer == opening.answer) return;
  char rest[200];
  const ssize_t more = ::recv(descriptor_, rest, sizeof(rest), MSG_DONTWAIT);
  if (more > 0) answer.append(rest, static_cast<size_t>(more));
  if (answer.ends_with('\n')) answer.pop_back();
  throw Failure("what opens a connection was answered with " + answer);
}

void Connection::add(const Request& request) {
  add(request, {});
  ++untimed_;
}

void Connection::add(const Request& request, Clock::time_point at) {
  dialect_->encode(request, &output_);
  in_flight_.push({request, at});
  has_new_ = true;
}

bool Connection::flush(Clock::time_point now) {
  for (; untimed_ > 0; --untimed_) in_flight_.newest(untimed_ - 1).at = now;
  has_new_ = false;
  if (output_.empty()) return true;
  const ssize_t sent = ::send(descriptor_, output_.data(), output_.size(), MSG_NOSIGNAL);
  if (sent < 0 && errno != EAGAIN) throw Failure(system_error("cannot send"));
  output_.erase(0, sent < 0 ? 0 : static_cast<size_t>(sent));
  return output_.empty();
}

size_t Connection::receive(Tally* tally) {
  make_room();
  const ssize_t got =
      ::recv(descriptor_, input_.data() + input_size_, input_.size() - input_size_, 0);
  if (got < 0 && errno == EAGAIN) return 0;
  if (got < 0) throw Failure(system_error("cannot receive"));
  if (got == 0) throw Failure("the server has closed a connection");
  input_size_ += static_cast<size_t>(got);
  const size_t before = in_flight_.size();
  const size_t used =
      dialect_->settle({input_.data(), input_size_}, Clock::now(), &in_flight_, tally);
  if (used > 0) {
    input_size_ -= used;
    std::memmove(input_.data(), input_.data() + used, input_size_);
  }
  return before - in_flight_.size();
}

void Connection::make_room() {
  if (input_size_ < input_.size()) return;
  if (input_size_ >= kMaxInputSize) throw Failure("an answer has no end");
  input_.resize(2 * input_size_);
}

}  // namespace hs::bench
