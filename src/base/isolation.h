// How much a transaction sees of others that run at the same time, as SQL names it.
#pragma once

#include <cstdint>

namespace hs {

enum class Isolation : uint8_t {
  kDefault,  // what the database is set to
  kReadUncommitted,
  kReadCommitted,
  kRepeatableRead,
  kSerializable,
};

}  // namespace hs
