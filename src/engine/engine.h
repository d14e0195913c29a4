// The engine interface: all that the rest of the program knows of a database server.
//
// What lives here: interfaces only. src/mariadb/ implements them on a real server, src/testing/ in
// memory. Above it, exec/ gives requests their meaning and server/ groups them into batches.
//
//   Session  a place in the database: a transaction, and tables kept open
//   Cursor   one opened index (table, index, columns) on one session: positions, reads and
//            changes of rows
//
// The order of calls on a session:
//
//   ( enter
//     ( open*
//       ( cursor  begin_request
//         ( seek  next  row | insert | update | erase )*
//         ( end_request | undo_request ) )*
//       commit  after_batch )*
//     leave )*
//
// and release() when the thread is about to idle. A session is no thread: between two requests it
// may leave one and enter another, with all that it has, also in the middle of a transaction.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/operator.h"
#include "base/result.h"
#include "base/value.h"

namespace hs::engine {

// What an index id of a connection stands for: names only, so that it survives ALTER TABLE and
// moves between sessions. Immutable once made; connections that open the same thing share one
// object (see exec/open.h), and sessions find their Cursor by its address.
struct IndexSpec {
  std::string database;
  std::string table;
  std::string index;                 // empty = PRIMARY; digits that name none = number of the index
  std::vector<std::string> columns;  // returned by finds, set by changes; may repeat, may be empty
  std::vector<std::string> filter_columns;  // addressed by filters

  bool operator==(const IndexSpec&) const = default;
};
using IndexSpecPtr = std::shared_ptr<const IndexSpec>;

// What one request does to the rows; decides locks, privileges and how it is logged.
enum class Access : uint8_t { kRead, kInsert, kUpdate, kDelete };

// How many rows a request may change at most.
enum class Rows : uint8_t { kOne, kMany };

// Which port the session serves. A kReadWrite session locks the rows it finds as SELECT ... FOR
// UPDATE does.
enum class Mode : uint8_t { kReadOnly, kReadWrite };

class Cursor {
 public:
  virtual ~Cursor() = default;

  virtual size_t key_parts() const = 0;  // columns of the index that a key may give, at least 1
  virtual size_t columns() const = 0;    // IndexSpec::columns.size()

  // True when the text of a column is its exact number, so that `+` and `-` can count on it:
  // integers, DECIMAL, and text. Not FLOAT, whose text is rounded, nor BIT, ENUM or dates.
  virtual bool is_countable(size_t column) const = 0;

  // Positions on the first row for which `index <op> key` holds, in index order (descending for
  // kLess and kLessOrEqual). key.size() is 1..key_parts(): fewer values than key parts make a
  // prefix key. True: on a row; false: there is none. A key value that the column cannot hold
  // equals no row; as the last one of a range that changes nothing it is the bound that SQL's
  // comparison makes of it. Errors: kOperator, kSql (SQL does not compare the two).
  virtual Result<bool> seek(KeyOperator op, std::span<const Value> key) = 0;

  // Moves to the next row of the last seek. With kEqual only rows with the same key (prefix)
  // follow.
  virtual Result<bool> next() = 0;

  // The opened columns of the current row as text, as SELECT prints them. Valid until the next call
  // on this cursor. An error when a value cannot be read.
  virtual Result<std::span<const Value>> row() = 0;

  // Conditions on the opened filter columns, for passes(). The values are converted to the columns'
  // types once, here. They compare as the column does (its collation, its type); NULL equals NULL
  // and is less than everything else. A value that the column cannot hold still compares as in SQL.
  // Replaces the filters of before; an empty span removes them. The span and its values are not
  // used after the call. Errors: kFilterBlob, kSql (the value cannot be compared with the column).
  struct Filter {
    size_t column = 0;  // position in IndexSpec::filter_columns
    FilterOperator op = FilterOperator::kEqual;
    Value value;
  };
  virtual Result<void> set_filters(std::span<const Filter> filters) = 0;

