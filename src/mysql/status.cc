// SPDX-License-Identifier: GPL-2.0-only
#include "mysql/status.h"

#include <cstring>

namespace hs::mysql {
namespace {

server::Server* shown_server;
MysqlEngine* shown_engine;

int show_number(SHOW_VAR* variable, char* buffer, uint64_t number) {
  std::memcpy(buffer, &number, sizeof number);
  variable->type = SHOW_LONGLONG;
  variable->value = buffer;
  return 0;
}

template <uint64_t server::Statistics::*kMember>
int show(MYSQL_THD, SHOW_VAR* variable, char* buffer) {
  return show_number(variable, buffer,
                     shown_server != nullptr ? shown_server->statistics().*kMember : 0);
}

template <std::atomic<uint64_t> MysqlEngine::Counters::*kMember>
int show_table(MYSQL_THD, SHOW_VAR* variable, char* buffer) {
  return show_number(variable, buffer,
                     shown_engine != nullptr ? (shown_engine->counters().*kMember).load() : 0);
}

template <class Function>
SHOW_VAR variable(const char* name, Function* function) {
  return {name, reinterpret_cast<char*>(function), SHOW_FUNC, SHOW_SCOPE_GLOBAL};
}

using Counters = MysqlEngine::Counters;
using server::Statistics;

}  // namespace

// The first four are those of the original plugin.
SHOW_VAR status_variables[] = {
    variable("Handlersocket_hs_table_open", show_table<&Counters::table_open>),
    variable("Handlersocket_hs_table_close", show_table<&Counters::table_close>),
    variable("Handlersocket_hs_table_lock", show_table<&Counters::table_lock>),
    variable("Handlersocket_hs_table_unlock", show_table<&Counters::table_unlock>),
    variable("Handlersocket_connections_accepted", show<&Statistics::connections_accepted>),
    variable("Handlersocket_connections_refused", show<&Statistics::connections_refused>),
    variable("Handlersocket_connections_open", show<&Statistics::connections_open>),
    variable("Handlersocket_connections_timed_out", show<&Statistics::connections_timed_out>),
    variable("Handlersocket_connections_killed", show<&Statistics::connections_killed>),
    variable("Handlersocket_connections_foreign", show<&Statistics::connections_foreign>),
    variable("Handlersocket_tls_accepts", show<&Statistics::tls_accepts>),
    variable("Handlersocket_tls_failed", show<&Statistics::tls_failed>),
    variable("Handlersocket_logins", show<&Statistics::logins>),
    variable("Handlersocket_logins_failed", show<&Statistics::logins_failed>),
    variable("Handlersocket_logins_refused", show<&Statistics::logins_refused>),
    variable("Handlersocket_logins_timed_out", show<&Statistics::logins_timed_out>),
    variable("Handlersocket_requests", show<&Statistics::requests>),
    variable("Handlersocket_finds", show<&Statistics::finds>),
    variable("Handlersocket_inserts", show<&Statistics::inserts>),
    variable("Handlersocket_updates", show<&Statistics::updates>),
    variable("Handlersocket_deletes", show<&Statistics::deletes>),
    variable("Handlersocket_rows_found", show<&Statistics::rows_found>),
    variable("Handlersocket_rows_changed", show<&Statistics::rows_changed>),
    variable("Handlersocket_errors", show<&Statistics::errors>),
    variable("Handlersocket_errors_server", show<&Statistics::errors_server>),
    variable("Handlersocket_errors_request", show<&Statistics::errors_request>),
    variable("Handlersocket_errors_authentication", show<&Statistics::errors_authentication>),
    variable("Handlersocket_batches", show<&Statistics::batches>),
    variable("Handlersocket_commits", show<&Statistics::commits>),
    variable("Handlersocket_retries", show<&Statistics::retries>),
    variable("Handlersocket_lock_waits", show<&Statistics::lock_waits>),
    variable("Handlersocket_parked", show<&Statistics::parked>),
    variable("Handlersocket_transactions_begun", show<&Statistics::transactions_begun>),
    variable("Handlersocket_transactions_committed", show<&Statistics::transactions_committed>),
    variable("Handlersocket_transactions_rolled_back", show<&Statistics::transactions_rolled_back>),
    variable("Handlersocket_transactions_lost", show<&Statistics::transactions_lost>),
    variable("Handlersocket_transactions_open", show<&Statistics::transactions_open>),
    variable("Handlersocket_slow_requests", show<&Statistics::slow_requests>),
    variable("Handlersocket_slow_log_dropped", show<&Statistics::slow_log_dropped>),
    variable("Handlersocket_handovers", show<&Statistics::handovers>),
    variable("Handlersocket_threads", show<&Statistics::threads>),
    variable("Handlersocket_memory", show<&Statistics::memory>),
    variable("Handlersocket_bytes_received", show<&Statistics::bytes_received>),
    variable("Handlersocket_bytes_sent", show<&Statistics::bytes_sent>),
    {nullptr, nullptr, SHOW_UNDEF, SHOW_SCOPE_GLOBAL}};

void show_status_of(server::Server* server, MysqlEngine* engine) {
  shown_server = server;
  shown_engine = engine;
}

}  // namespace hs::mysql
