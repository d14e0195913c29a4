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

#include <string.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/isolation.h"
#include "base/operator.h"
#include "base/result.h"
#include "base/value.h"
#include "engine/gtid.h"
#include "mapping/tables.h"

namespace hs::engine {

// What an index id of a connection stands for. It holds names only, so it survives ALTER TABLE and
// moves between sessions. Immutable once made. Connections that open the same thing share one
// object (see exec/open.h), and a session finds its Cursor by the object's address.
struct IndexSpec {
  std::string database;
  std::string table;
  std::string index;                 // empty: PRIMARY; digits that name no index: its number
  std::vector<std::string> columns;  // returned by finds, set by changes; may repeat, may be empty
  std::vector<std::string> filter_columns;  // addressed by filters

  bool operator==(const IndexSpec&) const = default;
};
using IndexSpecPtr = std::shared_ptr<const IndexSpec>;

// Names in the two column lists of `spec`.
inline size_t column_count(const IndexSpec& spec) {
  return spec.columns.size() + spec.filter_columns.size();
}

// What one request does to the rows. Decides its locks, its privileges and how it is logged.
enum class Access : uint8_t {
  kRead,
  kInsert,  // a row that is a duplicate is an error
  kUpdate,
  kDelete,
  kInsertIgnore,  // a row that is a duplicate is not added
  kUpsert,        // the row that a new one would be a duplicate of is updated
  kReplace,       // the rows that a new one would be a duplicate of go
};
inline constexpr size_t kAccesses = 7;

inline constexpr bool inserts(Access access) {
  return access == Access::kInsert || access >= Access::kInsertIgnore;
}

// How many rows a request may change at most.
enum class Rows : uint8_t { kOne, kMany };

// What the session may do. A kReadWrite session locks the rows it finds as SELECT ... FOR UPDATE
// does.
enum class Mode : uint8_t { kReadOnly, kReadWrite };

// A table may say by which column its rows expire. From that moment on a row is not there for any
// call on its cursors. The moment is compared with one time for each batch of a kReadOnly session,
// and for each request of a kReadWrite one.
class Cursor {
 public:
  virtual ~Cursor() = default;

  virtual size_t key_parts() const = 0;  // columns of the index that a key may give, at least 1
  virtual size_t columns() const = 0;    // IndexSpec::columns.size()

  // How `+` and `-` count on a column.
  enum class Counting : uint8_t {
    kNot,    // not at all: BIT, ENUM, SET, dates
    kExact,  // on its text, which is its exact number or else an error: integers, DECIMAL, text
    kReal,   // on real(): FLOAT and DOUBLE, whose text is rounded
  };
  virtual Counting counting(size_t column) const = 0;

  // Positions on the first row for which `index <op> key` holds, in index order (descending for
  // kEqualDescending, kLess and kLessOrEqual). key.size() is 1..key_parts(): fewer values than key parts make a
  // prefix key. True: on a row; false: there is none. A key value that the column cannot hold
  // equals no row. As the last value of a range that changes nothing, it is the bound that SQL's
  // comparison makes of it. Errors: kOperator, kSql (SQL cannot compare the value with the column).
  virtual Result<bool> seek(KeyOperator op, std::span<const Value> key) = 0;

  // Moves to the next row of the last seek. With kEqual and kEqualDescending only rows with
  // the same key (prefix) follow.
  virtual Result<bool> next() = 0;

  // The opened columns of the current row as text, as SELECT prints them. Valid until the next call
  // on this cursor. An error when a value cannot be read.
  virtual Result<std::span<const Value>> row() = 0;

  // The number of the current row in a column of Counting::kReal, which must not be NULL there.
  virtual double real(size_t column) = 0;

  // Conditions on the opened filter columns, for passes(). Converts the values to the columns'
  // types once, here. A filter compares as its column does (collation, type). NULL equals NULL and
  // is less than everything else. A value that the column cannot hold still compares as in SQL.
  // Replaces the earlier filters; an empty span removes them. The span and its values are not used
  // after the call. Errors: kFilterBlob, kSql (the value cannot be compared with the column).
  struct Filter {
    size_t column = 0;  // position in IndexSpec::filter_columns
    FilterOperator op = FilterOperator::kEqual;
    Value value;
  };
  virtual Result<void> set_filters(std::span<const Filter> filters) = 0;

