// CLIENT: this connection, and the others as far as the client may see and end them.
#include <algorithm>

#include "protocol/resp/families.h"
#include "protocol/resp/framing.h"
#include "protocol/resp/hello.h"
#include "protocol/server_view.h"

namespace hs::protocol::resp {
namespace {

constexpr std::string_view kDefaultUser = "default";

// clang-format off
constexpr Subcommand kClientSubcommands[] = {
  {"caching", 3, "there is no CLIENT TRACKING", false},
  {"getname", 2, "Return the name of this connection."},
  {"getredir", 2, "Return -1: nothing is tracked."},
  {"id", 2, "Return the id of this connection."},
  {"info", 2, "Return information about this connection."},
  {"kill", -3, "End connections: <ip:port>, or ID, ADDR, LADDR, USER, TYPE, MAXAGE, SKIPME and a value."},
  {"list", -2, "Return information about connections: all, or ID or TYPE and a value."},
  {"no-evict", 3, "Do nothing: no connection is evicted."},
  {"no-touch", 3, "Do nothing: it is not known when a row was last read."},
  {"pause", -3, "LOCK TABLES of SQL holds writes back", false},
  {"reply", 3, "Do nothing: ON only."},
  {"setinfo", 4, "Set LIB-NAME or LIB-VER of this connection."},
  {"setname", 3, "Set the name of this connection."},
  {"tracking", -3, "Do nothing: OFF only."},
  {"trackinginfo", 2, "Return that nothing is tracked."},
  {"unblock", -3, "no command blocks", false},
  {"unpause", 2, "Do nothing: no connection is paused."},
};
// clang-format on

// Whoever reads a list of connections takes a blank for the end of a value. Redis lets no client have one
// in its name, but accounts, paths of sockets and the clients of other ports may.
std::string in_one_word(std::string text) {
  std::ranges::replace_if(
      text, [](char c) { return static_cast<unsigned char>(c) <= ' '; }, '_');
  return text;
}

bool is_on_unix_socket(const SeenConnection& one) {
  return one.address.find(':') == std::string::npos;
}

std::string address_of(const SeenConnection& one) {
  return is_on_unix_socket(one) ? one.address + ":0" : one.address;
}

std::string_view user_of(const SeenConnection& one) {
  return one.user.empty() ? kDefaultUser : std::string_view(one.user);
}

// Which connections CLIENT LIST and CLIENT KILL are about.
struct ClientFilter {
  std::vector<uint64_t> ids;  // empty: any
  std::optional<std::string_view> address, local_address, user;
  bool is_normal = true;  // no connection is a replica's or a subscriber's
  bool skips_own = false;
  int64_t least_age_s = 0;

  bool takes(const SeenConnection& one, uint64_t own) const {
    if (!is_normal || (skips_own && one.id == own)) return false;
    if (!ids.empty() && std::ranges::find(ids, one.id) == ids.end()) return false;
    if (address && *address != address_of(one)) return false;
    if (local_address && *local_address != one.endpoint) return false;
    if (user && *user != user_of(one)) return false;
    return one.age_ms / 1000 >= least_age_s;
  }
};

class Client final : public RespCommand {
 public:
  bool is_alone() const override {
    return is_word(1, "SETNAME") || is_word(1, "SETINFO") || is_word(1, "KILL");
  }

 private:
  void take() override {
    filter_ = {};
    is_old_kill_ = false;
    if (!take_subcommand(kClientSubcommands)) return;
    if (is_word(1, "SETNAME")) return take_name();
    if (is_word(1, "SETINFO")) return take_info();
    if (is_word(1, "LIST")) return take_list();
    if (is_word(1, "KILL")) return take_kill();
    if (is_word(1, "NO-EVICT") || is_word(1, "NO-TOUCH")) {
      if (!is_word(2, "ON") && !is_word(2, "OFF")) refuse(kSyntax);
    } else if (is_word(1, "REPLY")) {
      if (is_word(2, "ON")) return;
      refuse(is_word(2, "OFF") || is_word(2, "SKIP") ? "ERR CLIENT REPLY is served with ON only"
                                                     : kSyntax);
    } else if (is_word(1, "TRACKING") && !is_word(2, "OFF")) {
      refuse("ERR CLIENT TRACKING is not served: rows change by SQL, too, which is not seen here");
    }
  }
  void take_name() {
    if (!is_clean(argument(2))) {
      refuse("ERR Client names cannot contain spaces, newlines or special characters.");
    } else if (argument(2).size() > kMostNameSize) {
      refuse("ERR the name is longer than 256 bytes");
    }
  }
  void take_info() {
    const bool is_name = is_word(2, "lib-name");
    if (!is_name && !is_word(2, "lib-ver")) {
      return refuse("ERR Unrecognized option '" + std::string(argument(2).substr(0, 128)) + "'");
    }
    if (!is_clean(argument(3)) || argument(3).size() > kMostNameSize) {
      refuse("ERR " + lower(argument(2)) +
             " cannot contain spaces, newlines or special characters.");
    }
  }

