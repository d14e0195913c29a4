// A variable that has another value while an object lives.
#pragma once

#include <utility>

namespace hs {

// The variable must outlive it. One thread.
template <class T>
class Temporarily {
 public:
  Temporarily(T& variable, T value)
      : variable_(variable), before_(std::exchange(variable, std::move(value))) {}
  ~Temporarily() { variable_ = before_; }
  Temporarily(const Temporarily&) = delete;
  Temporarily& operator=(const Temporarily&) = delete;

  // What it is set back to.
  const T& before() const { return before_; }

 private:
  T& variable_;
  const T before_;
};

}  // namespace hs
