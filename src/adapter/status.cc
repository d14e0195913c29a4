#include "adapter/status.h"

#include "adapter/running.h"

namespace hs::adapter {
namespace {

unsigned long long number_of(seam::Status which, server::Server& server, TableCounters& counters) {
  switch (which) {
#define HS_LOADER_STATUS(name) \
  case seam::Status::name:     \
    break;
#define HS_TABLE_STATUS(name, member) \
  case seam::Status::name:            \
    return counters.member.load();
#define HS_STATUS(name)    \
  case seam::Status::name: \
    return server.statistics().name;
#include "seam/status.def"
#include "seam/status_end.h"
  }
  return 0;
}

}  // namespace

unsigned long long status(seam::Status which) {
  unsigned long long number = 0;
  Running::ask_both([&](server::Server& server, TableCounters& counters) {
    number = number_of(which, server, counters);
  });
  return number;
}

}  // namespace hs::adapter
