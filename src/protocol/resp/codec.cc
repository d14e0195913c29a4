#include "protocol/resp/codec.h"

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "base/assert.h"
#include "protocol/resp/command_table.h"
#include "protocol/resp/hello.h"
#include "protocol/resp/transaction.h"

namespace hs::protocol::resp {
namespace {

using In = CommandInfo::InTransaction;
using Kind = CommandInfo::Kind;
using ArgumentList = std::vector<std::string_view>;

// Commands of a transaction that is there as a whole; a longer one is taken command by command.
constexpr size_t kMostInBlock = RespConversation::kMostQueued;

// A command of more arguments is not kept for the next one of its kind: their lists take memory.
constexpr size_t kUsualArguments = 4096;

constexpr std::string_view kHelloFirst =
    "NOAUTH HELLO must be called with the client already authenticated, otherwise the HELLO "
    "<proto> "
    "AUTH <user> <pass> option can be used to authenticate the client and select the RESP protocol "
    "version at the same time";
constexpr std::string_view kWrongExec =
    "EXECABORT Transaction discarded because of: wrong number of arguments for 'exec' command";
constexpr std::string_view kNoPassword =
    "ERR AUTH <password> called without any password configured for the default user. Are you sure "
    "your configuration is correct?";

// By this text clients tell a server that is no cluster from one that is out of order.
constexpr std::string_view kNoCluster = "ERR This instance has cluster support disabled";

bool is_word(std::string_view text, std::string_view word) { return lower(text) == word; }

// Redis takes these for somebody's browser.
bool is_http(std::string_view name) { return is_word(name, "post") || is_word(name, "host:"); }

std::string unknown_command(const ArgumentList& arguments) {
  constexpr size_t kMost = 128;
  const std::string name(arguments[0].substr(0, kMost));
  if (is_of_clusters(name)) return std::string(kNoCluster);
  if (const std::string_view reason = reason_against(arguments[0]); !reason.empty()) {
    return "ERR " + name + " is not served: " + std::string(reason);
  }
  std::string text = "ERR unknown command '" + name + "', with args beginning with: ";
  std::string shown;
  for (size_t i = 1; i < arguments.size() && shown.size() < kMost; ++i) {
    const size_t room = kMost - shown.size();
    shown += '\'';
    shown += arguments[i].substr(0, room);
    shown += "' ";
  }
  return text + shown;
}

std::string wrong_number(const CommandInfo& info) {
  return "ERR wrong number of arguments for '" + std::string(info.name) + "' command";
}

// The answer to the client is written here, by what was decoded last.
class Writer final : public ReplyWriter {
 public:
  enum class Login : uint8_t { kNone, kAuth, kHello, kHelloAlone };

  explicit Writer(size_t max_reply_size) : max_reply_size_(max_reply_size) {}
  Encoder& encoder() { return encoder_; }
  void set_max_reply_size(size_t size) { max_reply_size_ = size; }
  void set(RespCommand* command, Login login) {
    command_ = command;
    login_ = login;
    exec_ = nullptr;
  }
  void set_exec(Exec* exec) {
    set(exec, Login::kNone);
    exec_ = exec;
  }
  void open(Buffer& output, int version) {
    encoder_.set_target(output, version);
    if (command_ != nullptr) command_->open_reply();
  }
  void ok() override {
    switch (login_) {
      case Login::kNone:
      case Login::kHelloAlone:
        return command_->count(1);
      case Login::kAuth:
        return encoder_.ok();
      case Login::kHello:
        (void)command_->finish(nullptr);
    }
  }
  void count(uint64_t number) override { command_->count(number); }
  void begin_rows(size_t) override {}
  bool row(std::span<const Value> values) override {
    // A value that is shown is not copied first if there is no room for it.
    size_t size = 0;
    if (command_->shows_rows()) {
      for (const Value& value : values) size += value.size;
    }
    if (encoder_.size() + size > max_reply_size_) return false;
    return command_->row(values) && (size != 0 || encoder_.size() <= max_reply_size_);
  }
  void take_back_row() override { command_->take_back_row(); }
  void end_rows() override { command_->end_rows(); }

