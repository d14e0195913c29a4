// SPDX-License-Identifier: GPL-2.0-only
#include "mariadb/server_headers.h"
// (before anything else)
#include "mariadb/running.h"
#include "mariadb/status.h"

namespace hs::mariadb {
namespace {

unsigned long long number_of(seam::Status which, server::Server& server, MariaEngine& engine) {
  switch (which) {
#define HS_LOADER_STATUS(name) \
  case seam::Status::name:     \
    break;
#define HS_TABLE_STATUS(name, member) \
  case seam::Status::name:            \
    return engine.counters().member.load();
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
  Running::ask_both([&](server::Server& server, MariaEngine& engine) {
    number = number_of(which, server, engine);
  });
  return number;
}

}  // namespace hs::mariadb
