#include "doctor_findings.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <sstream>

namespace hs::tool {
namespace {

// A port, and by what variables it is set.
struct Port {
  const char* name;
  const char* variable;  // its place by TCP; one of other protocols is closed by "0" as well
  const char* socket;    // null: it has none
  const char* ending;    // of the variables that say what clients must show
  const char* lets;      // what clients may do that need to show nothing
  bool takes_changes;
};
constexpr Port kPorts[] = {
    {"read", "handlersocket_port", "handlersocket_socket", "", "read every table", false},
    {"write", "handlersocket_port_wr", "handlersocket_socket_wr", "_wr", "change every table",
     true},
    {"Redis", "handlersocket_resp_port", nullptr, "_wr", "change every table with a mapping", true},
    {"memcached", "handlersocket_memcached_port", nullptr, "_wr",
     "change every table with a mapping", true},
};

class Doctor {
 public:
  explicit Doctor(const Sight& sight) : sight_(sight) {}

  std::vector<Finding> look() {
    if (look_at_plugin()) {
      look_at_tables();
      for (const Port& port : kPorts) look_at_port(port);
      look_at_read_only();
      look_at_accounts();
      look_at_descriptors();
    }
    look_at_speed();
    look_at_durability();
    look_at_upgrade();
    return std::move(found_);
  }

 private:
  void good(const char* area, std::string text) { add(Health::good, area, std::move(text), ""); }
  void add(Health health, const char* area, std::string text, std::string remedy) {
    found_.push_back({health, area, std::move(text), std::move(remedy)});
  }

  std::string value(const std::string& name) const {
    const auto found = sight_.variables.find(name);
    return found != sight_.variables.end() ? found->second : "";
  }
  uint64_t number(const std::string& name) const {
    return std::strtoull(value(name).c_str(), nullptr, 10);
  }
  std::string text(const std::string& name) const {
    const auto found = sight_.status.find(name);
    return found != sight_.status.end() ? found->second : "";
  }
  double count(const std::string& name) const { return std::strtod(text(name).c_str(), nullptr); }
  bool is_on(const std::string& name) const { return value(name) == "ON" || value(name) == "1"; }
  // Later servers have more ways of being on, such as NO_LOCK.
  bool is_set(const std::string& name) const {
    const std::string set = value(name);
    return !set.empty() && set != "OFF" && set != "0";
  }

  bool look_at_plugin();
  void look_at_tables();
  void look_at_port(const Port& port);
  void look_at_read_only();
  void look_at_accounts();
  void look_at_descriptors();
  void look_at_speed();
  void look_at_durability();
  void look_at_upgrade();

  std::string how_to_load() const;
  std::string load_by_package() const;
  bool is_built_for(const std::string& server) const;
  bool is_reachable() const;
  std::string shown_by_clients(const std::string& ending) const;
  bool has_secret(const std::string& ending) const;
  std::string tcp_place_of(const Port& port) const;
  std::string socket_of(const Port& port) const;
  bool is_served(const Port& port) const;
  std::string place_of(const Port& port) const;