  // True when the current row meets filter `number` of set_filters().
  virtual bool passes(size_t number) = 0;

  // Between these two, in one request and around its seeks, row() is not called, nor passes() unless
  // `with_filters` is true. So the engine may read less of each row: only the index, where that has
  // all that is needed.
  virtual void begin_count(bool /*with_filters*/) {}
  virtual void end_count() {}

  // A name for the current row, by which seek_position() finds the row again in the same request,
  // even when its key has changed since. The bytes are valid until the next call on this cursor.
  virtual std::string_view position() = 0;

  // Goes back to a row that position() named during the last seek. False: the row is gone, or the
  // seek would no longer find its key.
  virtual Result<bool> seek_position(std::string_view position) = 0;

  struct Inserted {
    bool has_auto_increment = false;  // of the table
    uint64_t generated_id = 0;        // 0 when the client gave the value itself
    // 1: the row was added. put() also: 0, nothing was changed; with kUpsert 2, a row was updated;
    // with kReplace 1 and the number of rows that have gone.
    uint64_t outcome = 1;
  };

  // Whether a row that is inserted with these values in the index's columns has just these, so that
  // seek() finds it by them. Not so where a column would round or pad a value, or read it otherwise,
  // and for a 0 in place of which an id is generated. Moves from the current row.
  virtual Result<bool> keeps_key(std::span<const Value> /*key*/) { return true; }

  // Adds a row: values[i] goes to column i of the spec. At most columns() values. Every other
  // column of the table gets what SQL gives it by default. On error nothing is changed. Then the row
  // is the current one, for row().
  virtual Result<Inserted> insert(std::span<const Value> values) = 0;

  // Sets columns of the current row. The others stay as they are, or get what SQL gives them on an
  // update. When a column is assigned twice, the later value stays. On error nothing is changed.
  struct Assignment {
    size_t column = 0;  // position in IndexSpec::columns
    Value value;
    // The value was counted from the column's old value. It must stay within the column's range
    // even where the server is lenient with values that a client gives.
    bool is_sum = false;
    // Counting::kReal: this is added to the column instead, as SQL adds, and `value` is empty text.
    std::optional<double> addend = std::nullopt;
  };
  enum class Updated : uint8_t {
    kDone,  // the row stays the current one
    // Nothing was set, but the change has reached the row itself before: rows that expired gave way,
    // and a foreign key's cascade from them came to this row.
    kGone,     // the row is gone, or the last seek would no longer find it
    kAltered,  // the row is another one now, and the current one still; to be judged and set again
  };
  virtual Result<Updated> update(std::span<const Assignment> assignments) = 0;

  // Takes the rows that put() finds in its way.
  class RowsInTheWay {
   public:
    virtual ~RowsInTheWay() = default;
    // The opened columns of one, as row() gives them. Valid during the call.
    virtual Result<void> take(std::span<const Value> row) = 0;
    // The last one was in the way of nothing, after all.
    virtual void take_back() = 0;
  };

  // Adds a row as insert() does, in a request of kInsertIgnore, kUpsert or kReplace. If it would be
  // a duplicate in a unique index, the row that is there is left alone, updated or replaced. With
  // several unique indexes SQL's order decides which one is looked at first. An update sets column i
  // to (*updates)[i]; without `updates` to values[i], but never to an id that was generated for the
  // new row. The generated id of a row that was updated is its own. `in_the_way`: null, or gets the
  // rows that were there, before they are changed. The row as it is afterwards is the current one;
  // none is after a kInsertIgnore that has added none. On error changes may be left, for
  // undo_request().
  virtual Result<Inserted> put(std::span<const Value> values,
                               std::optional<std::span<const Value>> updates,
                               RowsInTheWay* in_the_way) = 0;

  // Deletes the current row.
  virtual Result<void> erase() = 0;

  // A number that stays as long as the table's definition does, and that is not used again.
  virtual uint64_t definition() const { return 0; }

