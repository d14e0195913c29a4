// SPDX-License-Identifier: GPL-2.0-only
#include "mariadb/lent_session.h"

#include <utility>

namespace hs::mariadb {

void LentSession::lend(const Principal* principal) {
  is_lent_ = true;
  was_used_ = false;
  mysql_mutex_lock(&thd_->LOCK_thd_data);
  // Routines of other databases change it, and free it then. See ProcessEntry.
  database_ = thd_->db;
  if (database_.str != nullptr) {
    const char* const copy =
        my_strndup(PSI_NOT_INSTRUMENTED, database_.str, database_.length, MYF(0));
    thd_->db = {copy, copy != nullptr ? database_.length : 0};
  }
  Security_context& context = thd_->main_security_ctx;
  if (principal != nullptr) {
    user_ = std::exchange(context.user, principal->user());
    host_ = std::exchange(context.host_or_ip, principal->host());
  }
  mysql_mutex_unlock(&thd_->LOCK_thd_data);
}

bool LentSession::take_back() {
  if (!is_lent_) return false;
  is_lent_ = false;
  mysql_mutex_lock(&thd_->LOCK_thd_data);
  my_free(const_cast<char*>(thd_->db.str));
  thd_->db = database_;
  if (user_ != nullptr) {
    thd_->main_security_ctx.user = std::exchange(user_, nullptr);
    thd_->main_security_ctx.host_or_ip = host_;
  }
  if (was_used_) forget_user_variables();
  mysql_mutex_unlock(&thd_->LOCK_thd_data);
  if (!was_used_) return false;
  if (thd_->has_thd_temporary_tables()) thd_->close_temporary_tables();
  if (thd_->ull_hash.records != 0) mysql_ull_cleanup(thd_);
  thd_->user_time.val = 0;                  // SET timestamp
  thd_->auto_inc_intervals_forced.empty();  // SET insert_id
  return variables_have_changed();
}

void LentSession::remember_variables() {
  was_used_ = true;
  const struct system_variables& variables = thd_->variables;
  variables_.remember(&variables, sizeof variables);
  plugin_variables_.remember(variables.dynamic_variables_ptr, variables.dynamic_variables_size);
}

bool LentSession::variables_have_changed() const {
  const struct system_variables& variables = thd_->variables;
  return !variables_.are(&variables, sizeof variables) ||
         !plugin_variables_.are(variables.dynamic_variables_ptr, variables.dynamic_variables_size);
}

// The variables become NULL, as those are that were never set. They stay, since items of routines
// point to them.
void LentSession::forget_user_variables() {
  for (ulong i = 0; i < thd_->user_vars.records; ++i) {
    auto* const entry = reinterpret_cast<user_var_entry*>(my_hash_element(&thd_->user_vars, i));
    const char* const inside = reinterpret_cast<char*>(entry) + ALIGN_SIZE(sizeof(user_var_entry));
    if (entry->value != nullptr && entry->value != inside) my_free(entry->value);
    entry->value = nullptr;
    entry->length = 0;
  }
}

}  // namespace hs::mariadb
