#include "adapter/status.h"

#include "adapter/running.h"

namespace hs::adapter {
namespace {

using server::Statistics;

// It is the loader's own.
unsigned long long none(server::Server&, TableCounters&) { return 0; }

template <std::atomic<uint64_t> TableCounters::*kMember>
unsigned long long of_tables(server::Server&, TableCounters& counters) {
  return (counters.*kMember).load();
}

template <uint64_t Statistics::*kMember>
unsigned long long of_server(server::Server& server, TableCounters&) {
  return server.statistics().*kMember;
}

// By seam::Status.
constexpr unsigned long long (*kNumbers[])(server::Server&, TableCounters&) = {
#define HS_LOADER_STATUS(name) none,
#define HS_TABLE_STATUS(name, member) of_tables<&TableCounters::member>,
#define HS_STATUS(name) of_server<&Statistics::name>,
#include "seam/status.def"
#include "seam/status_end.h"
};

}  // namespace

unsigned long long status(seam::Status which) {
  unsigned long long number = 0;
  Running::ask_both([&](server::Server& server, TableCounters& counters) {
    number = kNumbers[static_cast<size_t>(which)](server, counters);
  });
  return number;
}

}  // namespace hs::adapter
