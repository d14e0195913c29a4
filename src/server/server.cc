#include "server/server.h"

#include <mutex>
#include <new>

#include "base/clock.h"
#include "base/memory.h"
#include "server/admission.h"
#include "server/port.h"
#include "server/seldom.h"
#include "server/start_gate.h"

namespace hs::server {
namespace {

constexpr uint32_t kMaxThreads = 3000;
constexpr size_t kMaxReadSize = 16u << 20;

bool check_threads(const PortConfig& port, engine::Mode mode, std::string* error) {
  if (port.port.empty() || (port.threads >= 1 && port.threads <= kMaxThreads)) return true;
  *error = std::string(threads_variable(mode)) + " is " + std::to_string(port.threads) +
           ", not in the range 1 to " + std::to_string(kMaxThreads);
  return false;
}

bool check(const Config& config, std::string* error) {
  if (!check_threads(config.read, engine::Mode::kReadOnly, error) ||
      !check_threads(config.write, engine::Mode::kReadWrite, error)) {
    return false;
  }
  if (config.readsize > kMaxReadSize) {
    *error = "handlersocket_readsize is " + std::to_string(config.readsize) +
             ", not in the range 0 to " + std::to_string(kMaxReadSize);
    return false;
  }
  return true;
}

// True for two ways to say the same port, too; 0 is a different one each time.
bool same_port(const std::string& read, const std::string& write) {
  if (read.empty() || write.empty()) return false;
  std::string ignored;
  uint16_t read_number = 0;
  uint16_t write_number = 0;
  if (!net::resolve_port(read, &read_number, &ignored) ||
      !net::resolve_port(write, &write_number, &ignored)) {
    return read == write;
  }
  return read_number == write_number && read_number != 0;
}

class TwoPorts final : public Server {
 public:
  TwoPorts(const Config& config, engine::Engine& engine, const Log& log)
      : config_(config),
        log_(log),
        engine_(engine),
        memory_(config.limits.max_memory),
        admission_(engine,
                   Port::own_descriptors(config.read) + Port::own_descriptors(config.write)) {}
  ~TwoPorts() override { stop(); }

  bool start(std::string* error);

  void stop() override {
    const std::lock_guard lock(stopping_);
    if (read_ != nullptr) read_->request_stop();
    if (write_ != nullptr) write_->request_stop();
    if (read_ != nullptr) read_->join();
    if (write_ != nullptr) write_->join();
  }

  uint16_t read_port() const override { return read_number_; }
  uint16_t write_port() const override { return write_number_; }

  Statistics statistics() const override {
    Statistics sum;
    if (read_ != nullptr) read_->add_to(sum);
    if (write_ != nullptr) write_->add_to(sum);
    sum.memory = memory_.used();
    return sum;
  }

 private:
  bool open(std::string* error);
  std::unique_ptr<Port> open_port(engine::Mode mode, std::string* error);
  bool admits(int number);
  void report(const Port* port, engine::Mode mode) const;
  void warn_of_descriptor_limit() const;

  const Config config_;
  const Log log_;
  engine::Engine& engine_;
  Memory memory_;  // outlives the ports, as does all that is before them
  const Admission admission_;
  Seldom about_admission_;
  std::mutex stopping_;
  StartGate gate_;  // outlives the threads of the ports
  std::unique_ptr<Port> read_;
  std::unique_ptr<Port> write_;
  uint16_t read_number_ = 0;
  uint16_t write_number_ = 0;
};

std::unique_ptr<Port> TwoPorts::open_port(engine::Mode mode, std::string* error) {
  const auto admits_it = [this](int number) { return admits(number); };
  return Port::open(config_, mode, engine_, log_, memory_, admits_it, error);
}

bool TwoPorts::admits(int number) {
  uint64_t connections = 0;
  for (const Port* port : {read_.get(), write_.get()}) {
    if (port != nullptr) connections += port->connections();
  }
  if (admission_.has_room(number, connections)) return true;
  if (about_admission_.is_due(monotonic_ms())) {
    log_.warning("connections are refused: " + admission_.reason());
  }
  return false;
}

bool TwoPorts::open(std::string* error) {
  if (!config_.read.port.empty()) {
    read_ = open_port(engine::Mode::kReadOnly, error);
    if (read_ == nullptr) return false;
    read_number_ = read_->number();
  }
  if (!config_.write.port.empty()) {
    write_ = open_port(engine::Mode::kReadWrite, error);
    if (write_ == nullptr) return false;
    write_number_ = write_->number();
  }
  return true;
}

bool TwoPorts::start(std::string* error) {
  if (!open(error)) return false;
  const bool made = (read_ == nullptr || read_->make_threads(gate_, error)) &&
                    (write_ == nullptr || write_->make_threads(gate_, error));
  gate_.open(made);
  if (!made) return false;
  report(read_.get(), engine::Mode::kReadOnly);
  report(write_.get(), engine::Mode::kReadWrite);
  warn_of_descriptor_limit();
  return true;
}

void TwoPorts::report(const Port* port, engine::Mode mode) const {
  const std::string purpose = mode == engine::Mode::kReadOnly ? "reads" : "reads and writes";
  if (port == nullptr) {
    log_.info("not listening for " + purpose + ": " + std::string(port_variable(mode)) +
              " is empty");
  } else {
    log_.info("listening for " + purpose + " on " + port->place() +
              ", threads: " + std::to_string(port->threads()));
  }
}

void TwoPorts::warn_of_descriptor_limit() const {
  uint64_t wanted = 0;
  for (const Port* port : {read_.get(), write_.get()}) {
    if (port != nullptr) wanted += config_.limits.max_connections;
  }
  const uint64_t most = admission_.most_connections();
  if (most >= wanted) return;
  log_.warning("all ports together take " + std::to_string(most) + " connections instead of " +
               std::to_string(wanted) + " (handlersocket_max_connections): " + admission_.reason());
}

}  // namespace

std::unique_ptr<Server> Server::start(const Config& config, engine::Engine& engine, const Log& log,
                                      std::string* error) {
  try {
    if (!check(config, error)) return nullptr;
    if (same_port(config.read.port, config.write.port)) {
      *error = "handlersocket_port and handlersocket_port_wr are the same: " + config.read.port;
      return nullptr;
    }
    auto server = std::make_unique<TwoPorts>(config, engine, log);
    if (!server->start(error)) return nullptr;
    return server;
  } catch (const std::bad_alloc&) {
    *error = "out of memory";
    return nullptr;
  }
}

}  // namespace hs::server
