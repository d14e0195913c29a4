// The server's option files: groups of names and values, with !include and !includedir.
#ifndef HS_CLIENTS_HS_OPTION_FILE_H_
#define HS_CLIENTS_HS_OPTION_FILE_H_

#include <string>
#include <vector>

namespace hs::tool {

struct FileOption {
  std::string group;
  std::string name;  // with _ for -
  std::string value;
  std::string place;  // "FILE, line N", for messages
};

// Whose rules hold. The server's programs know !include, quotes, backslashes, a # that ends the line, and
// - for _ in names; they leave out files that they may not read, or everyone may write. For the clients
// (~/.hs.cnf) names and values are what stands there.
enum class Rules { server, client };

// All options of a file and of those that it includes, in their order; a file that is not there has
// none when it need not be. Throws FileError, and UsageError for a line that is none.
std::vector<FileOption> read_option_file(const std::string& path, Rules rules, bool must_exist);

}  // namespace hs::tool

#endif  // HS_CLIENTS_HS_OPTION_FILE_H_