  void take_list() {
    const size_t given = count_of_arguments();
    if (given == 2) return;
    if (is_word(2, "TYPE") && given == 4) return take_type(3);
    if (!is_word(2, "ID") || given == 3) return refuse(kSyntax);
    for (size_t at = 3; at < given; ++at) {
      int64_t id = 0;
      if (!parse_integer(argument(at), &id)) return refuse("ERR Invalid client ID");
      filter_.ids.push_back(static_cast<uint64_t>(id));
    }
  }
  // KILL <address>, which does not count, or KILL <filter> <value> ...
  void take_kill() {
    const size_t given = count_of_arguments();
    is_old_kill_ = given == 3;
    if (is_old_kill_) filter_.address = argument(2);
    if (is_old_kill_) return;
    filter_.skips_own = true;
    for (size_t at = 2; at < given && !is_refused(); at += 2) {
      if (at + 1 == given) return refuse(kSyntax);
      take_filter(at);
    }
  }
  void take_filter(size_t at) {
    if (is_word(at, "ID")) return take_id(at + 1);
    if (is_word(at, "TYPE")) return take_type(at + 1);
    if (is_word(at, "ADDR")) {
      filter_.address = argument(at + 1);
    } else if (is_word(at, "LADDR")) {
      filter_.local_address = argument(at + 1);
    } else if (is_word(at, "USER")) {
      filter_.user = argument(at + 1);
    } else if (is_word(at, "MAXAGE")) {
      (void)take_integer(at + 1, &filter_.least_age_s);
    } else if (is_word(at, "SKIPME") && (is_word(at + 1, "YES") || is_word(at + 1, "NO"))) {
      filter_.skips_own = is_word(at + 1, "YES");
    } else {
      refuse(kSyntax);
    }
  }
  void take_id(size_t at) {
    int64_t id = 0;
    if (!parse_integer(argument(at), &id) || id <= 0) {
      return refuse("ERR client-id should be greater than 0");
    }
    filter_.ids.push_back(static_cast<uint64_t>(id));
  }
  void take_type(size_t at) {
    const bool is_other = is_word(at, "MASTER") || is_word(at, "REPLICA") || is_word(at, "SLAVE") ||
                          is_word(at, "PUBSUB");
    filter_.is_normal &= is_word(at, "NORMAL");
    if (is_word(at, "NORMAL") || is_other) return;
    refuse("ERR Unknown client type '" + std::string(argument(at).substr(0, 128)) + "'");
  }

  void reply() override {
    if (is_word(1, "ID")) return out_->integer(uint64_t{facts_.connection});
    if (is_word(1, "GETNAME")) {
      return conversation_->name.empty() ? out_->null() : out_->bulk(conversation_->name);
    }
    if (is_word(1, "INFO")) filter_.ids.assign(1, facts_.connection);
    if (is_word(1, "INFO") || is_word(1, "LIST")) return write_lines();
    if (is_word(1, "KILL")) return kill();
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
    if (is_word(1, "SETNAME")) conversation_->set_name(argument(2));
    if (is_word(1, "SETINFO")) {
      (is_word(2, "lib-name") ? conversation_->library : conversation_->library_version) =
          argument(3);
    }
    out_->ok();
  }

  std::vector<SeenConnection> meant() const {
    std::vector<SeenConnection> all;
    if (facts_.server != nullptr) all = facts_.server->connections(facts_.connection);
    std::erase_if(
        all, [&](const SeenConnection& one) { return !filter_.takes(one, facts_.connection); });
    return all;
  }

  // Under the names that Redis has for it: some clients refuse others.
  void write_lines() {
    std::string lines;
    for (const SeenConnection& one : meant()) {
      const bool is_own = one.id == facts_.connection;
      const bool in_transaction = is_own && conversation_->in_transaction;
      lines +=
          "id=" + std::to_string(one.id) + " addr=" + in_one_word(address_of(one)) +
          " laddr=" + in_one_word(one.endpoint) +
          " name=" + in_one_word(is_own ? conversation_->name : one.name) +
          " age=" + std::to_string(one.age_ms / 1000) +
          " idle=" + std::to_string(is_own ? 0 : one.idle_ms / 1000) + " flags=" +
          (in_transaction           ? "x"
           : is_on_unix_socket(one) ? "U"
                                    : "N") +
          // Clients look for the numbers behind; they are not known.
          " db=0 sub=0 psub=0 ssub=0 qbuf=0 qbuf-free=0 argv-mem=0 obl=0 oll=0 omem=0 tot-mem=0";
      if (is_own) lines += own_part();
      lines += " user=" + in_one_word(std::string(user_of(one))) + "\n";
    }
    out_->verbatim(lines);
  }
  std::string own_part() const {
    return " multi=" +
           (conversation_->in_transaction ? std::to_string(conversation_->queued_count) : "-1") +
           " cmd=client|" + lower(argument(1)) +
           " redir=-1 resp=" + std::to_string(conversation_->version) +
           " lib-name=" + conversation_->library + " lib-ver=" + conversation_->library_version;
  }

  // All that are meant, or none.
  void kill() {
    const std::vector<SeenConnection> all = meant();
    const bool may = std::ranges::all_of(all, &SeenConnection::may_be_ended);
    if (!may) {
      return refuse("NOPERM the account may not end connections of other users (SQL error 1095)");
    }
    uint64_t ended = 0;
    for (const SeenConnection& one : all) {
      if (one.id == facts_.connection) {
        conversation_->ends_connection = true;  // which is to get this answer first
        ++ended;
      } else if (facts_.server->end_connection(one.id)) {
        ++ended;
      }
    }
    if (!is_old_kill_) return out_->integer(ended);
    ended != 0 ? out_->ok() : refuse("ERR No such client");
  }

  ClientFilter filter_;
  bool is_old_kill_ = false;
};

}  // namespace

Made make_client() { return std::make_unique<Client>(); }

}  // namespace hs::protocol::resp
