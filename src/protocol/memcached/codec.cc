#include "protocol/memcached/codec.h"

#include <memory>

#include "protocol/memcached/binary.h"
#include "protocol/memcached/command.h"
#include "protocol/memcached/conversation.h"
#include "protocol/memcached/text.h"

namespace hs::protocol::memcached {
namespace {

bool is_binary(std::string_view text) { return !text.empty() && text.front() == kRequestMagic; }

class Writer final : public ReplyWriter {
 public:
  Writer(MemcachedCommand& command, size_t max_reply_size)
      : command_(command), max_reply_size_(max_reply_size) {}

  void set_max_reply_size(size_t size) { max_reply_size_ = size; }
  void set_login(bool logs_in) { logs_in_ = logs_in; }
  void open(Buffer& output) {
    output_ = &output;
    command_.open_reply(output, max_reply_size_);
  }

  void ok() override {
    if (!logs_in_) return command_.count(1);
    const Ask& ask = command_.ask();
    write_packet({ask.opcode, ask.opaque, Status::kOk, 0, {}, {}, "Authenticated"}, *output_);
  }
  void count(uint64_t number) override { command_.count(number); }
  void begin_rows(size_t) override {}
  bool row(std::span<const Value> values) override { return command_.row(values); }
  void take_back_row() override { command_.take_back_row(); }
  void end_rows() override { command_.end_rows(); }
  void error(const Error& error) override {
    if (command_.is_running()) return command_.failed(error);
    if (!logs_in_ || error.code != ErrorCode::kUnauthorized) return command_.refuse_with(error);
    const Ask& ask = command_.ask();
    write_packet({ask.opcode, ask.opaque, Status::kAuthError, 0, {}, {}, "Auth failure."},
                 *output_);
  }

 private:
  MemcachedCommand& command_;
  Buffer* output_ = nullptr;
  size_t max_reply_size_;
  bool logs_in_ = false;
};

class MemcachedCodec final : public Codec {
 public:
  explicit MemcachedCodec(size_t max_reply_size) : writer_(command_, max_reply_size) {}

  Message next(Conversation& conversation, std::string_view unread, size_t longest) override {
    auto& known = static_cast<MemcachedConversation&>(conversation);
    Message message;
    if (unread.empty()) return message;
    known.is_binary = is_binary(unread);
    const Extent extent =
        known.is_binary ? next_packet(unread, longest) : next_text(unread, longest, &known.seen);
    switch (extent.state) {
      case Extent::State::kIncomplete:
        return message;
      case Extent::State::kTooLong:
        message.state = Message::State::kRefused;
        if (known.is_binary) known.refused = name_of_packet(unread);
        return message;
      case Extent::State::kWhole:
        break;
    }
    message.state = Message::State::kComplete;
    message.text = unread.substr(0, extent.size);
    message.consumed = extent.size;
    return message;
  }

  Request decode(Conversation& conversation, std::string_view text) override {
    Ask& ask = command_.ask();
    if (is_binary(text)) {
      parse_packet(text, &ask);
    } else {
      parse_text(text, &ask, &key_);
    }
    command_.start(static_cast<MemcachedConversation&>(conversation));
    const bool logs_in = ask.verb == Verb::kLogin && ask.is_known_mechanism;
    writer_.set_login(logs_in);
    Request request;
    request.ends_connection = ask.ends_connection;
    if (logs_in) {
      request.verb = protocol::Verb::kAuth;
      request.auth_method = AuthMethod::kNameAndSecret;
      request.auth_user = Value::of(ask.user);
      request.auth_key = Value::of(ask.password);
      return request;
    }
    request.verb = ask.is_foreign ? protocol::Verb::kForeign : protocol::Verb::kCommand;
    request.command = &command_;
    return request;
  }

  ReplyWriter& reply_to(Conversation&, Buffer& output) override {
    writer_.open(output);
    return writer_;
  }

  ReplyWriter& last_words_to(Conversation& conversation, Buffer& output) override {
    auto& known = static_cast<MemcachedConversation&>(conversation);
    Ask& ask = command_.ask();
    ask.clear();
    if (known.is_binary) {
      ask.form = Form::kBinary;
      ask.opcode = known.refused.opcode;
      ask.opaque = known.refused.opaque;
    }
    command_.start(known);
    writer_.set_login(false);
    return reply_to(conversation, output);
  }

  void set_max_reply_size(size_t size) override { writer_.set_max_reply_size(size); }
  void drop_reply() override {}

 private:
  MemcachedCommand command_;
  std::string key_;  // that was decoded
  Writer writer_;
};

class MemcachedProtocol final : public Protocol {
 public:
  std::unique_ptr<Conversation> begin() const override {
    return std::make_unique<MemcachedConversation>();
  }
  bool knows_at_once() const override { return true; }
  std::unique_ptr<Codec> make_codec(size_t max_reply_size, ReplyStream*) const override {
    return std::make_unique<MemcachedCodec>(max_reply_size);
  }
};

}  // namespace

const Protocol& memcached_protocol() {
  static const MemcachedProtocol protocol;
  return protocol;
}

}  // namespace hs::protocol::memcached