  const Sight& sight_;
  std::vector<Finding> found_;
};

// One word of a shell.
std::string quoted(const std::string& text) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-+@:,";
  if (!text.empty() && text.find_first_not_of(kPlain) == std::string::npos) return text;
  std::string word = "'";
  for (const char c : text) word += c == '\'' ? "'\\''" : std::string(1, c);
  return word + "'";
}

// Of several servers on a machine this one is meant.
std::string Doctor::load_by_package() const {
  return fmt::format("/usr/libexec/handlersocket2/plugin load {}",
                     quoted(path_of(sight_, "socket")));
}

std::string Doctor::how_to_load() const {
  // It looks at the settings first: without them the write port would ask for nothing.
  if (sight_.has_package)
    return fmt::format("as root, {}, which says what is in the way", load_by_package());
  if (!is_built_for(upstream_of(sight_.version))) {
    return fmt::format(
        "its library is not here for this version: build it, as docs/operations.md tells; then {}",
        sight_.is_mysql ? "start the server again" : "INSTALL SONAME 'handlersocket2.so'");
  }
  // MySQL gives a plugin that is installed while it runs what stood in the option file at its start.
  return sight_.is_mysql
             ? "start the server again, whose option file has plugin_load_add = handlersocket2.so; "
               "its error log says why it refuses the file"
             : "INSTALL SONAME 'handlersocket2.so'; the error log says why it was refused at start";
}

bool Doctor::look_at_plugin() {
  const std::string server =
      fmt::format("the server {}{}", sight_.is_mysql ? "MySQL " : "", sight_.version);
  if (!sight_.plugin) {
    add(Health::wrong, "plugin", fmt::format("{} has not loaded the plugin", server),
        how_to_load());
    return false;
  }
  if (sight_.plugin->library.rfind("handlersocket2", 0) != 0) {
    add(Health::wrong, "plugin",
        fmt::format("{} has the original plugin, {}", server, sight_.plugin->library),
        fmt::format("UNINSTALL SONAME 'handlersocket.so', then {}",
                    sight_.has_package ? "as root " + load_by_package()
                                       : "INSTALL SONAME 'handlersocket2.so'"));
    return false;
  }
  if (sight_.plugin->state != "ACTIVE") {
    add(Health::wrong, "plugin", fmt::format("the plugin is {}", sight_.plugin->state),
        "the server's error log says why");
    return false;
  }
  if (const std::string why = text("handlersocket_message"); !why.empty()) {
    // What mends it is behind the last semicolon.
    constexpr std::string_view kOpens = "opens the ports";
    const bool says_what_mends =
        why.size() > kOpens.size() &&
        why.compare(why.size() - kOpens.size(), kOpens.size(), kOpens) == 0;
    const size_t end = says_what_mends ? why.rfind("; ") : std::string::npos;
    add(Health::wrong, "plugin", fmt::format("in {} {}", server, why.substr(0, end)),
        end != std::string::npos
            ? why.substr(end + 2)
            : "mend that, and then SET GLOBAL handlersocket_reload = 1 opens the ports");
    return false;
  }
  const std::string runs =
      fmt::format("HandlerSocket {} runs in {}", sight_.plugin->version, server);
  if (std::any_of(std::begin(kPorts), std::end(kPorts),
                  [this](const Port& port) { return is_served(port); })) {
    good("plugin", runs);
  } else {
    add(Health::advice, "plugin", fmt::format("{}, and no variable asks for a port", runs),
        "SET GLOBAL handlersocket_port = '9998', and the same in the option file");
  }
  return true;
}

void Doctor::look_at_tables() {
  if (sight_.has_tables) return;
  std::string remedy = "INSTALL SONAME 'handlersocket2_tables.so'";
  if (sight_.is_mysql) remedy = "INSTALL PLUGIN for each of them, as docs/servers.md tells";
  if (sight_.has_package) remedy = "as root, " + load_by_package();
  add(Health::advice, "plugin", "its tables are not in INFORMATION_SCHEMA", std::move(remedy));
}

// Where that is not known, it is.
bool Doctor::is_built_for(const std::string& server) const {
  const auto is_it = [&](const std::string& version) { return upstream_of(version) == server; };
  return !sight_.built_for ||
         std::any_of(sight_.built_for->begin(), sight_.built_for->end(), is_it);
}

bool is_loopback(const std::string& address) {
  return address == "localhost" || address == "::1" || address.rfind("127.", 0) == 0;
}

// Whether other machines reach the ports. A path ("/") and a socket are of this machine.
bool Doctor::is_reachable() const {
  const std::string addresses = value("handlersocket_address");
  if (addresses.empty()) return true;
  if (addresses == "/") return false;
  std::istringstream list(addresses);
  for (std::string address; std::getline(list, address, ',');) {
    address.erase(std::remove(address.begin(), address.end(), ' '), address.end());
    if (!is_loopback(address)) return true;
  }
  return false;
}

bool Doctor::has_secret(const std::string& ending) const {
  const std::string secret = "handlersocket_plain_secret" + ending;
  return !value(secret).empty() || !value(secret + "_file").empty();
}

// Its number or path; empty: it is closed.
std::string Doctor::tcp_place_of(const Port& port) const {
  const std::string place = value(port.variable);
  return port.socket == nullptr && place == "0" ? "" : place;
}
std::string Doctor::socket_of(const Port& port) const {
  return port.socket != nullptr ? value(port.socket) : "";
}

// Whether there is such a port, by TCP or a Unix socket.
bool Doctor::is_served(const Port& port) const {
  return !tcp_place_of(port).empty() || !socket_of(port).empty();
}

// none, secret or account: what `auto` stands for is in docs/variables.md.
std::string Doctor::shown_by_clients(const std::string& ending) const {
  const std::string chosen = value("handlersocket_authentication" + ending);
  if (chosen != "auto") return chosen;
  if (has_secret(ending)) return "secret";
  if (ending.empty()) return "none";
  return shown_by_clients("");
}

// The port's address and path, for people.
std::string Doctor::place_of(const Port& port) const {
  const std::string addresses = value("handlersocket_address");
  const std::string socket = socket_of(port);
  std::string place = tcp_place_of(port);
  if (!place.empty() && addresses != "/")
    place = fmt::format("{}:{}", addresses.empty() ? "*" : addresses, place);
  return place + (place.empty() || socket.empty() ? "" : " and ") + socket;
}

void Doctor::look_at_port(const Port& port) {
  if (!is_served(port)) {
    if (port.socket != nullptr) good("exposure", fmt::format("there is no {} port", port.name));
    return;
  }
  const std::string ending = port.ending;
  const std::string name = fmt::format("the {} port ({})", port.name, place_of(port));
  const bool reachable = !tcp_place_of(port).empty() && is_reachable();
  const std::string variable = "handlersocket_authentication" + ending;
  const std::string ask_for_accounts =
      fmt::format("SET GLOBAL {} = 'account', and the same in the option file", variable);
  const std::string shown = shown_by_clients(ending);
  if (shown == "none") {
    add(reachable ? Health::wrong : Health::advice, "exposure",
        fmt::format("{} asks for nothing: who reaches it {} may {}", name,
                    reachable ? "from another machine" : "on this machine", port.lets),
        ask_for_accounts);
  } else if (shown == "secret" && reachable) {
    add(Health::advice, "exposure",
        fmt::format("{} is for other machines, and asks for a secret that all of them share", name),
        ask_for_accounts);
  } else if (shown == "secret" && value(variable) == "auto" && !has_secret(ending)) {
    add(Health::advice, "exposure",
        fmt::format("{} asks for the read port's secret, or for nothing if its own was set empty",
                    name),
        fmt::format("SET GLOBAL {} = 'secret', which is refused in that case", variable));
  } else {
    good("exposure",
         fmt::format("{} asks for {}", name, shown == "account" ? "accounts" : "a secret"));
  }
  if (reachable && !is_on("require_secure_transport")) {
    add(Health::advice, "exposure",
        fmt::format("{} takes other machines without TLS: values cross the network in clear", name),
        "set ssl_cert and ssl_key, and SET GLOBAL require_secure_transport = ON");
  }
}

// Whether the server takes changes by the ports. A replica does not, and needs no write port.
void Doctor::look_at_read_only() {
  const bool for_all = is_set("super_read_only");
  if (!for_all && !is_set("read_only")) return;
  std::string names;
  for (const Port& port : kPorts) {
    if (!port.takes_changes || !is_served(port)) continue;
    names += fmt::format("{}{}", names.empty() ? "" : ", ", port.name);
  }
  if (names.empty()) return;
  std::string which = "every change";
  if (!for_all && shown_by_clients("_wr") == "account") {
    which = fmt::format("each change of an account without {}",
                        sight_.is_mysql ? "CONNECTION_ADMIN" : "READ ONLY ADMIN");
  }
  add(Health::advice, "read_only",
      fmt::format("{} is on: {} by a port that takes changes ({}) is refused",
                  for_all ? "super_read_only" : "read_only", which, names),
      "on a replica close these ports, by SET GLOBAL and in the option file; elsewhere SET GLOBAL "
      "read_only = OFF");
}

void Doctor::look_at_accounts() {
  if (shown_by_clients("") != "account" && shown_by_clients("_wr") != "account") return;
  if (!sight_.open_accounts) {
    add(Health::advice, "accounts", "this account may not look at the accounts of the server",
        "run the same hs doctor as root");
    return;
  }
  for (const std::string& account : *sight_.open_accounts) {
    add(Health::wrong, "accounts", fmt::format("{} may log in without a password", account),
        fmt::format("ALTER USER {} IDENTIFIED BY '…', or DROP USER", account));
  }
  if (sight_.open_accounts->empty()) good("accounts", "each has a password");
}

// As docs/operations.md tells how the descriptors are shared.
void Doctor::look_at_descriptors() {
  constexpr uint64_t most_threads_by_themselves = 4;  // of the write port
  const uint64_t files = number("open_files_limit");
  const uint64_t threads = number("handlersocket_threads") +
                           std::max(number("handlersocket_threads_wr"), most_threads_by_themselves);
  const uint64_t database =
      std::min(files / 2, number("max_connections") + number("extra_max_connections") +
                              3 * number("table_open_cache") + 94);
  const uint64_t others = std::min(files, database + 2 * threads);
  // The ports that take changes share their connections.
  const bool reads = is_served(kPorts[0]);
  const bool writes = std::any_of(std::begin(kPorts), std::end(kPorts), [this](const Port& port) {
    return port.takes_changes && is_served(port);
  });
  const uint64_t wanted =
      (uint64_t{reads} + uint64_t{writes}) * number("handlersocket_max_connections");
  const std::string sentence = fmt::format(
      "{} files may be open, which leaves the ports {} connections", files, files - others);
  if (files - others >= wanted) {
    good("descriptors", sentence);
  } else {
    add(Health::advice, "descriptors",
        fmt::format("{}, while handlersocket_max_connections allows {}", sentence, wanted),
        fmt::format("LimitNOFILE={} {}, and a restart; or fewer handlersocket_max_connections",
                    wanted + others + 1000,
                    sight_.service.empty()
                        ? "for the service that starts this server"
                        : fmt::format("by `systemctl edit {}`", sight_.service)));
  }
  const double refused = count("handlersocket_connections_refused");
  if (refused > 0) {
    add(Health::advice, "descriptors",
        fmt::format("{:.0f} connections were refused, as too many, since the plugin was loaded",
                    refused),
        "clients that keep their connections; or more handlersocket_max_connections");
  }
}

void Doctor::look_at_speed() {
  if (is_on("innodb_adaptive_hash_index")) {
    good("speed", "the adaptive hash index is on");
  } else {
    add(Health::advice, "speed",
        "the adaptive hash index is off: a lookup may take nearly twice the CPU time",
        "SET GLOBAL innodb_adaptive_hash_index = ON, and the same in the option file");
  }
  const double megabytes = static_cast<double>(number("innodb_buffer_pool_size")) / 1048576;
  const double asked = count("innodb_buffer_pool_read_requests");
  const double share = asked > 0 ? 100 * count("innodb_buffer_pool_reads") / asked : 0;
  const std::string pool = fmt::format("the buffer pool has {:.0f} MiB", megabytes);
  constexpr double many = 1, enough_to_tell = 100000;
  if (asked >= enough_to_tell && share > many) {
    add(Health::advice, "speed",
        fmt::format("{}, and {:.1f} % of the pages asked for were not in it", pool, share),
        "a larger innodb_buffer_pool_size");
  } else {
    good("speed", pool);
  }
}

// 10.11.18 -> {10, 11, 18}
std::vector<int> numbers_of(const std::string& version) {
  std::vector<int> numbers;
  std::istringstream parts(version);
  for (std::string part; std::getline(parts, part, '.');)
    numbers.push_back(std::atoi(part.c_str()));
  return numbers;
}

// Where its fault was found, and later releases of that series.
bool may_begin_wrongly(const std::string& version) {
  const std::vector<int> numbers = numbers_of(version);
  return numbers >= std::vector{10, 11, 18} && numbers < std::vector{10, 12};
}

// Where ALTER copies a table while others change it.
bool copies_beside_changes(const std::string& version) {
  return numbers_of(version) >= std::vector{11, 2};
}

void Doctor::look_at_durability() {
  const bool logs = is_on("log_bin");
  const bool flushes = value("innodb_flush_log_at_trx_commit") == "1";
  const bool syncs = !logs || value("sync_binlog") == "1";
  if (!flushes) {
    add(Health::advice, "durability",
        "changes that were answered may be lost by a crash of the machine",
        "SET GLOBAL innodb_flush_log_at_trx_commit = 1, and the same in the option file");
  }
  if (!syncs) {
    add(Health::advice, "durability",
        "the binary log may lack changes after a crash of the machine, and replicas differ then",
        "SET GLOBAL sync_binlog = 1, and the same in the option file");
  }
  if (value("innodb_log_file_buffering") == "OFF" &&
      may_begin_wrongly(upstream_of(sight_.version))) {
    add(Health::advice, "durability",
        "InnoDB of this server may undo committed changes when it begins after a crash (found in "
        "10.11.18)",
        "SET GLOBAL innodb_log_file_buffering = ON, and the same in the option file");
  }
  if (!sight_.is_mysql && logs && copies_beside_changes(upstream_of(sight_.version)) &&
      value("old_mode").find("LOCK_ALTER_TABLE_COPY") == std::string::npos) {
    add(Health::advice, "durability",
        "an ALTER that copies a table may lose changes that are made meanwhile, also those of SQL "
        "(found in 11.8.6)",
        "SET GLOBAL old_mode = CONCAT_WS(',', NULLIF(@@GLOBAL.old_mode, ''), "
        "'LOCK_ALTER_TABLE_COPY'), and the same in the option file; or LOCK=SHARED in each ALTER");
  }
  if (flushes && syncs) {
    good("durability",
         fmt::format("changes that were answered survive a crash; the binary log is {}",
                     logs ? "on" : "off"));
  }
}

void Doctor::look_at_upgrade() {
  if (!sight_.candidate || !sight_.built_for) return;
  const std::string next = upstream_of(*sight_.candidate);
  const std::string server = fmt::format("{} {}", sight_.is_mysql ? "MySQL" : "MariaDB", next);
  if (next == upstream_of(sight_.version) && sight_.installed &&
      *sight_.installed != *sight_.candidate) {
    // Its library has the same name, so that it cannot be there before.
    add(Health::advice, "upgrade",
        fmt::format("apt would install another build of {} ({}): the ports close until there is a "
                    "library for it",
                    server, *sight_.candidate),
        !sight_.has_package
            ? "build it behind the upgrade, as docs/operations.md tells"
            : fmt::format("as root, apt install --no-install-recommends cmake g++ libssl-dev "
                          "ninja-build {}, with which the package builds it behind the upgrade",
                          sight_.is_mysql ? "zlib1g-dev" : "xz-utils"));
  } else if (numbers_of(next) <= numbers_of(upstream_of(sight_.version))) {
    good("upgrade", "apt has no newer version of the server");
  } else if (is_built_for(next)) {
    good("upgrade", fmt::format("the plugin for {}, which apt would install, is here", server));
  } else {
    add(Health::wrong, "upgrade",
        fmt::format("apt would install {}, for which there is no library here: the ports would "
                    "close until there is one",
                    server),
        sight_.has_package
            ? fmt::format("as root, handlersocket2-build --{} {}",
                          sight_.is_mysql ? "mysql" : "mariadb", next)
            : "before you upgrade build it, as docs/operations.md tells, and put it there");
  }
}

}  // namespace

std::string path_of(const Sight& sight, const std::string& variable) {
  const auto path = sight.variables.find(variable), data = sight.variables.find("datadir");
  if (path == sight.variables.end() || data == sight.variables.end()) return "";
  return std::filesystem::path(data->second) / path->second;
}

std::string upstream_of(const std::string& version) {
  const size_t epoch = version.find(':');
  const size_t begin = epoch == std::string::npos ? 0 : epoch + 1;
  return version.substr(begin, version.find_first_not_of("0123456789.", begin) - begin);
}

std::vector<Finding> findings(const Sight& sight) { return Doctor(sight).look(); }

}  // namespace hs::tool