  // True when the current row meets filter `number` of set_filters().
  virtual bool passes(size_t number) = 0;

  // A name for the current row by which seek_position() finds it again in the same request, even
  // when its key has changed since. The bytes are valid until the next call on this cursor; copy
  // them.
  virtual std::string_view position() = 0;

  // Back onto a row named by position() during the last seek. False: it is gone, or its key is no
  // longer one that the seek would find.
  virtual Result<bool> seek_position(std::string_view position) = 0;

  struct Inserted {
    bool has_auto_increment = false;  // of the table
    uint64_t generated_id = 0;        // 0 when the client gave the value itself
  };

  // Adds a row: values[i] goes to column i of the spec, all other columns get what SQL gives them.
  // At most columns() values; fewer leave the rest of the columns to their defaults. Nothing is
  // changed on error.
  virtual Result<Inserted> insert(std::span<const Value> values) = 0;

  // Sets columns of the current row; the others stay as they are, or get what SQL gives them on an
  // update. Assigning one column twice leaves the later value. Nothing is changed on error.
  struct Assignment {
    size_t column = 0;  // position in IndexSpec::columns
    Value value;
    // Was counted from what the column has: it must not leave the range of whole numbers, however
    // lenient the server is with values that are given.
    bool is_sum = false;
  };
  virtual Result<void> update(std::span<const Assignment> assignments) = 0;

  // Deletes the current row.
  virtual Result<void> erase() = 0;
};

// How a session reaches the one that uses it. The functions must not block, allocate, throw or call
// the session, and be callable until it leaves the thread; null ones are not called.
struct SessionEvents {
  void* context = nullptr;  // given to each

  // Any thread: the session wants attention while its thread waits for the network (shutdown,
  // KILL).
  void (*wake)(void* context) = nullptr;

  // The session's thread, from inside a call on it: the thread is about to wait, and has waited.
  // They come in pairs, which may nest.
  enum class Wait : uint8_t {
    kRead,   // a page is read: as a rule a fraction of a millisecond
    kOther,  // a lock or the log: it may be over at once, or take seconds
  };
  void (*wait_begins)(void* context, Wait what) = nullptr;
  void (*wait_ends)(void* context) = nullptr;

  // The session's thread, from inside a call on it: that does as much work as going to so many rows
  // takes, beyond the one row that it is about. Called time and again, if it is much.
  void (*works)(void* context, uint32_t rows) = nullptr;
};

class Session {
 public:
  // Loses what is uncommitted, and gives back every table. Called in no thread, by any; or by the
  // thread that the session is in, which it leaves.
  virtual ~Session() = default;

  // A session is made in no thread. From enter() to leave() it is in the calling one, all other
  // calls on it and its cursors come from there, and no other session enters that thread. In no
  // thread it keeps what it has: its transaction, its tables and their locks, its cursors. Whoever
  // lets it leave one thread and enter another puts the two calls in order (by a mutex, say).
  //
  // In no thread only should_stop(), enter() and the destructor may be called, and the session
  // wakes nothing. What it was told meanwhile (KILL, shutdown) it knows when it enters again: a
  // request is interrupted then, or should_stop() is true. The server does not shut down as long
  // as it lives, so its owner looks at should_stop() now and then.
  virtual void enter(SessionEvents events) = 0;
  // Between two requests. No event is called from here on.
  virtual void leave() = 0;

  // Looks the spec's names up (opening the table). Errors: kOpenTable, kIndex, kColumn,
  // kUnsupportedTable. Not inside a request; what was done before in this batch must be committed
  // first.
  virtual Result<void> open(const IndexSpecPtr& spec) = 0;

  // The cursor of an opened spec, reopened by name when the table changed since; owned by the
  // session and valid until commit(). Errors as open(), and kLockTables.
  virtual Result<Cursor*> cursor(const IndexSpecPtr& spec) = 0;

