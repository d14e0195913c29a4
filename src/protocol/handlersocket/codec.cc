#include "protocol/handlersocket/codec.h"

#include "protocol/handlersocket/foreign.h"
#include "protocol/handlersocket/framing.h"
#include "protocol/handlersocket/parser.h"
#include "protocol/handlersocket/reply_encoder.h"

namespace hs::protocol::handlersocket {
namespace {

class LineConversation final : public Conversation {
 public:
  void forget_incomplete() override { searched = 0; }

  size_t searched = 0;      // how many of the unread bytes are known to hold no LF
  bool has_spoken = false;  // one of its lines was a request, even a wrong one
};

class LineCodec final : public Codec {
 public:
  LineCodec(size_t max_reply_size, ReplyStream* stream) : encoder_(max_reply_size, stream) {}

  Message next(Conversation& conversation, std::string_view unread, size_t longest) override {
    auto& line = static_cast<LineConversation&>(conversation);
    const Frame frame = next_line(unread, line.searched, longest);
    Message message;
    switch (frame.state) {
      case Frame::State::kLine:
        line.searched = 0;
        message.state = Message::State::kComplete;
        message.text = frame.line;
        message.consumed = frame.consumed;
        break;
      case Frame::State::kIncomplete:
        line.searched = unread.size();
        break;
      case Frame::State::kTooLong:
        message.state = Message::State::kRefused;
        message.refusal = ErrorCode::kRequestTooLong;
        break;
    }
    return message;
  }

  Request decode(Conversation& conversation, std::string_view text) override {
    Request request = parser_.parse(text);
    auto& line = static_cast<LineConversation&>(conversation);
    if (request.verb == Verb::kInvalid && is_foreign(text, line)) {
      request.verb = Verb::kForeign;
    } else {
      line.has_spoken = true;
    }
    return request;
  }

  ReplyWriter& reply_to(Conversation&, Buffer& output) override {
    encoder_.set_target(output);
    return encoder_;
  }

  void set_max_reply_size(size_t size) override { encoder_.set_max_reply_size(size); }

  void drop_reply() override { encoder_.drop_reply(); }

 private:
  static bool is_foreign(std::string_view text, const LineConversation& line) {
    const Foreign found = foreign(text);
    return found == Foreign::kAnywhere || (found == Foreign::kGreeting && !line.has_spoken);
  }

  Parser parser_;
  ReplyEncoder encoder_;
};

class LineProtocol final : public Protocol {
 public:
  std::unique_ptr<Conversation> begin() const override {
    return std::make_unique<LineConversation>();
  }
  std::unique_ptr<Codec> make_codec(size_t max_reply_size, ReplyStream* stream) const override {
    return std::make_unique<LineCodec>(max_reply_size, stream);
  }
};

}  // namespace

const Protocol& line_protocol() {
  static const LineProtocol protocol;
  return protocol;
}

}  // namespace hs::protocol::handlersocket
