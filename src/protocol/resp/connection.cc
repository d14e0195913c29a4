// Commands about the connection itself.
#include <algorithm>

#include "protocol/resp/families.h"
#include "protocol/resp/framing.h"
#include "protocol/resp/hello.h"
#include "protocol/server_view.h"

namespace hs::protocol::resp {
namespace {

class Ping final : public RespCommand {
  void take() override {
    if (count_of_arguments() > 2) refuse("ERR wrong number of arguments for 'ping' command");
  }
  void reply() override {
    count_of_arguments() == 1 ? out_->simple("PONG") : out_->bulk(argument(1));
  }
};

class Echo final : public RespCommand {
  void take() override {}
  void reply() override { out_->bulk(argument(1)); }
};

// There is one database: the tables.
class Select final : public RespCommand {
  void take() override {
    int64_t number = 0;
    if (!take_integer(1, &number)) return;
    if (number < INT32_MIN || number > INT32_MAX) {
      return refuse("ERR value is out of range, value must between -2147483648 and 2147483647");
    }
    if (number != 0) refuse("ERR DB index is out of range");
  }
  void reply() override { out_->ok(); }
};

class Quit final : public RespCommand {
 public:
  bool needs_no_login() const override { return true; }

 private:
  void take() override {}
  void reply() override { out_->ok(); }
};

// What was said to the connection so far is forgotten, the login included.
class Reset final : public RespCommand {
 public:
  bool needs_no_login() const override { return true; }
  bool is_alone() const override { return true; }

 private:
  void take() override {}
  void reply() override {
    conversation_->ends_transaction = true;
    conversation_->logs_out = true;
    conversation_->version = 2;
    conversation_->set_name({});
    out_->simple("RESET");
  }
};

class Time final : public RespCommand {
  void take() override {}
  void reply() override {
    const int64_t now_ms = facts_.now_ms();
    out_->array(2);
    out_->bulk(std::to_string(now_ms / 1000));
    out_->bulk(std::to_string(now_ms % 1000 * 1000));
  }
};

}  // namespace

void Hello::take() {
  user_.reset();
  secret_.reset();
  name_.reset();
  version_ = conversation_->version;
  if (count_of_arguments() == 1) return;
  int64_t version = 0;
  if (!parse_integer(argument(1), &version)) {
    return refuse("ERR Protocol version is not an integer or out of range");
  }
  if (version != 2 && version != 3) return refuse("NOPROTO unsupported protocol version");
  version_ = static_cast<int>(version);
  for (size_t at = 2; at < count_of_arguments(); ++at) {
    const size_t more = count_of_arguments() - at - 1;
    if (is_word(at, "AUTH") && more >= 2) {
      user_ = argument(at + 1);
      secret_ = argument(at + 2);
      at += 2;
    } else if (is_word(at, "SETNAME") && more >= 1) {
      name_ = argument(++at);
      if (!is_clean(*name_) || name_->size() > kMostNameSize) {
        return refuse("ERR Client names cannot contain spaces, newlines or special characters.");
      }
    } else {
      return refuse("ERR Syntax error in HELLO option '" +
                    std::string(argument(at).substr(0, 128)) + "'");
    }
  }
}

void Hello::reply() {
  conversation_->version = version_;
  out_->set_version(version_);
  if (name_) conversation_->set_name(*name_);
  out_->map(7);
  out_->bulk("server");
  out_->bulk("handlersocket");
  out_->bulk("version");
  out_->bulk(kRedisVersion);
  out_->bulk("proto");
  out_->integer(int64_t{version_});
  out_->bulk("id");
  out_->integer(uint64_t{facts_.connection});
  out_->bulk("mode");
  out_->bulk("standalone");
  out_->bulk("role");
  const bool is_replica = facts_.server != nullptr && facts_.server->numbers().is_read_only;
  out_->bulk(is_replica ? "replica" : "master");
  out_->bulk("modules");
  out_->array(0);
}

Made make_ping() { return std::make_unique<Ping>(); }
Made make_echo() { return std::make_unique<Echo>(); }
Made make_hello() { return std::make_unique<Hello>(); }
Made make_select() { return std::make_unique<Select>(); }
Made make_quit() { return std::make_unique<Quit>(); }
Made make_reset() { return std::make_unique<Reset>(); }
Made make_time() { return std::make_unique<Time>(); }

}  // namespace hs::protocol::resp
