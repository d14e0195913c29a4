#include "connection.h"

#include <cstring>
#include <string_view>

namespace hs::bench {

namespace {

constexpr size_t kInputSize = size_t{64} * 1024;             // at first
constexpr size_t kMaxInputSize = size_t{256} * 1024 * 1024;  // of one answer

// One byte at a time, since nothing may be read of what comes behind the line.
class Opening : public Dialogue {
 public:
  explicit Opening(Channel& channel) : channel_(channel) {}

  std::string ask(std::string_view request) override {
    constexpr size_t kMostBytes = 4096;
    if (channel_.send(request) != request.size()) throw Failure("cannot send");
    std::string line;
    for (char byte = 0; line.size() < kMostBytes; line += byte) {
      if (channel_.receive(&byte, 1) != 1) {
        throw Failure("the server does not answer what opens a connection");
      }
      if (byte == '\n') return line;
    }
    throw Failure("what opens a connection has an answer without an end");
  }

 private:
  Channel& channel_;
};

}  // namespace

Connection::Connection(const Place& place, Dialect& dialect, size_t depth)
    : dialect_(&dialect), channel_(place), in_flight_(depth), input_(kInputSize) {
  Opening opening(channel_);
  dialect.open(opening);
  channel_.set_nonblocking();
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
  output_.erase(0, channel_.send(output_));
  return output_.empty();
}

size_t Connection::receive(Tally* tally) {
  const size_t before = in_flight_.size();
  do {
    make_room();
    const size_t got = channel_.receive(input_.data() + input_size_, input_.size() - input_size_);
    if (got == 0) break;
    input_size_ += got;
    const size_t used =
        dialect_->settle({input_.data(), input_size_}, Clock::now(), &in_flight_, tally);
    input_size_ -= used;
    if (used > 0) std::memmove(input_.data(), input_.data() + used, input_size_);
  } while (channel_.has_pending());
  return before - in_flight_.size();
}

void Connection::make_room() {
  if (input_size_ < input_.size()) return;
  if (input_size_ >= kMaxInputSize) throw Failure("an answer has no end");
  input_.resize(2 * input_size_);
}

}  // namespace hs::bench
