#include "server/login_queue.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace hs::server {
namespace {

size_t number_of(const LoginJobs& jobs, const std::string& host) {
  const auto is_of_host = [&host](const LoginJob& job) { return job.host == host; };
  return static_cast<size_t>(std::count_if(jobs.begin(), jobs.end(), is_of_host));
}

}  // namespace

LoginJobs LoginQueue::add(LoginJobs job) {
  waiting_.splice(waiting_.end(), job);
  if (waiting_.size() <= limits_.most_waiting) return {};
  auto victim = std::prev(waiting_.end());
  size_t most = number_of(waiting_, victim->host);
  for (auto one = victim; one != waiting_.begin();) {
    --one;
    if (one->host == victim->host) continue;
    const size_t number = number_of(waiting_, one->host);
    if (number <= most) continue;
    victim = one;
    most = number;
  }
  LoginJobs crowded;
  crowded.splice(crowded.end(), waiting_, victim);
  return crowded;
}

LoginJobs::const_iterator LoginQueue::next() const { return in_turn(free()); }

const LoginJob* LoginQueue::first_waiting() const {
  const auto first = in_turn(limits_.most_under_way + 1);
  return first == waiting_.end() ? nullptr : &*first;
}

size_t LoginQueue::under_way_of(const std::string& host) const {
  return number_of(under_way_, host);
}

LoginJobs::const_iterator LoginQueue::in_turn(size_t fewest) const {
  auto best = waiting_.end();
  const std::string* last = nullptr;  // most neighbours are of one host
  for (auto one = waiting_.begin(); one != waiting_.end() && fewest > 0; ++one) {
    if (last != nullptr && *last == one->host) continue;
    last = &one->host;
    const size_t number = number_of(under_way_, one->host);
    if (number >= fewest) continue;
    best = one;
    fewest = number;
  }
  return best;
}

size_t LoginQueue::takeable() const {
  if (next() == waiting_.end()) return 0;
  return std::min(waiting_.size(), free());
}

LoginJob& LoginQueue::take() {
  under_way_.splice(under_way_.end(), waiting_, next());
  return under_way_.back();
}

void LoginQueue::end(const LoginJob& job) {
  under_way_.remove_if([&job](const LoginJob& one) { return &one == &job; });
}

const LoginJob* LoginQueue::oldest_kept() const {
  return waiting_.size() > takeable() ? &waiting_.front() : nullptr;
}

LoginJobs LoginQueue::take_older_than(std::chrono::steady_clock::time_point time) {
  const auto first = std::find_if(waiting_.begin(), waiting_.end(),
                                  [time](const LoginJob& job) { return job.time >= time; });
  LoginJobs older;
  older.splice(older.end(), waiting_, waiting_.begin(), first);
  return older;
}

LoginJobs LoginQueue::take_all_waiting() { return std::exchange(waiting_, {}); }

}  // namespace hs::server
