// A place in the database: a transaction, and tables kept open. engine.h has the order of calls.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "base/isolation.h"
#include "base/result.h"
#include "base/value.h"
#include "engine/account.h"
#include "engine/cursor.h"
#include "engine/gtid.h"
#include "mapping/tables.h"

namespace hs::engine {

// How a session reaches the thread that it is in. The functions must not block, allocate, throw or
// call the session. They must be callable until the session leaves the thread. Null ones are not
// called.
struct SessionEvents {
  void* context = nullptr;  // passed to each function

  // Any thread: the session wants attention (shutdown, KILL) while its thread waits for the
  // network.
  void (*wake)(void* context) = nullptr;

  // The session's thread, from inside a call on it: the thread is about to wait, or has waited. The
  // two calls come in pairs, and pairs may nest.
  enum class Wait : uint8_t {
    kRead,   // a page is read: as a rule a fraction of a millisecond
    kOther,  // a lock or the log: it may be over at once, or take seconds
  };
  void (*wait_begins)(void* context, Wait what) = nullptr;
  void (*wait_ends)(void* context) = nullptr;

  // The session's thread, from inside a call on it: the call does as much extra work as going to so
  // many rows takes, beyond the one row that it is about. Called repeatedly while the work goes on.
  void (*works)(void* context, uint32_t rows) = nullptr;
};

// What is to be described: all databases, the tables of a database, or the columns or the indexes of
// a table. Empty: not given.
struct Described {
  std::string_view database, table;
  bool of_indexes = false;
};

// Takes the rows of a description.
class DescriptionRows {
 public:
  virtual ~DescriptionRows() = default;
  // `values` are valid during the call. False: no more rows are wanted. May throw std::bad_alloc.
  virtual bool take(std::span<const Value> values) = 0;
};

// How a transaction is begun that a client ends.
struct TransactionOptions {
  Isolation isolation = Isolation::kDefault;
  bool reads_only = false;
};

// Savepoints of one transaction, and bytes of a savepoint's name.
inline constexpr size_t kMaxSavepoints = 1000;
inline constexpr size_t kMaxSavepointName = 256;

class Session : public mapping::Tables {
 public:
  // Loses what is uncommitted, and gives back every table. The session is in no thread, and any
  // thread may call it; or the session is in the calling thread, and leaves it.
  ~Session() override = default;

  // A session is made in no thread. From enter() to leave() it is in the calling thread. All other
  // calls on it and on its cursors come from that thread. Another session may enter the thread
  // meanwhile. Until that one has left, no call is made on this one, but is_open(), can_undo() and
  // has_uncommitted_changes().
  // In no thread it keeps what it has: its transaction, its tables and their locks, its cursors.
  // The caller orders a leave() in one thread before the enter() in another (by a mutex, for
  // example).
  //
  // In no thread only should_stop(), enter() and the destructor may be called, and the session
  // wakes nothing. A KILL or shutdown that comes meanwhile takes effect when the session enters
  // again: a request is interrupted then, or should_stop() is true. The server does not shut down
  // as long as the session lives, so its owner must look at should_stop() now and then.
  virtual void enter(SessionEvents events) = 0;
  // Between two requests. No event is called from here on.
  virtual void leave() = 0;

  // For which account open(), cursor() and the requests from here on are made. It must live until
  // they have ended. Null, as at first: for none, and nothing is denied.
  virtual void act_for(const Account* /*account*/) {}

  // What the account of act_for() may do with this cursor's spec, as of half a second ago at most.
  // Valid until the next call on the session.
  virtual const Rights& rights(Cursor& /*cursor*/) { return kAllRights; }

  // Looks the spec's names up, which opens the table. Errors: kOpenTable, kIndex, kColumn,
  // kUnsupportedTable. Not inside a request. What the batch has done before must be committed
  // first.
  virtual Result<void> open(const IndexSpecPtr& spec) = 0;

