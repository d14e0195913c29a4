#include "exec/command.h"

#include <algorithm>
#include <array>
#include <utility>

#include "engine/waiting.h"
#include "exec/auth.h"
#include "exec/find.h"
#include "exec/request_scope.h"
#include "exec/scan.h"

namespace hs::exec {
namespace {

using protocol::Command;
using protocol::Request;
using Bound = KnownTables::Bound;

// How often what a command works on is looked up when it changes meanwhile.
constexpr int kAttempts = 3;

// Of the command as a whole, for locks that are waited for and for statistics.
engine::Access access_of(Command::Access access) {
  switch (access) {
    case Command::Access::kNone:
    case Command::Access::kRead:
      break;
    case Command::Access::kPut:
      return engine::Access::kUpsert;
    case Command::Access::kUpdate:
      return engine::Access::kUpdate;
    case Command::Access::kDelete:
      return engine::Access::kDelete;
  }
  return engine::Access::kRead;
}

// A find of the row with a key, and nothing else.
bool is_lookup(const Request& request) {
  return request.verb == protocol::Verb::kFind && request.op == KeyOperator::kEqual &&
         request.limit == 1 && request.offset == 0 && !request.in && request.filters.empty() &&
         !request.returns_expiry;
}

class Run {
 public:
  Run(const Context& context, const Request& request, Client& client, engine::Session& session,
      Scratch& scratch, protocol::ReplyWriter& reply)
      : context_(context),
        command_(*request.command),
        client_(client),
        session_(session),
        scratch_(scratch),
        reply_(reply) {}

  // A command is always finished: what it means for its connection, such as the end of a transaction,
  // does not depend on whether there was memory for it.
  Outcome run(const Plan& plan) {
    try {
      if (plan.kind == Plan::Kind::kAnswer) return answer();
      if (Result<void> done = prepare(plan.is_unresolved); !done) return fail(done.error());
      return execute();
    } catch (const std::bad_alloc& failed) {
      return fail(out_of_memory(failed));
    }
  }

 private:
  Outcome answer() {
    command_.begin({}, facts_of(context_, client_));
    return {.error = command_.finish(nullptr)};
  }

  // What the command works on is known, open, and as its mapping says.
  Result<void> prepare(bool is_unresolved) {
    // The group before was ended for this.
    if (is_unresolved) client_.tables().destroy_forgotten();
    for (int attempt = 1;; ++attempt) {
      if (is_unresolved) {
        if (Result<void> done = resolve(); !done) return done;
      }
      if (Result<void> done = leave_out_unseen(); !done) return done;
      Result<const mapping::Mapping*> stale = find_stale();
      if (!stale) return std::move(stale.error());
      if (*stale == nullptr) return {};
      if (attempt == kAttempts && failure_) {
        command_.cannot_open(**stale);
        return *std::move(failure_);
      }
      if (attempt == kAttempts || session_.has_uncommitted_changes()) return ErrorCode::kLockTables;
      if (context_.directory != nullptr) context_.directory->forget(**stale);
      client_.tables().forget(**stale);
      is_unresolved = true;
    }
  }

  Result<void> resolve() {
    scratch_.meter.add(Meter::kOpen);
    act_for(client_, session_, scratch_);
    return client_.tables().look_up(command_, facts_of(context_, client_), context_.directory,
                                    session_, client_.pool(), context_.limits.max_open_indexes);
  }

  // For an account a table that it may not see is not there, whatever else is to be said of the table.
  // Commands about all tables know of none from the beginning.
  Result<void> leave_out_unseen() {
    if (client_.account() == nullptr || command_.wants_all_tables()) return {};
    act_for(client_, session_, scratch_);
    while (const mapping::Mapping* const unseen = find_unseen()) {
      if (!client_.tables().leave_out(*unseen, command_, facts_of(context_, client_))) {
        return ErrorCode::kLockTables;
      }
    }
    return {};
  }

  const mapping::Mapping* find_unseen() {
    for (const Bound& bound : client_.tables().bound()) {
      const mapping::Mapping& table = *bound.table;
      if (!session_.is_open(*bound.spec)) {
        if (!session_.sees(table.database, table.table)) return &table;
        continue;
      }
      const Result<engine::Cursor*> cursor = session_.cursor(*bound.spec);
      if (cursor && !session_.rights(**cursor).sees) return &table;
    }
    return nullptr;
  }