  // When the current row expires, in seconds since 1970. None: never.
  virtual Result<std::optional<int64_t>> expires_at() { return std::optional<int64_t>(); }
  // What the column by which rows expire must be set to for that; it need not be among the opened
  // ones. Valid until the next call. Error: kTableComment, there is no such column.
  virtual Result<Value> moment(std::optional<int64_t> /*seconds*/) {
    return Error{ErrorCode::kTableComment, 0, "rows of the table do not expire"};
  }
};

// What requests of one account have done.
struct AccountWork {
  uint64_t reads = 0;  // requests ...
  uint64_t changes = 0;
  uint64_t others = 0;
  uint64_t empty_reads = 0;  // that found no row
  uint64_t denied = 0;       // for want of a privilege
  uint64_t rows_read = 0;
  uint64_t rows_inserted = 0;
  uint64_t rows_updated = 0;
  uint64_t rows_deleted = 0;
  uint64_t bytes_received = 0;
  uint64_t bytes_sent = 0;
};

// An account of the database, as one client has logged in to it. The database counts the login as
// one of the account's connections until the object is destroyed. Any thread may do that.
class Account {
 public:
  virtual ~Account() = default;
  // Adds to what the database tells of its users, if it tells anything. The replies are final.
  virtual void note(const AccountWork& /*work*/) const {}
  // Whether the account may see the connections of others, and end them: as SQL's list of processes
  // and KILL let it.
  virtual bool sees_connections() const { return false; }
  virtual bool ends_connections() const { return false; }
};
using AccountPtr = std::shared_ptr<const Account>;

// The client of a login that is under way.
class Dialogue {
 public:
  enum class Outcome : uint8_t {
    kAnswered,
    kCannot,   // the client cannot do the method, or only where none can listen
    kLeft,     // the client has gone or is silent
    kGivenUp,  // the login shall end, through no fault of the client's
  };

  virtual ~Dialogue() = default;
  // The login's thread: puts to the client what the account's method wants it to answer, and waits.
  // The answer is appended to `answer`, for which there must be room. After kLeft or kGivenUp the
  // client is asked no more, and the socket and TLS of the credentials may be gone. Does not throw.
  virtual Outcome ask(std::string_view method, std::string_view question, std::string* answer) = 0;
};

// What a client shows of itself to log in.
struct Credentials {
  enum class Proof : uint8_t {
    kResponse,  // `secret` is the answer to `challenge`, as mysql_native_password makes it
    kPassword,  // `secret` is the password; only for a channel that none can listen to
    kPeer,      // the socket's other end is a process of the right user of the system
    kDialogue,  // the client answers what `dialogue` asks it
  };
  static constexpr size_t kChallengeSize = 20;

  Credentials() = default;
  Credentials(const Credentials&) = delete;
  Credentials& operator=(const Credentials&) = delete;
  ~Credentials() { forget_secret(); }
  void forget_secret() {
    ::explicit_bzero(secret.data(), secret.size());
    secret.clear();
  }

  std::string user;
  Proof proof = Proof::kPassword;
  std::string secret;
  std::array<char, kChallengeSize> challenge{};  // no byte is 0
  Dialogue* dialogue = nullptr;
  // The client's, for its address. The engine neither reads from it nor writes to it.
  int socket = -1;
  void* tls = nullptr;  // the connection's SSL, for what is asked of its certificate; null: no TLS
};

// What an account may do with an opened spec. Columns are counted from a list's first one on: a
// privilege reaches as far as the account has it for each column so far.
struct Rights {
  static constexpr size_t kAll = SIZE_MAX;
  bool sees = true;  // false: for this account there is no such table
  // The privilege is there for the table, or for any column of it.
  bool selects = true, inserts = true, updates = true, deletes = true;
  size_t select_columns = kAll;  // of IndexSpec::columns
  size_t select_filters = kAll;  // of IndexSpec::filter_columns
  size_t select_key = kAll;      // of the index
  size_t insert_columns = kAll;  // of IndexSpec::columns
  size_t update_columns = kAll;  // likewise
};
inline constexpr Rights kAllRights;

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