  void error(const Error& error) override {
    if (command_ != nullptr && command_->is_running()) return command_->failed(error);
    encoder_.truncate(0);
    if (exec_ != nullptr) {
      return error.code == ErrorCode::kUnauthorized ? exec_->write_no_login()
                                                    : exec_->write_failure(error);
    }
    if (error.code == ErrorCode::kUnauthorized && login_ != Login::kNone) {
      return encoder_.error(login_ == Login::kHelloAlone ? kHelloFirst : kWrongPass);
    }
    if (error.code == ErrorCode::kNotImplemented) return encoder_.error(kNoPassword);
    encoder_.error(text_of(error));
  }

 private:
  Encoder encoder_;
  size_t max_reply_size_;
  RespCommand* command_ = nullptr;
  Exec* exec_ = nullptr;
  Login login_ = Login::kNone;
};

class RespCodec final : public Codec {
 public:
  explicit RespCodec(size_t max_reply_size)
      : writer_(max_reply_size), commands_(all_commands().size()) {}

  Message next(Conversation& conversation, std::string_view unread, size_t longest) override {
    auto& resp = static_cast<RespConversation&>(conversation);
    longest_ = longest;
    Message message;
    arguments_.clear();
    if (arguments_.capacity() > kUsualArguments) ArgumentList().swap(arguments_);
    const bool is_whole = resp.progress.parsed == 0;
    const Frame frame = next_frame(unread, longest, resp.progress, arguments_);
    switch (frame.state) {
      case Frame::State::kIncomplete:
        return message;
      case Frame::State::kTooLong:
        message.state = Message::State::kRefused;
        return message;
      case Frame::State::kWrong:
        // The answer tells what is wrong. What is behind it is not looked at.
        message.state = Message::State::kComplete;
        message.text = unread;
        message.consumed = unread.size();
        resp.progress = {};
        arguments_.clear();
        parsed_ = {};
        return message;
      case Frame::State::kWhole:
        break;
    }
    message.state = Message::State::kComplete;
    message.consumed = frame.size;
    constexpr size_t kMultiSize = 5;
    if (arguments_.size() == 1 && arguments_[0].size() == kMultiSize && !resp.in_transaction &&
        is_whole && is_word(arguments_[0], "multi")) {
      message.consumed = end_of_block(unread, frame.size, longest);
      if (message.consumed != frame.size) arguments_.clear();
    }
    message.text = unread.substr(0, message.consumed);
    parsed_ = is_whole && !arguments_.empty() ? message.text : std::string_view();
    return message;
  }

  // What is returned is filled in its place: to copy a Request takes as long as to parse a short one.
  Request decode(Conversation& conversation, std::string_view text) override {
    Request request;
    decode(static_cast<RespConversation&>(conversation), text, request);
    return request;
  }

  ReplyWriter& reply_to(Conversation& conversation, Buffer& output) override {
    writer_.open(output, static_cast<RespConversation&>(conversation).version);
    return writer_;
  }

  ReplyWriter& last_words_to(Conversation& conversation, Buffer& output) override {
    writer_.set(nullptr, Writer::Login::kNone);
    return reply_to(conversation, output);
  }

  void set_max_reply_size(size_t size) override { writer_.set_max_reply_size(size); }
  void drop_reply() override {}

 private:
  void decode(RespConversation& resp, std::string_view text, Request& request) {
    forget_last();
    const bool is_parsed = parsed_.data() == text.data() && parsed_.size() == text.size();
    parsed_ = {};
    if (!is_parsed) {
      arguments_.clear();
      Progress progress;
      const Frame frame = next_frame(text, SIZE_MAX, progress, arguments_);
      if (frame.state != Frame::State::kWhole) {
        request.ends_connection = true;
        return answer("ERR " + frame.error, resp, request);
      }
      if (frame.size != text.size()) return decode_block(resp, text, request);
    }
    decode_command(resp, text, request);
  }

