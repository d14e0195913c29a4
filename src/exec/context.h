// What stays the same for all requests of one group of threads. Read-only.
#pragma once

#include <string_view>

#include "base/clock.h"
#include "base/limits.h"
#include "engine/engine.h"
#include "exec/gtid_wait.h"
#include "mapping/directory.h"
#include "protocol/server_view.h"

namespace hs::exec {

struct Context {
  engine::Mode mode = engine::Mode::kReadOnly;
  Limits limits;
  int64_t (*now_ns)() = monotonic_ns;  // the clock that work is measured with
  // For Verb::kHello. They must outlive the context.
  std::string_view version = "0";         // of this program
  std::string_view server_version = "0";  // of the database
  bool has_tls = false;
  // What the keys of commands name; null: nothing. Must outlive the context.
  mapping::Directory* directory = nullptr;
  int64_t (*wall_ms)() = hs::wall_ms;      // the time of day, for what expires
  protocol::ServerView* server = nullptr;  // what commands may ask of; must outlive the context
  GtidWaits* gtid_waits = nullptr;         // null: any number may wait; must outlive the clients
};

}  // namespace hs::exec
