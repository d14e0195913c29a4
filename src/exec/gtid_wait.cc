#include "exec/gtid_wait.h"

#include <algorithm>

namespace hs::exec {

uint32_t GtidWaits::waiting() const {
  const MutexLock lock(mutex_);
  return static_cast<uint32_t>(places_.size());
}

bool GtidWaits::begin(GtidWait& wait) {
  const MutexLock lock(mutex_);
  Places place{&wait};
  ++of_host_[wait.host_];
  if (places_.size() >= kMost && !make_room(wait.host_)) {
    forget_one_of(wait.host_);
    return false;
  }
  wait.place_ = place.begin();
  places_.splice(places_.end(), place);
  return true;
}

void GtidWaits::end(GtidWait& wait) {
  const MutexLock lock(mutex_);
  if (!wait.has_given_way()) remove(wait);
}

// One wait gives way to that of the newcomer, which counts already. False: none does.
bool GtidWaits::make_room(const std::string& newcomer) {
  for (GtidWait* const wait : places_) {
    if (!wait->client_has_ended_.load(std::memory_order_relaxed)) continue;
    give_way(*wait);
    return true;
  }
  auto greediest = of_host_.find(newcomer);
  for (auto host = of_host_.begin(); host != of_host_.end(); ++host) {
    if (host->second > greediest->second) greediest = host;
  }
  if (greediest->first == newcomer) return false;
  const auto is_of_greediest = [&](const GtidWait* wait) {
    return wait->host_ == greediest->first;
  };
  give_way(**std::find_if(places_.rbegin(), places_.rend(), is_of_greediest));
  return true;
}

void GtidWaits::give_way(GtidWait& wait) {
  remove(wait);
  wait.has_given_way_.store(true, std::memory_order_relaxed);
}

void GtidWaits::remove(GtidWait& wait) {
  forget_one_of(wait.host_);
  places_.erase(wait.place_);
}

void GtidWaits::forget_one_of(const std::string& host) {
  const auto found = of_host_.find(host);
  if (--found->second == 0) of_host_.erase(found);
}

}  // namespace hs::exec
