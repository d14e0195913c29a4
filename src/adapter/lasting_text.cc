#include "adapter/lasting_text.h"

#include <set>

#include "base/mutex.h"

namespace hs::adapter {

const char* lasting_text(const std::string& words) {
  static Mutex mutex;
  // Not freed at the end of the process or of the library, either.
  static auto* const texts = new std::set<std::string>;
  const MutexLock lock(mutex);
  return texts->insert(words).first->c_str();
}

}  // namespace hs::adapter
