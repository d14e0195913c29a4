#include "mapping/containers.h"

#include <algorithm>

namespace hs::mapping {

const Container* Containers::standard() const {
  const auto named = std::find_if(all.begin(), all.end(),
                                  [](const Container& one) { return one.name == "default"; });
  if (named != all.end()) return &*named;
  return all.empty() ? nullptr : &all.front();
}

}  // namespace hs::mapping
