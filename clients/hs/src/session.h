// What the commands of one run share: the server, how rows are written, and where to.
#ifndef HS_CLIENTS_HS_SESSION_H_
#define HS_CLIENTS_HS_SESSION_H_

#include <memory>
#include <string>
#include <vector>

#include "format.h"
#include "server.h"
#include "settings.h"
#include "status.h"

namespace hs::tool {

// Options of every command.
struct Common {
  Options options;  // of the connection
  Files files;
  std::string format;  // empty: a table on a terminal, else tsv
  bool no_header = false;
  bool escapes = false;
  bool ask_password = false;
};

// The names in a list with commas. Throws UsageError for an empty one.
Names names_of(const std::string& list);

class Session {
 public:
  explicit Session(const Common& common);

  // The standard input has the commands themselves: none of them may read it.
  void keep_input() { keeps_input_ = true; }
  // Throws UsageError where the standard input is not for commands.
  void take_input() const;

  // Connects at its first use.
  Server& server();
  const Settings& settings() const { return settings_; }
  // Makes it the default database.
  void use(const std::string& database) { settings_.options["database"] = database; }

  // "database.table" of a table's name, to which the default database is added.
  std::string table(const std::string& name) const;

  // How rows are written by a command with these options.
  static Look look(const Common& common);
  // Writes to the standard output. Throws FileError.
  static void write(const std::string& text);
  // Writes rows to the standard output, and tells whether there were any. Throws FileError.
  static Status print(const Common& common, const Rows& rows);

 private:
  Settings settings_;
  std::unique_ptr<Server> server_;
  bool keeps_input_ = false;
};

}  // namespace hs::tool

#endif  // HS_CLIENTS_HS_SESSION_H_
