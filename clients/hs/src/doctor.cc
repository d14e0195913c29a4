// doctor: what is wrong with a server and the plugin in it, over its SQL port.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string_view>
#include <system_error>

#include "commands.h"
#include "doctor_findings.h"
#include "screen.h"
#include "sql.h"
#include "sql_place.h"

namespace hs::tool {
namespace {

std::string lower(std::string name) {
  std::transform(name.begin(), name.end(), name.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return name;
}

std::map<std::string, std::string> pairs(Sql& sql, const std::string& statement) {
  std::map<std::string, std::string> found;
  for (const Row& row : sql.ask(statement))
    found[lower(row.at(0).value_or(""))] = row.at(1).value_or("");
  return found;
}

std::optional<Sight::Plugin> plugin_of(Sql& sql, bool is_mysql) {
  const auto rows = sql.ask(
      fmt::format("SELECT PLUGIN_LIBRARY, PLUGIN_STATUS, {} FROM information_schema.PLUGINS "
                  "WHERE PLUGIN_NAME = 'handlersocket'",
                  is_mysql ? "PLUGIN_VERSION" : "PLUGIN_AUTH_VERSION"));
  if (rows.empty()) return std::nullopt;
  const Row& row = rows.front();
  return Sight::Plugin{row.at(0).value_or(""), row.at(1).value_or(""), row.at(2).value_or("")};
}

bool has_tables(Sql& sql) {
  return !sql.ask(
                 "SELECT 1 FROM information_schema.PLUGINS "
                 "WHERE PLUGIN_NAME = 'HANDLERSOCKET_CONNECTIONS' AND PLUGIN_STATUS = 'ACTIVE'")
              .empty();
}

constexpr const char* kOpenAccountsOfMariadb =
    "SELECT CONCAT(QUOTE(User), '@', QUOTE(Host)) FROM mysql.global_priv "
    "WHERE JSON_VALUE(Priv, '$.is_role') IS NULL "
    "AND COALESCE(JSON_VALUE(Priv, '$.account_locked'), 0) = 0 "
    "AND COALESCE(JSON_VALUE(Priv, '$.plugin'), '') IN ('', 'mysql_native_password') "
    "AND COALESCE(JSON_VALUE(Priv, '$.authentication_string'), '') = '' "
    "AND JSON_VALUE(Priv, '$.auth_or[0]') IS NULL";
constexpr const char* kOpenAccountsOfMysql =
    "SELECT CONCAT(QUOTE(User), '@', QUOTE(Host)) FROM mysql.user "
    "WHERE account_locked = 'N' AND plugin IN ('caching_sha2_password', 'sha256_password') "
    "AND authentication_string = ''";

// Those that a password would open and that have none. A locked account, a role, and one that logs in
// as the system's user are none.
std::optional<std::vector<std::string>> open_accounts(Sql& sql, bool is_mysql) {
  try {
    std::vector<std::string> accounts;
    for (const Row& row : sql.ask(is_mysql ? kOpenAccountsOfMysql : kOpenAccountsOfMariadb))
      accounts.push_back(row.at(0).value_or(""));
    return accounts;
  } catch (const SqlError& error) {
    if (error.is_connection) throw;
    return std::nullopt;
  }
}

// Whether the server is the one that apt upgrades: others have folders of their own.
bool is_of_packages(const std::string& plugin_dir) {
  return std::filesystem::path(plugin_dir + "/").lexically_normal() == "/usr/lib/mysql/plugin/";
}

// The versions of the server's package that is installed and that apt would install; nothing without apt
// or such a package.
void ask_apt(Sight* sight) {
  const char* const ask = sight->is_mysql ? "LC_ALL=C apt-cache policy mysql-server 2>/dev/null"
                                          : "LC_ALL=C apt-cache policy mariadb-server 2>/dev/null";
  const std::unique_ptr<FILE, int (*)(FILE*)> apt(::popen(ask, "r"), ::pclose);
  if (!apt) return;
  char line[512];
  while (std::fgets(line, sizeof line, apt.get()) != nullptr) {
    std::istringstream words(line);
    std::string name, version;
    if (!(words >> name >> version) || version == "(none)") continue;
    if (name == "Installed:") sight->installed = version;
    if (name == "Candidate:") sight->candidate = version;
  }
}

// The versions in the names of the libraries beside the plugin: handlersocket2-10.11.18.so.
std::optional<std::vector<std::string>> built_for(const std::string& plugin_dir) {
  constexpr std::string_view prefix = "handlersocket2-", ending = ".so";
  std::error_code error;
  std::vector<std::string> versions;
  for (const auto& entry : std::filesystem::directory_iterator(plugin_dir, error)) {
    const std::string name = entry.path().filename();
    if (name.size() > prefix.size() + ending.size() && name.rfind(prefix, 0) == 0 &&
        entry.path().extension() == ending)
      versions.push_back(name.substr(prefix.size(), name.size() - prefix.size() - ending.size()));
  }
  if (error) return std::nullopt;
  return versions;
}

// The system's service that a server of this machine runs in: mariadb@second.service. Empty: not known.
std::string service_of(const std::string& pid_file) {
  std::string pid, line;
  std::ifstream(pid_file) >> pid;
  std::ifstream groups("/proc/" + pid + "/cgroup");
  while (std::getline(groups, line)) {
    constexpr std::string_view services = ":/system.slice/";
    const std::filesystem::path last = std::filesystem::path(line).filename();
    if (line.find(services) != std::string::npos && last.extension() == ".service") return last;
  }
  return "";
}

std::string name_of_this_machine() {
  char name[256] = "";
  return ::gethostname(name, sizeof name - 1) == 0 ? name : "";
}

// Where the client is told to look for the server. A port of this machine may be a container's, or lead on
// to another machine.
enum class Where { elsewhere, port_of_this_machine, this_machine };

Where where(const Options& options) {
  const auto host = options.find("host");
  if (host == options.end() || host->second == "localhost") return Where::this_machine;
  const bool loops = host->second == "::1" || host->second.rfind("127.", 0) == 0;
  return loops ? Where::port_of_this_machine : Where::elsewhere;
}

Sight seen(Sql& sql, Where asked) {
  Sight sight;
  sight.version = sql.ask("SELECT VERSION()").at(0).at(0).value_or("");
  sight.variables = pairs(sql, "SHOW GLOBAL VARIABLES");
  sight.status = pairs(sql, "SHOW GLOBAL STATUS");
  // Whatever version it shows: each MySQL has this variable, and no MariaDB.
  sight.is_mysql = sight.variables.count("information_schema_stats_expiry") > 0;
  sight.plugin = plugin_of(sql, sight.is_mysql);
  sight.has_tables = has_tables(sql);
  sight.open_accounts = open_accounts(sql, sight.is_mysql);
  if (asked == Where::this_machine || (asked == Where::port_of_this_machine &&
                                       sight.variables["hostname"] == name_of_this_machine())) {
    sight.service = service_of(path_of(sight, "pid_file"));
    const std::string plugin_dir = sight.variables["plugin_dir"];
    if (is_of_packages(plugin_dir)) {
      ask_apt(&sight);
      std::error_code error;
      sight.has_package = std::filesystem::exists("/usr/libexec/handlersocket2/plugin", error);
    }
    sight.built_for = built_for(plugin_dir);
    // Without the package's names: one file, which does not say for which version it is.
    if (sight.is_mysql && sight.built_for && sight.built_for->empty()) sight.built_for.reset();
  }
  return sight;
}

const char* word(Health health) {
  if (health == Health::good) return "good";
  return health == Health::advice ? "advice" : "wrong";
}

Style style(Health health) {
  if (health == Health::good) return Style::green;
  return health == Health::advice ? Style::cyan : Style::red;
}

std::string report(const std::vector<Finding>& all) {
  const bool colour = wants_colour(STDOUT_FILENO);
  std::string text;
  for (const Finding& finding : all) {
    const std::string health = fmt::format("{:<7}", word(finding.health));
    text += fmt::format("{} {:<12} {}\n", styled(health, style(finding.health), colour),
                        finding.area, shown(finding.text));
    if (!finding.remedy.empty()) text += fmt::format("{:21}-> {}\n", "", shown(finding.remedy));
  }
  return text;
}

class DoctorCommand : public Command {
 public:
  void declare(CLI::App& app) override { place_.declare(app); }

  Status run(Session& session, const Common& common) override {
    const Options options = place_.options(session.settings());
    Sql sql(options);
    const std::vector<Finding> all = findings(seen(sql, where(options)));
    Rows rows = {{{"health"}, {"area"}, {"finding"}, {"remedy"}}, {}};
    for (const Finding& finding : all) {
      rows.rows.push_back({word(finding.health), finding.area, finding.text,
                           finding.remedy.empty() ? Cell() : Cell(finding.remedy)});
    }
    Session::write(common.format.empty() ? report(all) : as_text(Session::look(common), rows));
    const bool ails = std::any_of(all.begin(), all.end(), [](const Finding& finding) {
      return finding.health == Health::wrong;
    });
    return ails ? unwell : done;
  }

 private:
  SqlPlace place_;
};

}  // namespace

std::unique_ptr<Command> make_doctor() { return std::make_unique<DoctorCommand>(); }

}  // namespace hs::tool
