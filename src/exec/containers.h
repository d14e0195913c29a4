// Reads the configuration of the old InnoDB memcached plugin (mapping/containers.h).
#pragma once

#include "base/result.h"
#include "engine/session.h"
#include "mapping/containers.h"

namespace hs::exec {

inline constexpr const char* kDatabaseOfContainers = "innodb_memcache";
inline constexpr const char* kTableOfContainers = "containers";

// In requests of their own. The session must have nothing uncommitted. Without the tables there are
// no containers. Errors: those of Session::cursor() and of reading rows.
Result<mapping::Containers> read_containers(engine::Session& session);

}  // namespace hs::exec
