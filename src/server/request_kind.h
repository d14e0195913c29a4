// The kinds of requests that are counted and timed apart.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "exec/plan.h"

namespace hs::server {

enum class RequestKind : uint8_t {
  kFind,
  kInsert,  // in all its forms
  kUpdate,  // increments and decrements included
  kDelete,
  kOther,  // opens an index, describes, asks for a GTID, authenticates, or is refused before its table is touched
};
inline constexpr size_t kRequestKinds = 5;

inline RequestKind kind_of(const exec::Plan& plan) {
  if (plan.kind == exec::Plan::Kind::kRead) return RequestKind::kFind;
  if (plan.kind != exec::Plan::Kind::kChange) return RequestKind::kOther;
  switch (plan.access) {
    case engine::Access::kInsert:
    case engine::Access::kInsertIgnore:
    case engine::Access::kUpsert:
    case engine::Access::kReplace:
      return RequestKind::kInsert;
    case engine::Access::kDelete:
      return RequestKind::kDelete;
    case engine::Access::kUpdate:
    case engine::Access::kRead:
      break;
  }
  return RequestKind::kUpdate;
}

constexpr std::string_view name_of(RequestKind kind) {
  constexpr std::string_view kNames[kRequestKinds] = {"find", "insert", "update", "delete",
                                                      "other"};
  return kNames[static_cast<size_t>(kind)];
}

}  // namespace hs::server
