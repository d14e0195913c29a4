// The transaction of a session that writes: which requests share a statement of the database, and
// what becomes of the requests before it when one fails.
//
// A statement is what the database undoes alone. Requests of the same kind that follow each other
// and change one row at most share one, as the rows of INSERT IGNORE do: a row that is refused
// leaves nothing behind, and the statement goes on. All others have one of their own.
//
// The adapter makes the calls of its server. It asks here which to make, and tells what came of
// them, in this order:
//
//   ( begin_request  [ begin ] [ begin_statement ]
//     note_change*
//     ( end_request [ end_statement ] | undo_request [ end_statement  settle ] ) )*
//   end
#pragma once

#include <cstdint>

#include "engine/engine.h"

namespace hs::adapter {

class Transaction {
 public:
  // It has begun in the database.
  bool is_open() const { return is_open_; }
  // Something was changed since it began.
  bool has_changes() const { return has_changes_; }
  // See engine::Session::transaction_lost().
  bool is_lost() const { return is_lost_; }

  void begin() { is_open_ = true; }
  // It was committed or rolled back.
  void end() { *this = Transaction(); }
  // It was rolled back, or must be: its requests are to be executed again.
  void lose() { is_lost_ = true; }

  // --- the statement that is open ---

  struct Statement {
    engine::Cursor* cursor = nullptr;  // null: there is none
    engine::Access access = engine::Access::kRead;
    bool is_shared = false;
  };
  const Statement& statement() const { return statement_; }
  bool has_statement() const { return statement_.cursor != nullptr; }
  // Something was changed by it, the running request included.
  bool statement_has_changes() const { return statement_has_changes_ || request_has_changes_; }

  void begin_statement(const Statement& statement);
  // It was kept or undone.
  void end_statement();

  // --- the request that runs ---

  void begin_request();
  // Whether the request goes on in the open statement. Else that is ended before another begins.
  bool joins(const Statement& wanted) const;

  void note_change() { has_changes_ = request_has_changes_ = true; }
  bool request_has_changes() const { return request_has_changes_; }
  // The database's log did not take a change.
  void note_log_failure() { log_failed_ = true; }
  // A lock was waited for in vain.
  void note_timeout() { timed_out_ = true; }

  // Keeps what it has done. True: its statement is to be kept now, which may fail: settle(). False:
  // it stays open for the requests that follow.
  bool end_request();

  // It has failed. True: its statement is to be undone, and then settle(). False: the statement has
  // requests that have ended well, and stays. If this request cannot be undone without those, the
  // transaction is lost. `rolled_back`: the database has rolled back the whole transaction.
  bool undo_request(bool rolled_back);

  // What becomes of the transaction when the statement of a failed request was undone.
  enum class Fate : uint8_t {
    kGoesOn,  // without the request
    kLost,    // the requests before it were undone, too, or stand in its way: is_lost()
    kOver,    // the database has rolled it back, and nothing was lost: there is nothing to commit
  };
  Fate settle(bool rolled_back);

 private:
  bool is_open_ = false;
  bool has_changes_ = false;
  bool is_lost_ = false;

  Statement statement_;
  bool statement_has_changes_ = false;  // of requests that have ended well
  uint64_t statement_requests_ = 0;     // so many have

  bool follows_changes_ = false;  // the transaction had changes when the request began
  bool request_has_changes_ = false;
  bool log_failed_ = false;
  bool timed_out_ = false;
};

}  // namespace hs::adapter
