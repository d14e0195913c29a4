// Commands about the connection itself.
#include <algorithm>

#include "protocol/resp/families.h"
#include "protocol/resp/framing.h"
#include "protocol/resp/hello.h"

namespace hs::protocol::resp {
namespace {

// Nothing of a name may break the lines that list connections.
bool is_clean(std::string_view name) {
  return std::ranges::all_of(name, [](char c) { return c >= '!' && c <= '~'; });
}

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
    if (take_integer(1, &number) && number != 0) refuse("ERR DB index is out of range");
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

// What was said to the connection so far is forgotten, but for the login: the next one counts.
class Reset final : public RespCommand {
 public:
  bool needs_no_login() const override { return true; }
  bool is_alone() const override { return true; }

 private:
  void take() override {}
  void reply() override {
    conversation_->ends_transaction = true;
    conversation_->version = 2;
    conversation_->name.clear();
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

class Client final : public RespCommand {
 public:
  bool is_alone() const override { return is_word(1, "SETNAME") || is_word(1, "SETINFO"); }

 private:
  void take() override {
    const size_t given = count_of_arguments();
    if (is_word(1, "SETNAME")) return take_name();
    if (is_word(1, "SETINFO")) return take_info();
    if (is_word(1, "ID") || is_word(1, "GETNAME") || is_word(1, "INFO") || is_word(1, "UNPAUSE") ||
        is_word(1, "GETREDIR") || is_word(1, "TRACKINGINFO")) {
      return must_have(given == 2);
    }
    if (is_word(1, "LIST")) return;
    if (is_word(1, "NO-EVICT") || is_word(1, "NO-TOUCH")) {
      must_have(given == 3);
      if (!is_refused() && !is_word(2, "ON") && !is_word(2, "OFF")) refuse(kSyntax);
      return;
    }
    if (is_word(1, "REPLY")) {
      must_have(given == 3);
      if (is_refused() || is_word(2, "ON")) return;
      refuse(is_word(2, "OFF") || is_word(2, "SKIP") ? "ERR CLIENT REPLY is served with ON only"
                                                     : kSyntax);
      return;
    }
    if (is_word(1, "TRACKING")) {
      must_have(given >= 3);
      if (is_refused() || is_word(2, "OFF")) return;
      return refuse(
          "ERR CLIENT TRACKING is not served: rows change by SQL, too, which is not seen here");
    }
    if (is_word(1, "KILL") || is_word(1, "PAUSE") || is_word(1, "CACHING") ||
        is_word(1, "UNBLOCK")) {
      return refuse("ERR CLIENT " + upper(argument(1)) + " is not served");
    }
    refuse("ERR unknown subcommand '" + std::string(argument(1).substr(0, 128)) +
           "'. Try CLIENT HELP.");
  }
  void must_have(bool right_number) {
    if (right_number) return;
    refuse("ERR wrong number of arguments for 'client|" + lower(argument(1)) + "' command");
  }
  void take_name() {
    must_have(count_of_arguments() == 3);
    if (!is_refused() && !is_clean(argument(2))) {
      refuse("ERR Client names cannot contain spaces, newlines or special characters.");
    } else if (!is_refused() && argument(2).size() > kMostNameSize) {
      refuse("ERR the name is longer than 256 bytes");
    }
  }
  void take_info() {
    must_have(count_of_arguments() == 4);
    if (is_refused()) return;
    const bool is_name = is_word(2, "lib-name");
    if (!is_name && !is_word(2, "lib-ver")) {
      return refuse("ERR Unrecognized option '" + std::string(argument(2).substr(0, 128)) + "'");
    }
    if (!is_clean(argument(3)) || argument(3).size() > kMostNameSize) {
      refuse("ERR " + lower(argument(2)) +
             " cannot contain spaces, newlines or special characters.");
    }
  }
  static std::string upper(std::string_view text) {
    std::string made(text);
    for (char& c : made) {
      if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
    }
    return made;
  }

  std::string line() const {
    return "id=" + std::to_string(facts_.connection) +
           " addr=?:0 laddr=?:0 fd=0 name=" + conversation_->name +
           " db=0 sub=0 psub=0 ssub=0 multi=" +
           (conversation_->in_transaction ? std::to_string(conversation_->queued_count) : "-1") +
           " watch=" + std::to_string(conversation_->watched.size()) +
           " cmd=client user=default redir=-1 resp=" + std::to_string(conversation_->version) +
           " lib-name=" + conversation_->library + " lib-ver=" + conversation_->library_version +
           "\n";
  }

  void reply() override {
    if (is_word(1, "ID")) return out_->integer(uint64_t{facts_.connection});
    if (is_word(1, "GETNAME")) {
      return conversation_->name.empty() ? out_->null() : out_->bulk(conversation_->name);
    }
    if (is_word(1, "INFO") || is_word(1, "LIST")) return out_->verbatim(line());
    if (is_word(1, "GETREDIR")) return out_->integer(int64_t{-1});
    if (is_word(1, "TRACKINGINFO")) {
      out_->map(3);
      out_->bulk("flags");
      out_->set(1);
      out_->bulk("off");
      out_->bulk("redirect");
      out_->integer(int64_t{-1});
      out_->bulk("prefixes");
      return out_->array(0);
    }
    if (is_word(1, "SETNAME")) conversation_->name = argument(2);
    if (is_word(1, "SETINFO")) {
      (is_word(2, "lib-name") ? conversation_->library : conversation_->library_version) =
          argument(3);
    }
    out_->ok();
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
  if (name_) conversation_->name = *name_;
  out_->map(7);
  out_->bulk("server");
  out_->bulk("handlersocket");
  out_->bulk("version");
  out_->bulk(facts_.version);
  out_->bulk("proto");
  out_->integer(int64_t{version_});
  out_->bulk("id");
  out_->integer(uint64_t{facts_.connection});
  out_->bulk("mode");
  out_->bulk("standalone");
  out_->bulk("role");
  out_->bulk("master");
  out_->bulk("modules");
  out_->array(0);
}

Made make_ping() { return std::make_unique<Ping>(); }
Made make_echo() { return std::make_unique<Echo>(); }
Made make_hello() { return std::make_unique<Hello>(); }
Made make_client() { return std::make_unique<Client>(); }
Made make_select() { return std::make_unique<Select>(); }
Made make_quit() { return std::make_unique<Quit>(); }
Made make_reset() { return std::make_unique<Reset>(); }
Made make_time() { return std::make_unique<Time>(); }

}  // namespace hs::protocol::resp
