// One client's byte stream as its event loop keeps it: a socket, the bytes that were received and
// not yet used, and the bytes that are to be sent.
//
// Knows no protocol: a class that gives the bytes a meaning derives from it and adds its state. A
// connection belongs to its EventLoop and is used by that loop's thread only. While it is detached,
// it is used only by the thread for which it was detached.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>

#include "base/buffer.h"
#include "base/counter.h"
#include "base/intrusive_list.h"
#include "base/limits.h"
#include "net/transport.h"

namespace hs::net {

// Bytes that an empty buffer may keep while its connection is busy, until the connection falls
// quiet.
inline constexpr size_t kBusyBuffer = 256u << 10;

struct ActivityTag {};
struct HandshakeTag {};
struct NewcomerTag {};

// What a connection has moved so far. Written by its thread, read by any.
struct Traffic {
  Counter received;                 // bytes
  Counter sent;                     // bytes
  std::atomic<uint64_t> unsent{0};  // bytes of output that the system did not take yet
};

class Connection : public ListHook<ActivityTag>,
                   public ListHook<HandshakeTag>,
                   public ListHook<NewcomerTag> {
 public:
  // Counts its buffers in `memory`, which must outlive it; null: counts nothing.
  explicit Connection(Memory* memory = nullptr)
      : memory_(memory), input_(memory, Buffer::Content::kFromClient), output_(memory) {}
  virtual ~Connection() = default;

  // Received bytes; the owner consumes what it has used.
  Buffer& input() { return input_; }
  // Bytes that EventLoop::send() shall send. While more than the high water mark of them wait for
  // the client, the loop reads nothing from it, and the owner should append nothing.
  Buffer& output() { return output_; }
  bool over_high_water() const { return output_.size() > high_water_; }

  // The client will send nothing more: input() holds all that is left.
  bool end_of_input() const { return end_of_input_; }
  // The client will send nothing more, but input() may not have all that it has sent. Noticed while
  // the connection is set aside, too (EventLoop::set_aside()).
  bool client_has_ended() const { return end_of_input_ || has_seen_end_; }
  // There was no memory for what the client has sent: nothing more than what input() holds will be
  // read.
  bool input_refused() const { return input_refused_; }
  // Whether the client is known, which decides when its buffers are refused memory (see Memory).
  void set_known(bool known) {
    input_.set_known(known);
    output_.set_known(known);
    if (TlsStream* const tls = transport_.tls()) tls->set_known(known);
  }
  // The loop has left the connection to another thread, see EventLoop::detach().
  bool detached() const { return detached_; }
  // How the client is reached.
  const Transport& transport() const { return transport_; }
  // The client's address, for messages. May throw std::bad_alloc.
  std::string remote_address() const { return transport_.remote_address(); }
  // The socket is closed. The object stays until the next EventLoop::wait().
  bool closed() const { return state_ == State::kClosed; }

  // Before EventLoop::adopt(): the client has to authenticate within Tuning::login_timeout_ms.
  void set_newcomer() { is_newcomer_ = true; }
  // True until EventLoop::welcome().
  bool is_newcomer() const { return is_newcomer_; }
  // The time was over while the connection was detached: the owner should close it.
  bool is_late() const { return is_late_; }

  // Any thread, while the connection exists.
  const Traffic& traffic() const { return traffic_; }

  // Set by the owner while input() holds more than it could use yet. The loop then reads nothing
  // from the client, which bounds input(). May stay set over a wait() that has a timeout only while
  // over_high_water().
  void hold_input(bool hold) { hold_input_ = hold; }

 protected:
  // The client has come without TLS although it must not (TlsContext). Called before its first bytes
  // are reported as ready.
  virtual void on_insecure() {}

 private:
  friend class EventLoop;

  enum class State : uint8_t {
    kOpen,
    kHandshake,  // of TLS; the owner knows nothing of the connection yet
    kFinishing,  // no more input is taken; ends when the output is out
    kLingering,  // the output is shut; input is discarded until the client shuts its side
    kClosed,
  };

  bool takes_input() const {
    return state_ == State::kOpen && !end_of_input_ && !input_refused_ && !over_high_water() &&
           transport_.unsent() <= high_water_;
  }
  bool has_unsent() const { return !output_.empty() || transport_.unsent() != 0; }
  void note_sent(size_t size) {
    traffic_.sent.add(size);
    traffic_.unsent.store(output_.size() + transport_.unsent(), std::memory_order_relaxed);
  }

  Traffic traffic_;
  Memory* const memory_;
  Transport transport_;
  State state_ = State::kOpen;
  bool is_plain_ = false;  // known by the first byte; else it may be TLS
  bool end_of_input_ = false;
  bool has_seen_end_ = false;  // behind bytes that were not received yet
  bool input_refused_ = false;
  bool hold_input_ = false;
  bool detached_ = false;
  bool is_aside_ = false;     // detached, and set aside
  bool looks_aside_ = false;  // registered only for what matters to one that is set aside
  bool is_newcomer_ = false;
  bool is_late_ = false;
  bool is_stranger_ = false;  // see EventLoop::serve_strangers()
  bool registered_ = true;    // with an epoll of the loop; false only while detached
  uint32_t high_water_ = Limits{}.max_buffered;
  uint32_t interest_ = 0;      // the epoll events it is registered for
  int64_t last_activity_ = 0;  // in ms of the loop's clock; kLingering: when that began
  int64_t came_ms_ = 0;        // likewise; of a newcomer
  Buffer input_;
  Buffer output_;
};

}  // namespace hs::net
