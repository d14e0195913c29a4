// Objects that are one for all who ask by the same key, and live for as long as anybody has them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <utility>

namespace hs::adapter {

// One thread at a time.
template <class T>
class SharedByKey {
 public:
  // The object of this key that somebody still has; null: there is none.
  std::shared_ptr<T> find(const std::string& key) const {
    const auto known = objects_.find(key);
    return known == objects_.end() ? nullptr : known->second.lock();
  }

  // From here on the key means this object.
  void add(std::string key, const std::shared_ptr<T>& object) {
    if (objects_.size() >= sweep_at_) {
      std::erase_if(objects_, [](const auto& entry) { return entry.second.expired(); });
      sweep_at_ = std::max(kFewest, 2 * objects_.size());
    }
    objects_.insert_or_assign(std::move(key), object);
  }

  // Keys that are remembered: at most twice as many as there were objects at one time, or kFewest.
  size_t size() const { return objects_.size(); }

  static constexpr size_t kFewest = 64;

 private:
  std::map<std::string, std::weak_ptr<T>> objects_;
  size_t sweep_at_ = kFewest;
};

}  // namespace hs::adapter
