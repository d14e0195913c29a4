// The requests of a session that were counted in the limits of their accounts, as long as they may
// still be executed again: such a request counts once.
#pragma once

#include <vector>

namespace hs::adapter {

// `Account` has `take_back(Command) const`. Each account must live until its requests are taken back
// or forgotten.
template <typename Account, typename Command>
class CountedRequests {
 public:
  // May throw std::bad_alloc.
  void add(const Account& account, Command command) { counted_.push_back({&account, command}); }
  // The last one, or each since forget(), will be executed again.
  void take_back_last() {
    if (counted_.empty()) return;
    counted_.back().account->take_back(counted_.back().command);
    counted_.pop_back();
  }
  void take_back_all() {
    while (!counted_.empty()) take_back_last();
  }
  void forget() { counted_.clear(); }

 private:
  struct Counted {
    const Account* account;
    Command command;
  };
  std::vector<Counted> counted_;
};

}  // namespace hs::adapter