  // Opens what is not open. Null: all is as the mappings say.
  Result<const mapping::Mapping*> find_stale() {
    for (const Bound& bound : client_.tables().bound()) {
      // The account may not see the table, which its requests are told.
      std::optional<AsServer> as_server;
      if (!session_.is_open(*bound.spec)) as_server.emplace(*this);
      Result<engine::Cursor*> cursor = session_.cursor(*bound.spec);
      if (!cursor) {
        failure_ = cursor.error();
        if (names_are_wrong(failure_->code)) return bound.table;
        // Its request is told so, too.
        if (failure_->code == ErrorCode::kUnsupportedTable && command_.wants_all_tables()) continue;
        command_.cannot_open(*bound.table);
        return std::move(cursor.error());
      }
      failure_.reset();
      if ((*cursor)->definition() != bound.table->definition) return bound.table;
    }
    return static_cast<const mapping::Mapping*>(nullptr);
  }

  bool names_are_wrong(ErrorCode error) const {
    return !session_.must_wait() && (error == ErrorCode::kOpenTable || error == ErrorCode::kIndex ||
                                     error == ErrorCode::kColumn);
  }

  Outcome execute() {
    act_for(client_, session_, scratch_);
    const Reading reading(session_, command_.access() == Command::Access::kRead);
    const std::span<const Bound> bound = client_.tables().bound();
    const bool only_reads = command_.access() == Command::Access::kRead;
    bool has_next = next();
    while (has_next) {
      const engine::IndexSpecPtr& spec = *bound[request_.index_id].spec;
      const Result<void> done =
          only_reads && is_lookup(request_) ? look_up(spec, &has_next) : carry_out(spec, &has_next);
      if (done || (has_next && may_wait_here())) continue;
      if (!has_next || session_.must_wait() || session_.transaction_lost()) {
        return fail(done.error());
      }
      reply_.error(done.error());
      has_next = next();
    }
    const std::optional<ErrorCode> error = command_.finish(nullptr);
    return {.error = error,
            .rows = rows_,
            .must_undo = error && has_changed_,
            .keeps_changes = keeps_changes_};
  }

  // A command that has changed what no rollback undoes cannot be tried again from its beginning. A
  // lock that it meets behind that is waited for in its middle, once what it has done is committed.
  bool may_wait_here() {
    if (!keeps_changes_ || !session_.must_wait() || session_.transaction_lost()) return false;
    const uint32_t patience_ms = session_.patience_ms();
    if (!session_.commit()) return false;
    waiting_.emplace(session_, patience_ms);
    return true;
  }

  // A lookup leaves nothing behind that the next request would not overwrite, or not look at.
  bool next() {
    if (!is_lookup(request_)) request_ = Request();
    return command_.next(request_);
  }

  // Carries the request out. `has_next`: whether there is another one, which is filled in then. On
  // error it is not asked for; false then: the command cannot go on.
  Result<void> carry_out(const engine::IndexSpecPtr& spec, bool* has_next) {
    const Plan plan = plan_on(context_, request_, spec, client_);
    if (request_.verb == protocol::Verb::kInsert) name_row(request_);
    if (request_.expiry && plan.kind != Plan::Kind::kRefused) {
      if (Result<void> done = fill_in_expiry(plan, request_); !done) return done;
    }
    const Result<uint64_t> done =
        exec::carry_out(context_, plan, request_, session_, scratch_, reply_);
    if (!done) return done.error();
    const bool changes = plan.kind == Plan::Kind::kChange;
    if (changes && *done != 0) {
      has_changed_ = true;
      keeps_changes_ |= !session_.can_undo(spec);
    }
    if (changes || command_.access() == Command::Access::kRead) rows_ += *done;
    *has_next = next();
    return {};
  }

  // The same for a lookup and those that follow with other keys of the same columns. For the session
  // they are one request.
  Result<void> look_up(const engine::IndexSpecPtr& spec, bool* has_next) {
    const Plan plan{
        .kind = Plan::Kind::kRead, .for_account = client_.account() != nullptr, .spec = &spec};
    const uint32_t target = request_.index_id;
    RequestScope scope(session_);
    Result<engine::Cursor*> begun = scope.begin(plan, request_);
    if (!begun) return std::move(begun.error());
    engine::Cursor& cursor = **begun;
    do {
      if (Result<void> checked = check_key(request_, cursor); !checked) return checked;
      scratch_.meter.add(Meter::kRow);
      reply_.begin_rows(cursor.columns());
      const Result<bool> found = cursor.seek(KeyOperator::kEqual, request_.key);
      if (!found) return found.error();
      if (*found) {
        if (Result<void> written = write_row(cursor, scratch_, reply_); !written) return written;
        ++rows_;
      }
      reply_.end_rows();
      *has_next = next();
    } while (*has_next && request_.index_id == target && is_lookup(request_));
    Result<void> ended = scope.end();
    if (!ended) *has_next = false;
    return ended;
  }