  // Where the transaction ends that begins with a MULTI of `size` bytes; `size`: it is not there as
  // a whole, or has what is not kept until EXEC.
  size_t end_of_block(std::string_view unread, size_t size, size_t longest) {
    size_t at = size;
    if (block_.capacity() > kUsualArguments) ArgumentList().swap(block_);
    for (size_t commands = 0; commands <= kMostInBlock; ++commands) {
      Progress progress;
      block_.clear();
      const Frame frame = next_frame(unread.substr(at), longest, progress, block_);
      if (frame.state != Frame::State::kWhole || block_.empty()) return size;
      at += frame.size;
      if (at > longest) return size;
      if (block_.size() == 1 && is_word(block_[0], "exec")) return at;
      const CommandInfo* const info = find_command(block_[0]);
      if (info == nullptr && is_http(block_[0])) return size;
      if (info != nullptr && info->in_transaction != In::kQueued) return size;
      // What a part of it would change of the conversation may be undone with the group.
      if (info != nullptr && (info->name == "client" || info->name == "unwatch")) return size;
    }
    return size;
  }

  void decode_command(RespConversation& resp, std::string_view text, Request& request) {
    if (arguments_.empty()) return ask(silence(resp), request);  // an empty line is no command
    const CommandInfo* const info = find_command(arguments_[0]);
    if (info == nullptr && is_http(arguments_[0])) {
      request.verb = Verb::kForeign;
      return;
    }
    const bool is_at_once = info != nullptr && info->in_transaction == In::kAtOnce;
    if (resp.in_transaction && !(is_at_once && info->takes(arguments_.size()))) {
      return decode_queued(resp, text, info, request);
    }
    if (info != nullptr && info->kind == Kind::kAuth) return decode_auth(resp, request);
    if (info == nullptr) return answer(unknown_command(arguments_), resp, request);
    if (!info->takes(arguments_.size())) {
      const bool is_exec = info->kind == Kind::kExec;
      return answer(is_exec ? std::string(kWrongExec) : wrong_number(*info), resp, request);
    }
    if (info->kind == Kind::kExec) return decode_exec(resp, request);
    RespCommand& command = command_of(*info);
    command.start(arguments_, resp, writer_.encoder());
    if (info->kind == Kind::kHello && !command.is_refused()) {
      const Hello& hello = static_cast<const Hello&>(command);
      if (hello.secret()) return decode_login(command, hello.user(), *hello.secret(), request);
    }
    ask(command, request);
    if (info->kind == Kind::kHello) writer_.set(&command, Writer::Login::kHelloAlone);
    request.ends_connection = info->kind == Kind::kQuit;
  }

  // What the last message has needed, if that was much.
  void forget_last() {
    if (last_ == nullptr && parts_.empty()) return;
    writer_.set(nullptr, Writer::Login::kNone);
    if (last_ != nullptr) std::exchange(last_, nullptr)->reset();
    exec_.begin_message(false);
    parts_.clear();
  }

  void ask(RespCommand& command, Request& request) {
    writer_.set(&command, Writer::Login::kNone);
    request.verb = Verb::kCommand;
    request.command = &command;
  }

  void answer(std::string text, RespConversation& resp, Request& request) {
    refusal_ = std::make_unique<Refusal>(std::move(text));
    refusal_->start(arguments_, resp, writer_.encoder());
    ask(*refusal_, request);
  }

  RespCommand& silence(RespConversation& resp) {
    silence_.start(arguments_, resp, writer_.encoder());
    return silence_;
  }

  void decode_auth(RespConversation& resp, Request& request) {
    RespCommand& command = silence(resp);
    if (arguments_.size() == 2) return decode_login(command, std::nullopt, arguments_[1], request);
    if (arguments_.size() == 3) {
      return decode_login(command, arguments_[1], arguments_[2], request);
    }
    answer(arguments_.size() < 2 ? "ERR wrong number of arguments for 'auth' command"
                                 : std::string(kSyntax),
           resp, request);
  }

  void decode_login(RespCommand& command, std::optional<std::string_view> user,
                    std::string_view secret, Request& request) {
    const bool is_hello = &command != &silence_;
    writer_.set(&command, is_hello ? Writer::Login::kHello : Writer::Login::kAuth);
    request.verb = Verb::kAuth;
    request.auth_method = AuthMethod::kNameAndSecret;
    request.auth_user = user ? Value::of(*user) : Value::null();
    request.auth_key = Value::of(secret);
    if (is_hello) request.command = &command;
  }

