#include "arrivals.h"

#include <algorithm>

namespace hs::bench {

Arrivals::Arrivals(const Schedule& schedule, uint64_t requests, size_t connections, size_t depth)
    : schedule_(schedule), requests_(requests), room_(connections * depth) {
  for (size_t i = 0; i < room_.size(); ++i) room_[i] = static_cast<uint32_t>(i % connections);
}

std::optional<Arrivals::Turn> Arrivals::next(Clock::time_point now) {
  if (all_sent() || !has_room()) return std::nullopt;
  const Clock::time_point at = schedule_.at(sent_);
  if (at > now) return std::nullopt;
  return Turn{room_[sent_++ % room_.size()], at};
}

void Arrivals::answered(size_t connection) {
  room_[answered_++ % room_.size()] = static_cast<uint32_t>(connection);
}

std::optional<Clock::duration> Arrivals::idle(Clock::time_point now) const {
  if (all_sent() || !has_room()) return std::nullopt;
  return std::max(schedule_.at(sent_) - now, Clock::duration::zero());
}

}  // namespace hs::bench
