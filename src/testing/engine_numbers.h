#pragma once

// The numbers by which a storage engine names its errors (the server's my_base.h), as Error::engine takes them.
namespace hs::testing {

inline constexpr int kDuplicateKey = 121;
inline constexpr int kRecordDeleted = 134;
inline constexpr int kLockWaitTimeout = 146;
inline constexpr int kAutoIncrementFailed = 167;

}  // namespace hs::testing
