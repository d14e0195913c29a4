// The command line of hs bench: names, ranges and help of its options.
#ifndef HS_TOOLS_BENCH_COMMAND_LINE_H_
#define HS_TOOLS_BENCH_COMMAND_LINE_H_

#include <CLI/CLI.hpp>

#include "options.h"

namespace hs::bench {

// Declares all options. They must outlive the application.
void declare(CLI::App& app, Options& options);

}  // namespace hs::bench

#endif  // HS_TOOLS_BENCH_COMMAND_LINE_H_
