// SPDX-License-Identifier: GPL-2.0-only
// Lets a field judge a value without a trace: what a store would warn of is only returned.
#pragma once

#include "mysql/server_headers.h"

namespace hs::mysql {

class WarningsAside final : public Internal_error_handler {
 public:
  explicit WarningsAside(THD* thd) : thd_(thd), check_(thd->check_for_truncated_fields) {
    // Fields look at all of a value only when they are to warn.
    thd_->check_for_truncated_fields = CHECK_FIELD_WARN;
    thd_->push_internal_handler(this);
  }
  ~WarningsAside() override {
    thd_->pop_internal_handler();
    thd_->check_for_truncated_fields = check_;
  }
  WarningsAside(const WarningsAside&) = delete;
  WarningsAside& operator=(const WarningsAside&) = delete;

  bool handle_condition(THD*, uint, const char*, Sql_condition::enum_severity_level*,
                        const char*) override {
    return true;
  }

 private:
  THD* const thd_;
  const enum_check_fields check_;
};

}  // namespace hs::mysql
