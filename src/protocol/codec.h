// The seam between a connection's bytes and what they mean. A wire format implements three classes:
//
//   Protocol      the format itself, one object for the process
//   Conversation  what the format remembers of one connection
//   Codec         the format at work on one thread: cuts the bytes into messages, decodes a message
//                 into a Request, encodes the reply
//
//   bytes --next()--> message --decode()--> Request --exec/--> ReplyWriter --> bytes
//
// A protocol whose clients name rows by keys decodes a message into a Command (protocol/command.h).
//
// Framing, refusals and the texts of errors belong to the format alone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/buffer.h"
#include "base/memory.h"
#include "base/result.h"
#include "protocol/reply.h"
#include "protocol/request.h"

namespace hs::protocol {

// What a login, or a command that is_alone(), means for its connection.
struct Settled {
  bool ends_connection = false;         // behind the reply
  bool logs_out = false;                // what the client has shown of itself counts no more
  std::optional<std::string> new_name;  // what the client calls itself from here on
};

// What a wire format remembers of one connection. Used by one thread at a time, that of the
// connection.
class Conversation {
 public:
  virtual ~Conversation() = default;

  // To be called first: what it keeps of messages counts there. Null: nowhere.
  virtual void count_in(Memory* /*memory*/) {}

  // To be called when the unread bytes begin elsewhere, as messages are taken back: what
  // Codec::next() has seen of an incomplete message does not count.
  virtual void forget_incomplete() = 0;

  // The reply to a login, or to a command that is_alone(), is final. Does not throw.
  virtual Settled settle() { return {}; }
};

// What stands at the front of a connection's unread bytes.
struct Message {
  enum class State : uint8_t {
    kComplete,    // `text` and `consumed` are set
    kIncomplete,  // more must be read first
    kRefused,     // `refusal` is the last answer: nothing behind it can be understood
  };
  State state = State::kIncomplete;
  ErrorCode refusal = ErrorCode::kRequestTooLong;
  std::string_view text;  // what to decode; points into the unread bytes
  size_t consumed = 0;    // how many of the unread bytes it takes
};

// One thread at a time. Takes only conversations that its own protocol began.
class Codec {
 public:
  virtual ~Codec() = default;

  // The first message in `unread`. A message longer than `longest` bytes is refused.
  virtual Message next(Conversation& conversation, std::string_view unread, size_t longest) = 0;

  // What the message asks for. The Request's views point into `text` or into the codec: they are
  // valid as long as `text`, and until the next call. The same text gives an equal Request each
  // time. Takes memory only in proportion to the text; may throw std::bad_alloc.
  virtual Request decode(Conversation& conversation, std::string_view text) = 0;

  // Where the next reply is written, at the end of `output`, which must outlive the writing.
  // Nothing else may append to it or consume from it until the reply is complete.
  virtual ReplyWriter& reply_to(Conversation& conversation, Buffer& output) = 0;

  // The same for an error that is a connection's last answer, and the answer to no message that was
  // decoded: what was decoded last may be another connection's.
  virtual ReplyWriter& last_words_to(Conversation& conversation, Buffer& output) {
    return reply_to(conversation, output);
  }

  // Between replies: how many bytes one of them may have, from here on.
  virtual void set_max_reply_size(size_t size) = 0;

  // Forgets a reply that was begun and will not be completed.
  virtual void drop_reply() = 0;
};

class Protocol {
 public:
  virtual ~Protocol() = default;

  // Any thread, also for make_codec(). May throw std::bad_alloc.
  virtual std::unique_ptr<Conversation> begin() const = 0;

  // Where no login is asked for, a client is known before it has shown anything of itself: its first
  // request may well be a long one.
  virtual bool knows_at_once() const { return false; }

  // `max_reply_size`: bytes of one reply, at most. `stream` must outlive the codec; null: every
  // reply is kept until it is complete.
  virtual std::unique_ptr<Codec> make_codec(size_t max_reply_size, ReplyStream* stream) const = 0;
};

}  // namespace hs::protocol