  // Gives `rows` what there is, as far as the account of act_for() sees it:
  //
  //   databases  name
  //   tables     name, comment
  //   columns    name, type, nullable (YES or NO), key (PRI, UNI, MUL or empty), default (an
  //              expression of SQL, or NULL), extra, character set (or NULL), comment
  //   indexes    index, position from 1 on, column, unique (1 or 0), direction (A, D, or NULL: the
  //              index has no order), prefix length in characters (or NULL: the whole column)
  //
  // Databases and tables come in the order of their names' bytes, columns and indexes in the
  // table's. No table stays open or locked, and while `rows` takes a row, none is. Not inside a
  // request, and what the batch has done before must be committed first. Errors: kOpenTable when
  // there is no such database or table, or none that has columns of its own; kLockTables.
  virtual Result<void> describe(const Described& what, DescriptionRows& rows) = 0;

  // The cursor of an opened spec, reopened by name when the table has changed since. Owned by the
  // session, valid until commit(). Errors: those of open(), and kLockTables.
  virtual Result<Cursor*> cursor(const IndexSpecPtr& spec) = 0;

  // True when cursor() need not open a table. Opening one may need a lock of another session, which
  // a session must not wait for while it holds row locks: commit changes first when this is false.
  // Otherwise cursor() fails with kLockTables where it would have to wait. Before it opens a table,
  // cursor() commits what was only read.
  virtual bool is_open(const IndexSpecPtr& spec) const = 0;

  // False when the opened table keeps its changes even if the request is undone or rolled back,
  // since its engine has no transactions. A request that changes it cannot be executed again.
  virtual bool can_undo(const IndexSpecPtr& spec) const = 0;

  // Starts one request on `cursor`: locks its table as `access` needs. Consecutive requests with
  // the same cursor and access that change one row at most may share a statement of the database.
  // Errors: kLockTables, kEngine, kSql; transaction_lost() may be true then. After an error neither
  // end_request() nor undo_request() is called.
  virtual Result<void> begin_request(Cursor& cursor, Access access, Rows rows) = 0;

  // On a kReadWrite session, outside of a client's transaction: whether requests that only read are
  // plain reads from here on. They lock no row, and see what is committed and what this batch has
  // changed, as it was at some moment since end_view().
  virtual void set_reads_view(bool /*reads_view*/) {}
  // On a kReadWrite session: whether from here on what was read stays locked until commit() or
  // rollback(), since what is written next depends on it. Else cursor() lets it go when it must open
  // a table and nothing was changed.
  virtual void set_keeps_locks(bool /*keeps_locks*/) {}
  // Between two requests: those that come arrived later than those before, so what they see may be no
  // older than this call.
  virtual void end_view() {}

  // Ends the request, keeping its changes for commit(). On error its changes are undone.
  virtual Result<void> end_request() = 0;

  // Ends the request and undoes its changes. Changes of other requests stay, unless
  // transaction_lost() is true afterwards.
  virtual void undo_request() = 0;

  // True after open(), describe(), or a request from cursor() on, failed for one of two reasons:
  // it needs a lock that another session holds (of a row, of a table, or of a table's
  // definition), or it needs tables to be opened anew, which is only done while nothing is held.
  // Outside begin_waiting() no call waits for such a lock. The request is to be tried again:
  // later, or at once with begin_waiting(). Reset by open(), describe(), cursor(), commit() and
  // rollback().
  virtual bool must_wait() const = 0;
  // How long, in ms, a request may wait for the lock that must_wait() is about, before its error
  // stands.
  virtual uint32_t patience_ms() const = 0;

  // From here to end_waiting() calls wait for locks, each for at most `most_ms` (in whole seconds,
  // rounded up) and at most patience_ms(). Nothing may be uncommitted. The session may give back
  // tables that it keeps open, so that it does not hold them while it waits for another one.
  virtual void begin_waiting(uint32_t most_ms) = 0;
  virtual void end_waiting() = 0;

  // True after the whole transaction was rolled back (deadlock), or when it must be, since one
  // request cannot be undone alone: the changes of earlier requests of this batch are gone, too.
  // Also true after a commit() that failed and may succeed for each request alone. Reset by
  // rollback().
  virtual bool transaction_lost() const = 0;
  // Whether it was lost to a transaction of another server of a cluster. That may happen often, and
  // the next try may succeed at once. Until the next begin_request().
  virtual bool gave_way() const { return false; }
  // After a commit() that failed: whether nobody can tell if it was done, since the server lost its
  // cluster meanwhile. Until the next begin_request().
  virtual bool is_outcome_unknown() const { return false; }

