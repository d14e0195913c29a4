// SPDX-License-Identifier: GPL-2.0-only
// The only way to the server's private headers. Every file of this folder includes them through
// this one, so that the macros that they need and those that they leave behind are handled once.
// Include it before everything else.
#pragma once

#define MYSQL_SERVER 1

#include <my_global.h>
// my_global.h must come first.
#include <mysql/plugin.h>
// (before my_pthread.h)
#include <my_pthread.h>
#include <mysql/psi/mysql_thread.h>
// In a plugin these are macros for calls through a service table. The inline functions of
// wsrep_trans_observer.h need the functions themselves.
#pragma push_macro("MYSQL_DYNAMIC_PLUGIN")
#undef MYSQL_DYNAMIC_PLUGIN
#include <mysql/service_wsrep.h>
#pragma pop_macro("MYSQL_DYNAMIC_PLUGIN")

#include <key.h>
#include <lock.h>
#include <log.h>
#include <mysqld.h>
#include <scheduler.h>
#include <set_var.h>
#include <sp.h>
#include <sp_cache.h>
#include <sp_head.h>
#include <sql_base.h>
#include <sql_cache.h>
#include <sql_class.h>
#include <sql_insert.h>
#include <sql_parse.h>
#include <sql_priv.h>
#include <sql_show.h>
#include <sql_trigger.h>
#include <sql_update.h>
#include <table_cache.h>
#include <transaction.h>
#include <wsrep_mysqld.h>
#include <wsrep_thd.h>
#include <wsrep_trans_observer.h>

// In a plugin these are macros for calls through service tables that the server fills. This plugin
// uses the server's own structures anyway, so it calls the functions themselves.
#undef my_error
#undef my_printf_error
#undef set_thd_proc_info
extern "C" {
void my_error(unsigned int error, unsigned long flags, ...);
void my_printf_error(unsigned int error, const char* format, unsigned long flags, ...);
const char* set_thd_proc_info(MYSQL_THD thd, const char* info, const char* function,
                              const char* file, unsigned int line);
}

#undef min
#undef max
#undef test

// Exported by the server for background threads (sql_class.cc), but declared in no header.
MYSQL_THD create_background_thd();
void destroy_background_thd(MYSQL_THD thd);
void* thd_attach_thd(MYSQL_THD thd);
void thd_detach_thd(void* mysys_variables);