  void decode_queued(RespConversation& resp, std::string_view text, const CommandInfo* info,
                     Request& request) {
    std::string error;
    // An EXEC that is refused ends the transaction all the same.
    const bool ends = info != nullptr && info->kind == Kind::kExec;
    if (info == nullptr) {
      error = unknown_command(arguments_);
    } else if (ends) {
      error = kWrongExec;
    } else if (!info->takes(arguments_.size())) {
      error = wrong_number(*info);
    } else if (info->kind == Kind::kHasSubcommands) {
      RespCommand& command = command_of(*info);
      command.start(arguments_, resp, writer_.encoder());
      if (command.is_no_command()) error = command.error_text();
    } else if (info->in_transaction == In::kNot) {
      error = "ERR Command not allowed inside a transaction";
    }
    queue_.set(text, std::move(error), ends, longest_);
    queue_.start(arguments_, resp, writer_.encoder());
    ask(queue_, request);
  }

  void decode_exec(RespConversation& resp, Request& request) {
    exec_.begin_message(false);
    parts_.reserve(resp.queued_count);
    std::string_view text = resp.queued->view();
    while (!text.empty()) add_part(resp, take_message(&text));
    start_exec(resp, request);
  }

  void decode_block(RespConversation& resp, std::string_view text, Request& request) {
    exec_.begin_message(true);
    (void)take_message(&text);  // MULTI
    for (;;) {
      std::unique_ptr<ArgumentList> part = take_message(&text);
      if (text.empty()) break;  // that was EXEC
      add_part(resp, std::move(part));
    }
    start_exec(resp, request);
  }

  // The arguments of the first of several messages, all of which are whole.
  static std::unique_ptr<ArgumentList> take_message(std::string_view* text) {
    auto arguments = std::make_unique<ArgumentList>();
    Progress progress;
    const Frame frame = next_frame(*text, SIZE_MAX, progress, *arguments);
    HS_ASSERT(frame.state == Frame::State::kWhole && !arguments->empty());
    text->remove_prefix(frame.size);
    return arguments;
  }

  void start_exec(RespConversation& resp, Request& request) {
    exec_.start(arguments_, resp, writer_.encoder());
    ask(exec_, request);
    if (!exec_.is_refused()) writer_.set_exec(&exec_);
  }

  void add_part(RespConversation& resp, std::unique_ptr<ArgumentList> part) {
    const ArgumentList& arguments = *parts_.emplace_back(std::move(part));
    const CommandInfo* const info = find_command(arguments[0]);
    const bool is_right = info != nullptr && info->takes(arguments.size());
    Made made = is_right          ? info->make()
                : info != nullptr ? std::make_unique<Refusal>(wrong_number(*info))
                                  : std::make_unique<Refusal>(unknown_command(arguments));
    made->start(arguments, resp, writer_.encoder());
    is_right && !made->is_no_command() ? exec_.add(std::move(made))
                                       : exec_.add_refused(std::move(made));
  }

  RespCommand& command_of(const CommandInfo& info) {
    Made& known = commands_[static_cast<size_t>(&info - all_commands().data())];
    if (known == nullptr) known = info.make();
    if (arguments_.size() > kUsualArguments) last_ = &known;
    return *known;
  }

  class Silence final : public RespCommand {
    void take() override {}
    void reply() override {}
  };

  Writer writer_;
  size_t longest_ = 0;  // bytes of a message, as they were last allowed
  ArgumentList arguments_, block_;
  std::string_view parsed_;  // the message that arguments_ are of; empty: none
  std::vector<Made> commands_;
  Made* last_ = nullptr;  // one of them, which was asked for with very many arguments
  std::unique_ptr<Refusal> refusal_;
  Silence silence_;
  Queue queue_;
  Exec exec_;
  std::vector<std::unique_ptr<ArgumentList>> parts_;
};

class RespProtocol final : public Protocol {
 public:
  std::unique_ptr<Conversation> begin() const override {
    return std::make_unique<RespConversation>();
  }
  bool knows_at_once() const override { return true; }
  std::unique_ptr<Codec> make_codec(size_t max_reply_size, ReplyStream*) const override {
    return std::make_unique<RespCodec>(max_reply_size);
  }
};

}  // namespace

const Protocol& resp_protocol() {
  static const RespProtocol protocol;
  return protocol;
}

}  // namespace hs::protocol::resp
