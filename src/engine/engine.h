// The engine interface: all that the rest of the program knows of a database server.
//
// Interfaces only. src/mariadb/ implements them on a real server, src/testing/ in memory. Above
// them, exec/ gives requests their meaning and server/ groups requests into batches.
//
//   Session  a place in the database: a transaction, and tables kept open
//   Cursor   one opened index (table, index, columns) on one session: positions, reads and
//            changes of rows
//
// The order of calls on a session:
//
//   ( enter
//     ( ( open | describe )*
//       ( cursor  begin_request
//         ( seek  next  row | insert | put | update | erase )*
//         ( end_request | undo_request ) )*
//       commit  after_batch )*
//     leave )*
//
// and release() when the thread is about to idle. A session is not a thread: between two requests
// it may leave one thread and enter another, with all that it has, even in the middle of a
// transaction.
//
// A session may also keep its transaction over many batches, for one client:
//
//   begin_transaction
//     ( enter  act_for
//       ( cursor  begin_request ... | open | set_savepoint | roll_back_to )*
//       leave )*
//     enter ( commit | rollback )  after_batch  leave
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "base/result.h"
#include "engine/account.h"
#include "engine/session.h"

namespace hs::engine {

// What the session may do. A kReadWrite session locks the rows it finds as SELECT ... FOR UPDATE
// does.
enum class Mode : uint8_t { kReadOnly, kReadWrite };

// Makes sessions, which must not outlive it.
class Engine {
 public:
  virtual ~Engine() = default;

  // Any thread: a new session, in no thread yet. `name` is what the server's process list shows.
  // Null when the server cannot make one.
  virtual std::unique_ptr<Session> make_session(Mode mode, std::string_view name) = 0;

  // On a thread with no session in it: logs in to an account, as the database decides. It may take
  // long: the database may ask other servers. Error: kUnauthorized, whatever the reason.
  virtual Result<AccountPtr> log_in(const Credentials& /*credentials*/) {
    return ErrorCode::kUnauthorized;
  }

  // Any thread: the database shuts down. A login that waits for its client is to end.
  virtual bool is_stopping() const { return false; }

  // Blocks until the database is ready to open tables. False: it never will be, since it shuts
  // down.
  virtual bool wait_until_ready() = 0;

  // Any thread: how many file descriptors the database may come to need for itself (its own
  // clients, tables, logs).
  virtual uint64_t wanted_descriptors() const { return 0; }

  // Any thread: the database takes changes from accounts with a special privilege only.
  virtual bool is_read_only() const { return false; }
};

}  // namespace hs::engine
