// The rows that a find or modify request means, one after the other: operator and key, IN, offset
// and limit. Changes nothing and writes nothing.
//
// Allocates nothing.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "engine/port.h"
#include "protocol/request.h"

namespace hs::exec {

// Key values that a request with IN may have: no server has indexes with more columns.
inline constexpr size_t kMaxInKeyParts = 64;

// Whether `cursor` can be searched as `request` wants. To be asked before a Scan is made. Errors:
// kKeyParts, the request's own, kNotImplemented (filters).
Result<void> check_scan(const protocol::Request& request, const engine::Cursor& cursor);

class Scan {
 public:
  // Both must outlive the Scan.
  Scan(const protocol::Request& request, engine::Cursor& cursor);

  // Moves the cursor onto the next row of the request; false when there is none left. Between two
  // calls the caller may read the row, and update or erase it as far as the cursor allows.
  Result<bool> next();

 private:
  Result<bool> advance();
  Result<bool> advance_in();

  const protocol::Request& request_;
  engine::Cursor& cursor_;
  uint64_t skip_;            // rows still to be passed over
  uint64_t left_;            // rows still to be returned
  size_t in_position_ = 0;   // IN values used so far
  bool positioned_ = false;  // seek() was called
  // With IN: the key, with the current value in its place.
  std::optional<std::array<Value, kMaxInKeyParts>> in_key_;
};

}  // namespace hs::exec
