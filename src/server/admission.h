// Decides whether the process can spare a descriptor for one more connection.
//
// This server shares a process with the database. If connections took the last descriptor, the
// database could open no table and accept no client, and it would switch its log off.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>

#include "engine/engine.h"

namespace hs::server {

// How many descriptors the process may have at present.
uint64_t descriptor_limit();

class Admission {
 public:
  // `engine` must outlive the object. `own`: how many descriptors this server has besides its
  // connections.
  Admission(const engine::Engine& engine, uint64_t own,
            std::function<uint64_t()> limit = descriptor_limit);

  // Any thread, as all functions that follow. Whether a connection may stay that has the descriptor
  // `number` and was just accepted, beside `connections` others. The system gives the lowest free
  // number, so at least `number` descriptors are in use.
  bool has_room(int number, uint64_t connections) const;

  void set_own(uint64_t own) { own_.store(own, std::memory_order_relaxed); }

  // The most connections of all endpoints together.
  uint64_t most_connections() const;
  // "the process may open 3000 files, and 1500 of them are for the database (open_files_limit)"
  std::string reason() const;

 private:
  uint64_t reserve(uint64_t limit) const;
  uint64_t most_connections(uint64_t limit) const;

  const engine::Engine& engine_;
  std::atomic<uint64_t> own_;
  const std::function<uint64_t()> limit_;
};

}  // namespace hs::server
