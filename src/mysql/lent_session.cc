// SPDX-License-Identifier: GPL-2.0-only
#include "mysql/lent_session.h"

#include "sql/item_func.h"
#include "sql/sp_cache.h"

namespace hs::mysql {

void LentSession::lend(const Principal* principal) {
  is_lent_ = true;
  // What ROW_COUNT(), FOUND_ROWS() and LAST_INSERT_ID() tell of the statements before.
  thd_->set_row_count_func(-1);
  thd_->current_found_rows = thd_->previous_found_rows = 0;
  thd_->first_successful_insert_id_in_prev_stmt = 0;
  thd_->first_successful_insert_id_in_cur_stmt = 0;
  remember_variables();
  if (principal == nullptr) return;
  Security_context& context = thd_->m_main_security_ctx;
  own_name_.emplace(Name{{context.user().str, context.user().length}, context.host_or_ip()});
  const LEX_CSTRING user = principal->user();
  const LEX_CSTRING host = principal->host();
  mysql_mutex_lock(&thd_->LOCK_thd_security_ctx);
  context.set_user_ptr(user.str, user.length);
  context.set_host_or_ip_ptr(host.str, static_cast<int>(host.length));
  mysql_mutex_unlock(&thd_->LOCK_thd_security_ctx);
}

bool LentSession::take_back() {
  if (!is_lent_) return false;
  is_lent_ = false;
  if (own_name_) {
    Security_context& context = thd_->m_main_security_ctx;
    mysql_mutex_lock(&thd_->LOCK_thd_security_ctx);
    context.assign_user(own_name_->user.data(), own_name_->user.size());
    context.set_host_or_ip_ptr(own_name_->host.str, static_cast<int>(own_name_->host.length));
    mysql_mutex_unlock(&thd_->LOCK_thd_security_ctx);
    own_name_.reset();
  }
  forget_user_variables();
  if (thd_->temporary_tables != nullptr) (void)close_temporary_tables(thd_);
  if (!thd_->ull_hash.empty()) mysql_ull_cleanup(thd_);
  // After a KILL the server leaves the database of the trigger.
  if (thd_->db().str != nullptr) (void)thd_->set_db(NULL_CSTR);
  thd_->user_time = {};                     // SET timestamp
  thd_->auto_inc_intervals_forced.clear();  // SET insert_id
  for (sp_cache* routines : {thd_->sp_proc_cache, thd_->sp_func_cache})
    sp_cache_enforce_limit(routines, stored_program_cache_size);
  return variables_have_changed();
}

void LentSession::remember_variables() {
  const System_variables& variables = thd_->variables;
  variables_.remember(&variables, sizeof variables);
  plugin_variables_.remember(variables.dynamic_variables_ptr, variables.dynamic_variables_size);
}

bool LentSession::variables_have_changed() const {
  const System_variables& variables = thd_->variables;
  return !variables_.are(&variables, sizeof variables) ||
         !plugin_variables_.are(variables.dynamic_variables_ptr, variables.dynamic_variables_size);
}

// The variables become NULL, as those are that were never set. They stay, since items of routines
// point to them.
void LentSession::forget_user_variables() {
  if (thd_->user_vars.empty()) return;
  mysql_mutex_lock(&thd_->LOCK_thd_data);
  for (const auto& [name, variable] : thd_->user_vars) variable->set_null_value(STRING_RESULT);
  mysql_mutex_unlock(&thd_->LOCK_thd_data);
}

}  // namespace hs::mysql