  // --- a transaction that lasts until the client ends it ---
  //
  // Begins one on a session that has done nothing since the last commit(). Until commit() or
  // rollback(), which end it:
  //
  //   * Each request is a statement of its own, and one that fails is undone alone. Reads lock only
  //     what the isolation level says, on a kReadWrite session, too.
  //   * No call commits or gives back tables, and neither release(), describe() nor after_batch() is
  //     called. open() and cursor() keep what was done before.
  //   * begin_waiting() may be called although there are changes. The session then waits while it
  //     holds locks.
  //   * A change of a table that can_undo() is false for is refused with kUnsupportedTable.
  //   * transaction_lost() is also true after the server has told the session to end (KILL). Then
  //     only rollback() may follow.
  //   * commit() may fail because the database has become read-only. It ends the transaction then,
  //     too.
  virtual Result<void> begin_transaction(const TransactionOptions& /*options*/) {
    return ErrorCode::kNotImplemented;
  }
  // Whether begin_transaction() can succeed at present.
  virtual bool takes_transactions() const { return true; }
  // Inside a request that only reads: whether a second search finds the same rows as the first. Not
  // so when it reads what is not committed.
  virtual bool reads_again_alike() const { return true; }
  // False: a request that does not get a lock at once may lose the whole transaction, so none is to
  // be executed outside of begin_waiting(). How long it may wait, patience_ms() says then.
  virtual bool may_try() const { return true; }
  // Between two requests. The name is an identifier of SQL in UTF-8. Names are compared as SQL does,
  // and one that is there already is set anew. Errors: kTooManySavepoints, kSql (an unknown name; the log has no room).
  virtual Result<void> set_savepoint(std::string_view /*name*/) {
    return ErrorCode::kNotImplemented;
  }
  // Undoes what was done since set_savepoint(), and forgets the savepoints that were set since.
  virtual Result<void> roll_back_to(std::string_view /*name*/) {
    return ErrorCode::kNotImplemented;
  }

  // Makes everything since the last commit() visible, and as durable as the server's settings
  // demand. On error nothing of it happened. Cheap when nothing was done.
  virtual Result<void> commit() = 0;

  // Undoes everything since the last commit().
  virtual void rollback() = 0;

  // The name of what the last commit() has made visible. Empty when there was no change, or it is in
  // no binary log. Valid until the next call but this one.
  virtual Gtid last_gtid() const = 0;
  // Whether the server writes a binary log, so that changes have names.
  virtual bool has_binary_log() const = 0;
  // Whether all these transactions are in the tables of this server, for every session that looks
  // from here on. `gtids`: as the database writes a position; none are always there. Never waits.
  // For a first look at them `mark` is empty; later ones pass on what the earlier ones have left in
  // it. Error: kGtid, it is no position.
  virtual Result<bool> has_applied(std::string_view gtids, GtidMark& mark) = 0;

  // True when something was done since the last commit() that rollback() would lose.
  virtual bool has_uncommitted_changes() const = 0;

  // Between two batches: gives its tables back when another session waits for one of them (ALTER,
  // DROP, FLUSH, a backup). True when tables are still held open afterwards, so that release() is
  // due before the thread idles.
  virtual bool after_batch() = 0;

  // True when another session waits for a table of this one. May be called in the middle of a
  // request.
  virtual bool is_waited_for() const = 0;

  // Gives back every table and lock. Cursors are reopened on their next use.
  virtual void release() = 0;

  // The running request takes long: from now on the server's process list shows it.
  virtual void takes_long() {}

  // Any thread, while the session is in a thread: what it waits for or works at ends with an error,
  // as soon as it can. Requests that follow before forget_interrupt() or after_batch() may fail, too.
  virtual void interrupt() {}
  // The request that was to be interrupted has ended: those that follow are not.
  virtual void forget_interrupt() {}

  // True when the server told the session to end (shutdown). The thread that it is in then closes
  // its connections and ends the session. In no thread, any thread may ask.
  virtual bool should_stop() const = 0;
};

}  // namespace hs::engine
