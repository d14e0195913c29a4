// One request on a session: begun, and undone unless its end was reached.
#pragma once

#include "engine/engine.h"

namespace hs::exec {

class RequestScope {
 public:
  explicit RequestScope(engine::Session& session) : session_(session) {}
  RequestScope(const RequestScope&) = delete;
  RequestScope& operator=(const RequestScope&) = delete;
  ~RequestScope() {
    if (begun_) session_.undo_request();
  }

  // The cursor of `spec`, its table locked for `access` to so many rows. Call once.
  Result<engine::Cursor*> begin(const engine::IndexSpecPtr& spec, engine::Access access,
                                engine::Rows rows) {
    Result<engine::Cursor*> cursor = session_.cursor(spec);
    if (!cursor) return cursor;
    if (Result<void> begun = session_.begin_request(**cursor, access, rows); !begun) {
      return std::move(begun.error());
    }
    begun_ = true;
    return cursor;
  }

  // Keeps what was done. On error it is undone.
  Result<void> end() {
    begun_ = false;
    return session_.end_request();
  }

 private:
  engine::Session& session_;
  bool begun_ = false;
};

}  // namespace hs::exec
