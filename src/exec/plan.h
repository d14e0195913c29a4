// What a request is, decided once, before it is carried out: what it works on, what it may change,
// and whether an error is already known. By its plan a batch decides what must be committed before
// the request, and exec/ carries it out.
#pragma once

#include "base/result.h"
#include "engine/cursor.h"
#include "exec/client.h"
#include "exec/context.h"
#include "protocol/request.h"

namespace hs::exec {

struct Plan {
  enum class Kind : uint8_t {
    kRefused,  // answered with `error`; touches nothing
    kConnection,  // opens an index, authenticates or says its name: changes the Client, which no rollback undoes
    kDescribe,     // reads what there is, in no opened index
    kLastGtid,     // of the client's last change, which must be committed before
    kAwaitGtid,    // is answered once, with nothing uncommitted, and what is read behind it is new
    kTransaction,  // begins, ends or marks a transaction of the connection
    kRead,
    kChange,
    kAnswer,  // a command that needs no table
  };
  Kind kind = Kind::kRefused;
  ErrorCode error = ErrorCode::kCommand;  // kRefused
  // kRead and kChange: the lock of the table that is needed, and how many rows may be changed.
  engine::Access access = engine::Access::kRead;
  engine::Rows rows = engine::Rows::kOne;
  // kAwaitGtid: what was waited for is applied. Set once that is known (see exec/gtid.h).
  bool is_applied = false;
  // It is a command. It is executed for itself; it works on tables that the client does not know yet,
  // which are looked up with nothing uncommitted.
  bool is_command = false;
  bool is_alone = false;
  bool is_unresolved = false;
  // The client has logged in to an account, whose rights bound what is done.
  bool for_account = false;
  // kRead and kChange: the opened index. Valid until the Client opens another one. Of a command: the
  // first of Client::tables().bound(); null: it has none.
  const engine::IndexSpecPtr* spec = nullptr;
};

// Does not touch the database. The order of its checks is that of protocol::ErrorStage; clients see
// it when a request has several mistakes. Checks that need the table are left to the commands, and
// so are the last stage's errors of all but an insert. A Request that is parsed again from the same
// bytes has the same plan as long as the Client does not change. A command must be planned each time
// it is decoded, just before it is executed.
Plan plan(const Context& context, const protocol::Request& request, Client& client);

// The same for one request of a command, on `spec`.
Plan plan_on(const Context& context, const protocol::Request& request,
             const engine::IndexSpecPtr& spec, const Client& client);

}  // namespace hs::exec