  // So that no row is written but the one that the client has named.
  void name_row(Request& request) {
    const protocol::Target& target = command_.targets()[request.index_id];
    scratch_.row_key.clear();
    for (const uint16_t column : target.table->key) {
      const auto at = std::ranges::find(target.columns, column);
      HS_ASSERT(at != target.columns.end());
      scratch_.row_key.push_back(request.values[static_cast<size_t>(at - target.columns.begin())]);
    }
    request.row_key = scratch_.row_key;
  }

  // Puts the moment into copies of the request's values.
  Result<void> fill_in_expiry(const Plan& plan, Request& request) {
    Result<engine::Cursor*> cursor = session_.cursor(*plan.spec);
    if (!cursor) return std::move(cursor.error());
    const Result<Value> moment = (*cursor)->moment(request.expiry->at_s);
    if (!moment) return moment.error();
    const auto fill_in = [&](std::span<const Value> values, std::vector<Value>& copy) {
      copy.assign(values.begin(), values.end());
      copy[request.expiry->value] = *moment;
      return std::span<const Value>(copy);
    };
    request.values = fill_in(request.values, scratch_.values);
    if (request.updates) request.updates = fill_in(*request.updates, scratch_.updates);
    return {};
  }

  Outcome fail(const Error& error) {
    return {.error = command_.finish(&error),
            .rows = 0,
            .must_undo = has_changed_,
            .keeps_changes = keeps_changes_};
  }

  // What is forgotten for all connections must not depend on what one account may see.
  class AsServer {
   public:
    explicit AsServer(Run& run) : run_(run) {
      run_.scratch_.acts_for_account = true;
      run_.session_.act_for(nullptr);
    }
    AsServer(const AsServer&) = delete;
    AsServer& operator=(const AsServer&) = delete;
    ~AsServer() { act_for(run_.client_, run_.session_, run_.scratch_); }

   private:
    Run& run_;
  };

  // While it lives, the session locks nothing that it reads, or keeps all of it locked.
  class Reading {
   public:
    Reading(engine::Session& session, bool is_plain) : session_(session) {
      set(is_plain, !is_plain);
    }
    Reading(const Reading&) = delete;
    Reading& operator=(const Reading&) = delete;
    ~Reading() { set(false, false); }

   private:
    void set(bool reads_view, bool keeps_locks) {
      session_.set_reads_view(reads_view);
      session_.set_keeps_locks(keeps_locks);
    }
    engine::Session& session_;
  };

  const Context& context_;
  Command& command_;
  Client& client_;
  engine::Session& session_;
  Scratch& scratch_;
  protocol::ReplyWriter& reply_;
  Request& request_ = scratch_.request;
  std::optional<engine::Waiting> waiting_;
  std::optional<Error> failure_;  // why a table could not be opened as its mapping says
  uint64_t rows_ = 0;
  bool has_changed_ = false, keeps_changes_ = false;
};

}  // namespace

protocol::Facts facts_of(const Context& context, const Client& client) {
  return {context.version, context.server_version, client.id(),
          client.name(),   context.wall_ms,        context.server};
}

Plan plan_command(const Context& context, const Request& request, Client& client) {
  Command& command = *request.command;
  Plan plan{.error = ErrorCode::kUnauthorized, .is_command = true};
  if (!command.needs_no_login() && !may_proceed(client)) return plan;
  const Command::Access access = command.access();
  if (access_of(access) != engine::Access::kRead && context.mode == engine::Mode::kReadOnly) {
    plan.error = ErrorCode::kReadOnly;
    return plan;
  }
  plan.is_alone = command.is_alone();
  plan.kind = Plan::Kind::kAnswer;
  if (access == Command::Access::kNone) return plan;
  plan.access = access_of(access);
  plan.for_account = client.account() != nullptr;
  KnownTables& tables = client.tables();
  plan.is_unresolved = !tables.bind(command, facts_of(context, client), context.directory);
  if (!plan.is_unresolved && !tables.bound().empty()) plan.spec = tables.bound().front().spec;
  const bool has_tables = plan.is_unresolved || plan.spec != nullptr;
  const bool changes = has_tables && plan.access != engine::Access::kRead;
  plan.kind = changes ? Plan::Kind::kChange : Plan::Kind::kRead;
  return plan;
}

Outcome run_command(const Context& context, const Plan& plan, const Request& request,
                    Client& client, engine::Session& session, Scratch& scratch,
                    protocol::ReplyWriter& reply) {
  return Run(context, request, client, session, scratch, reply).run(plan);
}

}  // namespace hs::exec
