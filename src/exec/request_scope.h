// One request on a session. It is begun here, and undone unless its end is reached.
#pragma once

#include "base/assert.h"
#include "engine/session.h"
#include "exec/plan.h"
#include "exec/privileges.h"

namespace hs::exec {

class RequestScope {
 public:
  explicit RequestScope(engine::Session& session) : session_(session) {}
  RequestScope(const RequestScope&) = delete;
  RequestScope& operator=(const RequestScope&) = delete;
  ~RequestScope() {
    if (begun_) session_.undo_request();
  }

  // The cursor of the plan's index, with its table locked as the plan says, if the account that the
  // session acts for may do what the request asks. Call once.
  Result<engine::Cursor*> begin(const Plan& plan, const protocol::Request& request) {
    HS_ASSERT(!begun_);
    Result<engine::Cursor*> cursor = session_.cursor(*plan.spec);
    if (!cursor) return cursor;
    if (plan.for_account) {
      if (auto denied = denial(plan, request, session_.rights(**cursor))) return *std::move(denied);
    }
    Result<void> begun = session_.begin_request(**cursor, plan.access, plan.rows);
    if (!begun) {
      return std::move(begun.error());
    }
    begun_ = true;
    return cursor;
  }

  // Keeps the changes. On error they are undone. Only after begin().
  Result<void> end() {
    HS_ASSERT(begun_);
    begun_ = false;
    return session_.end_request();
  }

 private:
  engine::Session& session_;
  bool begun_ = false;
};

}  // namespace hs::exec
