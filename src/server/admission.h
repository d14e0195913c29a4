// Whether the process can spare a descriptor for one more connection.
//
// The ports live in the database's process. Where they took the last descriptor, it could open no
// table, take no client of its own, and switch its log off.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "engine/engine.h"

namespace hs::server {

// How many descriptors the process may have, now.
uint64_t descriptor_limit();

class Admission {
 public:
  // `engine` must outlive this. `own`: descriptors that the ports have besides their connections.
  Admission(const engine::Engine& engine, uint64_t own,
            std::function<uint64_t()> limit = descriptor_limit);

  // Any thread, as all that follows. Of a connection that was just accepted, as the descriptor
  // `number`, when the ports have so many others. Numbers are given from the lowest on, so that
  // many are in use at least.
  bool has_room(int number, uint64_t connections) const;

  // Of all ports together.
  uint64_t most_connections() const;
  // "the process may open 3000 files, and 1500 of them are for the database (open_files_limit)"
  std::string reason() const;

 private:
  uint64_t reserve(uint64_t limit) const;
  uint64_t most_connections(uint64_t limit) const;

  const engine::Engine& engine_;
  const uint64_t own_;
  const std::function<uint64_t()> limit_;
};

}  // namespace hs::server
