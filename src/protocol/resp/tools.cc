// What tools ask of a server.
#include <algorithm>

#include "protocol/resp/command_table.h"
#include "protocol/server_view.h"

namespace hs::protocol::resp {
namespace {

template <class Visit>
size_t each_word(std::string_view text, Visit visit) {
  size_t words = 0;
  while (!text.empty()) {
    const std::string_view word = text.substr(0, text.find(' '));
    visit(word);
    ++words;
    text.remove_prefix(std::min(text.size(), word.size() + 1));
  }
  return words;
}

// clang-format off
constexpr Subcommand kCommandSubcommands[] = {
  {"count", 2, "Return the number of commands."},
  {"docs", -2, "Return what commands are for: all, or those that are named."},
  {"getkeys", -4, "Return the keys of a full command."},
  {"getkeysandflags", -4, "use GETKEYS", false},
  {"info", -2, "Return the arguments and flags of commands: all, or those that are named."},
  {"list", -2, "Return the names of commands: all, or FILTERBY PATTERN and a pattern."},
};
constexpr Subcommand kConfigSubcommands[] = {
  {"get", -3, "Return settings that are like a pattern."},
  {"resetstat", 2, "counters go on as long as the server", false},
  {"rewrite", 2, "set the variables handlersocket_... by SQL", false},
  {"set", -4, "set the variables handlersocket_... by SQL", false},
};
constexpr std::string_view kAccounts = "accounts are made and changed by SQL";
constexpr Subcommand kAclSubcommands[] = {
  {"cat", -2, kAccounts, false}, {"deluser", -3, kAccounts, false}, {"dryrun", -4, kAccounts, false},
  {"genpass", -2, kAccounts, false}, {"getuser", 3, kAccounts, false}, {"list", 2, kAccounts, false},
  {"load", 2, kAccounts, false}, {"log", -2, kAccounts, false}, {"save", 2, kAccounts, false},
  {"setuser", -3, kAccounts, false}, {"users", 2, kAccounts, false},
  {"whoami", 2, "Return the account of this connection."},
};
constexpr std::string_view kNoModules = "there are no modules";
constexpr Subcommand kModuleSubcommands[] = {
  {"list", 2, "Return an empty list: there are no modules."},
  {"load", -3, kNoModules, false}, {"loadex", -3, kNoModules, false}, {"unload", 3, kNoModules, false},
};
// clang-format on

class CommandCommand final : public RespCommand {
  void take() override {
    if (count_of_arguments() == 1 || !take_subcommand(kCommandSubcommands)) return;
    if (!is_word(1, "LIST") || count_of_arguments() == 2) return;
    const bool is_filter = count_of_arguments() == 5 && is_word(2, "FILTERBY") &&
                           (is_word(3, "PATTERN") || is_word(3, "MODULE") || is_word(3, "ACLCAT"));
    if (!is_filter) refuse(kSyntax);
  }
  void reply() override {
    if (count_of_arguments() == 1) return write_all();
    if (is_word(1, "COUNT")) return out_->integer(uint64_t{all_commands().size()});
    if (is_word(1, "LIST")) return write_names();
    if (is_word(1, "GETKEYS")) return write_keys();
    is_word(1, "DOCS") ? write_docs() : write_info();
  }
  // No command is of a module, or of a category of accounts.
  void write_names() {
    std::vector<std::string_view> names;
    for (const CommandInfo& one : all_commands()) {
      const bool is_wanted =
          count_of_arguments() == 2 || (is_word(3, "PATTERN") && is_like(one.name, argument(4)));
      if (is_wanted) names.push_back(one.name);
    }
    out_->array(names.size());
    for (const std::string_view name : names) out_->bulk(name);
  }
  void write_all() {
    out_->array(all_commands().size());
    for (const CommandInfo& one : all_commands()) write(one);
  }
  void write_info() {
    if (count_of_arguments() == 2) return write_all();
    out_->array(count_of_arguments() - 2);
    for (size_t i = 2; i < count_of_arguments(); ++i) {
      const CommandInfo* const found = find_command(argument(i));
      found != nullptr ? write(*found) : out_->null();
    }
  }
  void write(const CommandInfo& one) {
    out_->array(10);
    out_->bulk(one.name);
    out_->integer(int64_t{one.arity});
    out_->set(each_word(one.flags, [](std::string_view) {}));
    (void)each_word(one.flags, [this](std::string_view flag) { out_->simple(flag); });
    out_->integer(int64_t{one.first_key});
    out_->integer(int64_t{one.last_key});
    out_->integer(int64_t{one.step});
    out_->set(0);    // categories of access
    out_->array(0);  // tips
    out_->array(0);  // where keys are, in the newer form
    out_->array(0);  // subcommands
  }
  void write_docs() {
    std::vector<const CommandInfo*> wanted;
    if (count_of_arguments() == 2) {
      for (const CommandInfo& one : all_commands()) wanted.push_back(&one);
    }
    for (size_t i = 2; i < count_of_arguments(); ++i) {
      if (const CommandInfo* const found = find_command(argument(i))) wanted.push_back(found);
    }
    out_->map(wanted.size());
    for (const CommandInfo* one : wanted) {
      out_->bulk(one->name);
      out_->map(2);
      out_->bulk("summary");
      out_->bulk(one->summary);
      out_->bulk("group");
      out_->bulk(one->group);
    }
  }
  void write_keys() {
    const CommandInfo* const found = find_command(argument(2));
    const size_t given = count_of_arguments() - 2;
    if (found == nullptr) return refuse("ERR Invalid command specified");
    if (!found->takes(given)) {
      return refuse("ERR Invalid number of arguments specified for command");
    }
    if (found->first_key == 0) return refuse("ERR The command has no key arguments");
    const auto last = static_cast<size_t>(
        found->last_key < 0 ? static_cast<int>(given) + found->last_key : found->last_key);
    std::vector<std::string_view> keys;
    for (auto at = static_cast<size_t>(found->first_key); at <= last && at < given;
         at += static_cast<size_t>(found->step)) {
      keys.push_back(argument(2 + at));
    }
    out_->array(keys.size());
    for (const std::string_view key : keys) out_->bulk(key);
  }
};

// What tools look at.
class Config final : public RespCommand {
  void take() override { (void)take_subcommand(kConfigSubcommands); }
  void reply() override {
    const ServerNumbers numbers =
        facts_.server != nullptr ? facts_.server->numbers() : ServerNumbers();
    // Changes are durable when they are answered, and no row is thrown away to make room.
    const std::pair<std::string_view, std::string> settings[] = {
        {"appendfsync", "always"},
        {"appendonly", "yes"},
        {"cluster-enabled", "no"},
        {"databases", "1"},
        {"maxclients", std::to_string(numbers.max_connections)},
        {"maxmemory", std::to_string(numbers.max_memory)},
        {"maxmemory-policy", "noeviction"},
        {"notify-keyspace-events", ""},
        {"replica-read-only", "yes"},
        {"save", ""},
        {"timeout", "0"},
    };
    std::vector<const std::pair<std::string_view, std::string>*> found;
    for (const auto& setting : settings) {
      const bool is_wanted = std::any_of(
          arguments_.begin() + 2, arguments_.end(),
          [&](std::string_view pattern) { return is_like(setting.first, lower(pattern)); });
      if (is_wanted) found.push_back(&setting);
    }
    out_->map(found.size());
    for (const auto* setting : found) {
      out_->bulk(setting->first);
      out_->bulk(setting->second);
    }
  }
};

// Accounts are SQL's.
class Acl final : public RespCommand {
  void take() override { (void)take_subcommand(kAclSubcommands); }
  void reply() override {
    std::string user;
    if (facts_.server != nullptr) {
      for (SeenConnection& one : facts_.server->connections(facts_.connection)) {
        if (one.id == facts_.connection) user = std::move(one.user);
      }
    }
    out_->bulk(user.empty() ? "default" : user);
  }
};

// There are none.
class Module final : public RespCommand {
  void take() override { (void)take_subcommand(kModuleSubcommands); }
  void reply() override { out_->array(0); }
};

}  // namespace

Made make_command() { return std::make_unique<CommandCommand>(); }
Made make_config() { return std::make_unique<Config>(); }
Made make_acl() { return std::make_unique<Acl>(); }
Made make_module() { return std::make_unique<Module>(); }

}  // namespace hs::protocol::resp
