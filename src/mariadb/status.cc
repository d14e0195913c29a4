// SPDX-License-Identifier: GPL-2.0-only
#include "mariadb/status.h"

namespace hs::mariadb {
namespace {

server::Server* shown_server;
MariaEngine* shown_engine;

int show_number(st_mysql_show_var* variable, void* buffer, uint64_t number) {
  *static_cast<ulonglong*>(buffer) = number;
  variable->type = SHOW_ULONGLONG;
  variable->value = buffer;
  return 0;
}

template <uint64_t server::Statistics::*kMember>
int show(MYSQL_THD, st_mysql_show_var* variable, void* buffer, system_status_var*, enum_var_type) {
  return show_number(variable, buffer,
                     shown_server != nullptr ? shown_server->statistics().*kMember : 0);
}

template <std::atomic<uint64_t> MariaEngine::Counters::*kMember>
int show_table(MYSQL_THD, st_mysql_show_var* variable, void* buffer, system_status_var*,
               enum_var_type) {
  return show_number(variable, buffer,
                     shown_engine != nullptr ? (shown_engine->counters().*kMember).load() : 0);
}

template <class Function>
st_mysql_show_var variable(const char* name, Function* function) {
  return {name, reinterpret_cast<void*>(function), SHOW_FUNC};
}

using Counters = MariaEngine::Counters;
using server::Statistics;

}  // namespace

// The first four are those of the original plugin. The server puts the plugin's name in front of
// each.
st_mysql_show_var status_variables[] = {
    variable("hs_table_open", show_table<&Counters::table_open>),
    variable("hs_table_close", show_table<&Counters::table_close>),
    variable("hs_table_lock", show_table<&Counters::table_lock>),
    variable("hs_table_unlock", show_table<&Counters::table_unlock>),
    variable("connections_accepted", show<&Statistics::connections_accepted>),
    variable("connections_refused", show<&Statistics::connections_refused>),
    variable("connections_open", show<&Statistics::connections_open>),
    variable("connections_timed_out", show<&Statistics::connections_timed_out>),
    variable("connections_killed", show<&Statistics::connections_killed>),
    variable("connections_foreign", show<&Statistics::connections_foreign>),
    variable("tls_accepts", show<&Statistics::tls_accepts>),
    variable("tls_failed", show<&Statistics::tls_failed>),
    variable("logins", show<&Statistics::logins>),
    variable("logins_failed", show<&Statistics::logins_failed>),
    variable("logins_refused", show<&Statistics::logins_refused>),
    variable("logins_timed_out", show<&Statistics::logins_timed_out>),
    variable("requests", show<&Statistics::requests>),
    variable("finds", show<&Statistics::finds>),
    variable("inserts", show<&Statistics::inserts>),
    variable("updates", show<&Statistics::updates>),
    variable("deletes", show<&Statistics::deletes>),
    variable("rows_found", show<&Statistics::rows_found>),
    variable("rows_changed", show<&Statistics::rows_changed>),
    variable("errors", show<&Statistics::errors>),
    variable("errors_server", show<&Statistics::errors_server>),
    variable("errors_request", show<&Statistics::errors_request>),
    variable("errors_authentication", show<&Statistics::errors_authentication>),
    variable("batches", show<&Statistics::batches>),
    variable("commits", show<&Statistics::commits>),
    variable("retries", show<&Statistics::retries>),
    variable("lock_waits", show<&Statistics::lock_waits>),
    variable("parked", show<&Statistics::parked>),
    variable("transactions_begun", show<&Statistics::transactions_begun>),
    variable("transactions_committed", show<&Statistics::transactions_committed>),
    variable("transactions_rolled_back", show<&Statistics::transactions_rolled_back>),
    variable("transactions_lost", show<&Statistics::transactions_lost>),
    variable("transactions_open", show<&Statistics::transactions_open>),
    variable("slow_requests", show<&Statistics::slow_requests>),
    variable("slow_log_dropped", show<&Statistics::slow_log_dropped>),
    variable("handovers", show<&Statistics::handovers>),
    variable("threads", show<&Statistics::threads>),
    variable("memory", show<&Statistics::memory>),
    variable("bytes_received", show<&Statistics::bytes_received>),
    variable("bytes_sent", show<&Statistics::bytes_sent>),
    {nullptr, nullptr, SHOW_UNDEF}};

void show_status_of(server::Server* server, MariaEngine* engine) {
  shown_server = server;
  shown_engine = engine;
}

}  // namespace hs::mariadb
