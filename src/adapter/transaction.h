// The transaction of a session that writes. Decides which requests share a statement of the
// database, and what happens to earlier requests when one fails.
//
// A statement is the unit that the database can undo alone. Consecutive requests of the same kind
// that change one row at most share one, as the rows of INSERT IGNORE do: a refused row leaves
// nothing behind, and the statement goes on. Every other request has a statement of its own.
//
// The adapter makes the calls of its server. It asks this class which calls to make, and reports
// their results, in this order:
//
//   ( begin_request  [ begin ] [ begin_statement ]
//     note_change*
//     ( end_request [ end_statement ] | undo_request [ end_statement  decide_fate ] ) )*
//   end
#pragma once

#include <cstdint>

#include "engine/cursor.h"

namespace hs::adapter {

class Transaction {
 public:
  // Whether the transaction has begun in the database.
  bool is_open() const { return is_open_; }
  // Whether anything was changed since it began.
  bool has_changes() const { return has_changes_; }
  // See engine::Session::transaction_lost().
  bool is_lost() const { return is_lost_; }

  void begin() { is_open_ = true; }
  // A transaction that a client ends. Its requests share no statement, and none is executed again:
  // when the database has rolled it back, or its log takes no more, it is lost.
  void begin_block() { is_open_ = is_block_ = true; }
  bool is_block() const { return is_block_; }
  // The transaction was committed or rolled back.
  void end() { *this = Transaction(); }
  // The transaction was rolled back, or must be: its requests are to be executed again.
  void lose() { is_lost_ = true; }

  // --- the statement that is open ---

  struct Statement {
    engine::Cursor* cursor = nullptr;  // null: no statement is open
    engine::Access access = engine::Access::kRead;
    bool is_shared = false;
  };
  const Statement& statement() const { return statement_; }
  bool has_statement() const { return statement_.cursor != nullptr; }
  // Whether the statement has changed anything, the running request included.
  bool statement_has_changes() const { return statement_has_changes_ || request_has_changes_; }

  void begin_statement(const Statement& statement);
  // The statement was kept or undone.
  void end_statement();

  // --- the request that runs ---

  void begin_request();
  // Whether the request goes on in the open statement. If not, that statement is ended first.
  bool joins(const Statement& wanted) const;

  void note_change() { has_changes_ = request_has_changes_ = true; }
  bool request_has_changes() const { return request_has_changes_; }
  // The database's log has refused a change.
  void note_log_failure() { log_failed_ = true; }
  // The session has waited for a lock in vain.
  void note_timeout() { timed_out_ = true; }

  // The request has ended well. True: its statement is to be kept now. If that fails, call
  // decide_fate(). False: the statement stays open for the requests that follow.
  bool end_request();

  // The request has failed. True: its statement is to be undone, then call decide_fate(). False: the
  // statement has earlier requests that ended well, and stays. If the failed request cannot be
  // undone without those, the transaction is lost. `rolled_back`: the database has rolled back the
  // whole transaction.
  bool undo_request(bool rolled_back);

  // What happens to the transaction after the statement of a failed request was undone.
  enum class Fate : uint8_t {
    kGoesOn,  // it goes on without the request
    kLost,    // earlier requests were undone, too, or stand in the request's way: is_lost()
    kOver,  // not in a block: the database has rolled it back; nothing else was lost, and nothing is to commit
  };
  Fate decide_fate(bool rolled_back);

 private:
  bool is_open_ = false;
  bool is_block_ = false;
  bool has_changes_ = false;
  bool is_lost_ = false;

  Statement statement_;
  bool statement_has_changes_ = false;  // by requests that have ended well
  uint64_t statement_requests_ = 0;     // how many requests have ended well in it

  bool follows_changes_ = false;  // the transaction had changes when the request began
  bool request_has_changes_ = false;
  bool log_failed_ = false;
  bool timed_out_ = false;
};

}  // namespace hs::adapter
