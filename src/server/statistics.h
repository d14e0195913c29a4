// The server's counters. Each thread counts for itself without locks; statistics() adds them up.
#pragma once

#include <cstdint>

namespace hs::server {

struct Statistics {
  uint64_t connections_accepted = 0;
  uint64_t connections_refused = 0;  // over max_connections, or no descriptor was left
  uint64_t connections_open = 0;     // at present
  uint64_t connections_timed_out = 0;
  uint64_t connections_killed = 0;   // by the operator
  uint64_t connections_foreign = 0;  // closed because they spoke another protocol
  uint64_t tls_accepts = 0;          // TLS handshakes that succeeded
  uint64_t tls_failed = 0;           // connections that began TLS and did not finish the handshake
  uint64_t logins = 0;               // to an account of the database
  uint64_t logins_failed = 0;        // refused by the database
  uint64_t logins_refused = 0;       // without asking the database, since too many waited
  uint64_t logins_timed_out = 0;     // connections closed before they had authenticated
  uint64_t requests = 0;
  // Requests on an opened index that were answered, with success or an error of the table's.
  uint64_t finds = 0;
  uint64_t inserts = 0;
  uint64_t updates = 0;  // increments and decrements included
  uint64_t deletes = 0;
  uint64_t rows_found = 0;    // returned by finds
  uint64_t rows_changed = 0;  // inserted, updated and deleted
  uint64_t errors = 0;        // replies that are an error, and by ErrorKind
  uint64_t errors_server = 0;
  uint64_t errors_request = 0;
  uint64_t errors_authentication = 0;
  uint64_t batches = 0;     // groups of requests executed together
  uint64_t commits = 0;     // commits of batches that had changed something
  uint64_t retries = 0;     // requests executed again, alone, after a deadlock undid their group
  uint64_t lock_waits = 0;  // requests that waited for a lock, in a thread
  uint64_t parked = 0;      // how often a request that had to wait for a lock was set aside
  uint64_t transactions_begun = 0;  // by clients
  uint64_t transactions_committed = 0;
  uint64_t transactions_rolled_back = 0;  // by the client, or because its connection ended
  uint64_t transactions_lost = 0;  // ended by the server: deadlock, kill, idle, or DDL waited
  uint64_t transactions_open = 0;  // at present
  uint64_t slow_requests = 0;      // while the slow log was on
  uint64_t slow_log_dropped = 0;   // of these: not written
  uint64_t handovers = 0;          // how often a leader that waited or worked long lost the lead
  uint64_t threads = 0;            // that execute or stand by at present
  uint64_t memory = 0;             // bytes that connections hold at present (see Memory)
  uint64_t bytes_received = 0;
  uint64_t bytes_sent = 0;
};

}  // namespace hs::server
