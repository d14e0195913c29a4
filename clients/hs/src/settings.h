// Where the server is and how to log in: from the command line, the environment and option files.
#ifndef HS_CLIENTS_HS_SETTINGS_H_
#define HS_CLIENTS_HS_SETTINGS_H_

#include <map>
#include <string>

namespace hs::tool {

// Options of clients/README.md by their names, and `url`. What is not given is not there.
using Options = std::map<std::string, std::string>;

struct Settings {
  Options options;  // without `url`, whose parts they are
  Options
      sql;  // of [client]: what leads to the SQL port (host, port, socket, user, password, ssl_ca)
};

// The files: all of the server's programs, unless defaults_file names one, then ~/.hs.cnf or
// $HS_OPTION_FILE. With no_defaults none. As with the server's programs, extra_file is read between those of
// the machine and those of the user, and with a suffix "_a" [client_a] and [hs_a] are read, too.
struct Files {
  std::string defaults_file;
  bool no_defaults = false;
  std::string extra_file = "";
  std::string group_suffix = "";
};

// What is on the command line wins over HS_URL, that over HS_PASSWORD and HS_SECRET, and that over the
// files. Throws UsageError and FileError.
Settings settings_of(const Options& command_line, const Files& files);

// The URL with which the client connects.
std::string url_of(const Options& options);

// The options in a URL. Throws UsageError.
Options parse_url(const std::string& url);

}  // namespace hs::tool

#endif  // HS_CLIENTS_HS_SETTINGS_H_
