#include "server/admission.h"

#include <sys/resource.h>

#include <algorithm>
#include <utility>

namespace hs::server {
namespace {

// Connections get at least one descriptor in this many, even if the database wants more.
constexpr uint64_t kLeastShare = 2;
// One in this many of the database's descriptors must be free when a connection is admitted,
// however many the database has taken so far.
constexpr uint64_t kFreeShare = 4;

}  // namespace

uint64_t descriptor_limit() {
  rlimit limit{};
  return ::getrlimit(RLIMIT_NOFILE, &limit) == 0 ? limit.rlim_cur : RLIM_INFINITY;
}

Admission::Admission(const engine::Engine& engine, uint64_t own, std::function<uint64_t()> limit)
    : engine_(engine), own_(own), limit_(std::move(limit)) {}

uint64_t Admission::reserve(uint64_t limit) const {
  return std::min(engine_.wanted_descriptors(), limit - limit / kLeastShare);
}

uint64_t Admission::most_connections(uint64_t limit) const {
  const uint64_t taken = reserve(limit) + own_.load(std::memory_order_relaxed);
  return limit > taken ? limit - taken : 0;
}

uint64_t Admission::most_connections() const { return most_connections(limit_()); }

bool Admission::has_room(int number, uint64_t connections) const {
  const uint64_t limit = limit_();
  return connections < most_connections(limit) &&
         static_cast<uint64_t>(number) + reserve(limit) / kFreeShare < limit;
}

std::string Admission::reason() const {
  const uint64_t limit = limit_();
  return "the process may open " + std::to_string(limit) + " files, and " +
         std::to_string(reserve(limit)) + " of them are for the database (open_files_limit)";
}

}  // namespace hs::server
