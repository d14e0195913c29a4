// SPDX-License-Identifier: GPL-2.0-only
// What happens when a system variable is set at run time.
//
// The server calls these functions with LOCK_global_system_variables, which every new connection of
// SQL needs. So it is given back while a change may take time. A failure is reported as an error of
// the SET, and the variable stays as it was.
#pragma once

#include "mysql/server_headers.h"
// (before anything else)

namespace hs::mysql {

// The check of every variable that is a text: one with a NUL, which would end it early, is refused.
int check_text(MYSQL_THD, SYS_VAR* variable, void* save, st_mysql_value* value);

// A setting (server/settings.h). T: unsigned or unsigned long long.
template <class T>
void change(MYSQL_THD, SYS_VAR*, void* target, const void* value);

// Where to listen, and on what terms. T: char*, bool, unsigned or unsigned long.
template <class T>
void listen_by(MYSQL_THD, SYS_VAR*, void* target, const void* value);

// How many threads serve.
void serve_by(MYSQL_THD, SYS_VAR*, void* target, const void* value);

// The check of a secret: keeps only its digest for set_secret().
int check_secret(MYSQL_THD, SYS_VAR* variable, void* save, st_mysql_value* value);
template <bool kWrites>
void set_secret(MYSQL_THD, SYS_VAR*, void* target, const void* value);
template <bool kWrites>
void set_secret_file(MYSQL_THD, SYS_VAR*, void* target, const void* value);

void switch_slow_log(MYSQL_THD, SYS_VAR*, void* target, const void* value);
void set_long_query_time(MYSQL_THD, SYS_VAR*, void* target, const void* value);
void set_slow_log_file(MYSQL_THD, SYS_VAR*, void* target, const void* value);

// Closes the connection, before the variable is set. 1: there is none.
int kill_connection(MYSQL_THD, SYS_VAR*, void* save, st_mysql_value* value);
void keep_nothing(MYSQL_THD, SYS_VAR*, void* target, const void* value);

}  // namespace hs::mysql