  // True when cursor() need not open a table. Opening may have to wait for others, which nobody
  // should do while he holds row locks: commit first when this is false. Else cursor() does not
  // wait (kLockTables), and what was only read is committed by it.
  virtual bool is_open(const IndexSpecPtr& spec) const = 0;

  // False when the opened table keeps what was changed in it whatever is undone or rolled back: its
  // engine has no transactions. Requests that change it cannot be executed again.
  virtual bool can_undo(const IndexSpecPtr& spec) const = 0;

  // Starts one request on `cursor`: locks its table as `access` needs. Requests that follow each
  // other with the same cursor and access, and change one row at most, may share a statement of the
  // database. Errors: kLockTables, kEngine, kSql; transaction_lost() may be true then. After an
  // error neither end_request() nor undo_request() is called.
  virtual Result<void> begin_request(Cursor& cursor, Access access, Rows rows) = 0;

  // Ends the request, keeping its changes for commit(). On error its changes are undone.
  virtual Result<void> end_request() = 0;

  // Ends the request and undoes its changes, and only those, unless transaction_lost() says
  // otherwise.
  virtual void undo_request() = 0;

  // True after open(), or a request from cursor() on, failed because it needs a lock that another
  // session holds: of a row, of a table, or of a table's definition; or because tables must be
  // opened anew for it, which is done with nothing held. Outside begin_waiting() no call waits for
  // such a lock, so that nothing is held meanwhile. To be tried again later, or at once with
  // begin_waiting(). Reset by open(), cursor(), commit() and rollback().
  virtual bool must_wait() const = 0;
  // For how long, in ms, a request may wait for the lock that must_wait() is about, before its
  // error stands.
  virtual uint32_t patience_ms() const = 0;

  // From here to end_waiting() calls wait for locks, each at most `most_ms` (in whole seconds,
  // rounded up) and at most patience_ms(). Nothing may be uncommitted. Tables that are kept open
  // may be given back, so that they are not held while the session waits for another one.
  virtual void begin_waiting(uint32_t most_ms) = 0;
  virtual void end_waiting() = 0;

  // True after the whole transaction was rolled back (deadlock), or must be since one request
  // cannot be undone alone: what earlier requests of this batch changed is gone, too. Also after a
  // commit() that failed and may succeed for each request alone. Reset by rollback().
  virtual bool transaction_lost() const = 0;

  // Makes everything since the last commit() durable as the server's settings demand, and visible.
  // On error nothing of it happened. Cheap when nothing was done.
  virtual Result<void> commit() = 0;

  // Forgets everything since the last commit().
  virtual void rollback() = 0;

  // True when something was done since the last commit() that rollback() would lose.
  virtual bool has_uncommitted_changes() const = 0;

  // Between two batches: gives way to whoever waits for our tables (ALTER, DROP, FLUSH, a backup).
  // True when tables are still held open afterwards, so that release() is due before the thread
  // idles.
  virtual bool after_batch() = 0;

  // True when somebody waits for a table of this session, also in the middle of a request.
  virtual bool is_waited_for() const = 0;

  // Gives back every table and lock. Cursors are reopened on their next use.
  virtual void release() = 0;

  // The running request takes long: from now on the server's process list shows it, if it did not.
  virtual void takes_long() {}

  // True when the session was told to end (server shutdown); its thread then closes its connections
  // and ends it. In no thread any may ask.
  virtual bool should_stop() const = 0;
};

// Makes sessions, which must not outlive it.
class Engine {
 public:
  virtual ~Engine() = default;

  // Any thread: a session that is in no thread yet. `name` is what the server's process list shows.
  // Null when the server cannot make one.
  virtual std::unique_ptr<Session> make_session(Mode mode, std::string_view name) = 0;

  // Blocks until the database is ready to open tables. False: it never will be (shutdown).
  virtual bool wait_until_ready() = 0;

  // Any thread: file descriptors that the database may come to need for itself: its own clients,
  // tables, logs.
  virtual uint64_t wanted_descriptors() const { return 0; }
};

}  // namespace hs::engine
