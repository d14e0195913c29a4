// SPDX-License-Identifier: GPL-2.0-only
// The only way to the server's private headers. Every file of this folder includes them through
// this one, so that the macros that they need and those that they leave behind are handled once.
// Include it before everything else.
#pragma once

#define MYSQL_SERVER 1

#include <mysql/plugin.h>
#include <mysql/service_my_plugin_log.h>
#include <mysql/service_thd_wait.h>
#include <mysql/thread_pool_priv.h>

#include "my_byteorder.h"
#include "my_systime.h"
#include "sql/binlog.h"
#include "sql/conn_handler/connection_handler_manager.h"
#include "sql/current_thd.h"
#include "sql/derror.h"
#include "sql/field.h"
#include "sql/handler.h"
#include "sql/key.h"
#include "sql/lock.h"
#include "sql/mysqld.h"
#include "sql/mysqld_thd_manager.h"
#include "sql/set_var.h"
#include "sql/sql_audit.h"
#include "sql/sql_base.h"
#include "sql/sql_class.h"
#include "sql/sql_error.h"
#include "sql/sql_lex.h"
#include "sql/sql_thd_internal_api.h"
#include "sql/strfunc.h"
#include "sql/table.h"
#include "sql/transaction.h"
