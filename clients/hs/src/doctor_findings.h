// What `hs doctor` makes of what it has seen of a server: what is wrong, and what to do.
#ifndef HS_CLIENTS_HS_DOCTOR_FINDINGS_H_
#define HS_CLIENTS_HS_DOCTOR_FINDINGS_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace hs::tool {

// What was seen. Names of variables are in lower case.
struct Sight {
  std::string version;                           // as VERSION() says it
  bool is_mysql = false;                         // and not MariaDB
  std::map<std::string, std::string> variables;  // SHOW GLOBAL VARIABLES
  std::map<std::string, std::string> status;     // SHOW GLOBAL STATUS
  // The plugin called handlersocket, as information_schema.PLUGINS has it; nothing: there is none.
  struct Plugin {
    std::string library, state, version;
  };
  std::optional<Plugin> plugin;
  // Whether the plugin's tables are in INFORMATION_SCHEMA, which are a file of their own.
  bool has_tables = true;
  // Accounts without a password; nothing: they could not be looked at.
  std::optional<std::vector<std::string>> open_accounts;
  // Of this machine, when the server runs here: the versions of the server's package that is installed
  // and that apt would install, and those for which there is a library of the plugin. Nothing: not known.
  std::optional<std::string> installed, candidate;
  std::optional<std::vector<std::string>> built_for;
  // The Debian package's plugin is the one that the server would load, when the server runs here.
  bool has_package = false;
  // The service of systemd that the server is, when it runs here; empty: not known.
  std::string service;
};

enum class Health { good, advice, wrong };

struct Finding {
  Health health;
  std::string area, text;
  std::string remedy;  // what to do; empty when all is well
};

// In the order of the areas: plugin, exposure, read_only, accounts, descriptors, speed, durability, upgrade.
std::vector<Finding> findings(const Sight& sight);

// A file that a variable of the server names, perhaps from its data directory on: /run/mysqld/mysqld.sock
std::string path_of(const Sight& sight, const std::string& variable);

// 1:10.11.18-0+deb12u1 and 10.11.18-MariaDB-log -> 10.11.18, 1:11.8.9+ds-0+deb13u1 -> 11.8.9
std::string upstream_of(const std::string& version);

}  // namespace hs::tool

#endif  // HS_CLIENTS_HS_DOCTOR_FINDINGS_H_
