#include "process_cpu.h"

#include <unistd.h>

#include <fstream>
#include <iterator>
#include <sstream>
#include <string>

#include "target.h"

namespace hs::bench {

double process_cpu_seconds(pid_t pid) {
  const std::string name = "/proc/" + std::to_string(pid) + "/stat";
  std::ifstream file(name);
  const std::string text(std::istreambuf_iterator<char>(file), {});
  const size_t end = text.rfind(')');  // of the command's name, which may contain anything
  if (end == std::string::npos) throw Failure("cannot read " + name);
  std::istringstream fields(text.substr(end + 1));
  std::string skipped;
  for (int field = 3; field < 14; ++field) fields >> skipped;
  double user_ticks = 0;
  double system_ticks = 0;
  fields >> user_ticks >> system_ticks;
  if (!fields) throw Failure("cannot read " + name);
  return (user_ticks + system_ticks) / static_cast<double>(::sysconf(_SC_CLK_TCK));
}

}  // namespace hs::bench
