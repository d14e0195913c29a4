#include "adapter/purge.h"

#include <algorithm>
#include <ctime>
#include <exception>
#include <utility>

#include "exec/containers.h"

namespace hs::adapter {
namespace {

constexpr std::chrono::milliseconds kPause{100};
constexpr uint64_t kMostRowsOfAStep = 500;
// Rows of the past that are read without a look whether somebody waits for the table.
constexpr uint64_t kMostHistoryOfAStep = 20'000;
// A walk from the beginning takes one part in so many of the time.
constexpr int kShareOfBeginnings = 20;
// Tables that are opened in a round.
constexpr size_t kTablesOfARound = 50;
// A look at all files: what changes is noticed without.
constexpr std::chrono::minutes kBetweenWalks{10};
// The tables of the old InnoDB memcached plugin are read so often.
constexpr std::chrono::seconds kBetweenContainers{1};
// How long a table is left alone that cannot be opened or read, or a row that cannot be deleted: at
// first, and at most. The server may write a line to its error log for each try.
constexpr std::chrono::seconds kFirstPause{1};
constexpr std::chrono::minutes kLongestPause{1};
// Rows of a table that refuse to be deleted: that are remembered, behind which the table is left alone,
// too, and in a round, of those that are new and of those that are tried again. So the first ones do not
// keep it from what is behind them.
constexpr size_t kMostRefused = 1000;
constexpr int kMostNewlyRefused = 50;
constexpr int kMostTriedAgain = 10;
// How many of a table's indexes are tried to open a table that is not known yet.
constexpr int kIndexesTried = 8;

constexpr const char* kCannotBeOpened = "the table cannot be opened";

std::string text_of(const Error& error) {
  switch (error.code) {
    case ErrorCode::kLockTables:
      return "the table is locked, or the server is read-only";
    case ErrorCode::kUnsupportedTable:
      return "changes of the table are not served: see docs/limits.md";
    case ErrorCode::kOpenTable:
      return kCannotBeOpened;
    case ErrorCode::kEngine:
      return "error " + std::to_string(error.number) + " of the storage engine";
    default:
      return error.message.empty() ? std::string(error_name(error.code)) : error.message;
  }
}

// Whether the row or its table is what has failed, and not a KILL or the end of the server.
bool is_of_table(const Error& error) {
  return error.code == ErrorCode::kEngine || error.code == ErrorCode::kSql;
}

}  // namespace

Purge::PutOff::PutOff() : pause(kFirstPause) {}

void Purge::PutOff::put_off_again() {
  next_try = Clock::now() + pause;
  pause = std::min<Clock::duration>(pause * 2, kLongestPause);
}

void Purge::stop() {
  const MutexLock lock(mutex_);
  stops_ = true;
  changed_.notify_all();
}

void Purge::run() {
  try {
    if (engine_.wait_until_ready()) work();
  } catch (const std::exception& error) {
    host_.log_error(std::string("the purge of expired rows ends: ") + error.what());
  }
  if (session_ != nullptr) session_->leave();
  session_.reset();
}

void Purge::work() {
  session_ = engine_.make_session(engine::Mode::kReadWrite, "hs-ttl-purge");
  if (session_ == nullptr) {
    host_.log_error("expired rows are not purged: no session");
    return;
  }
  engine::SessionEvents events;
  events.context = this;
  events.wake = [](void* context) {
    auto* self = static_cast<Purge*>(context);
    const MutexLock lock(self->mutex_);
    self->is_woken_ = true;
    self->changed_.notify_all();
  };
  session_->enter(events);
  last_round_ = Clock::now();
  while (!should_stop()) {
    const Clock::time_point begun = Clock::now();
    is_behind_ = false;
    try {
      round(begun);
    } catch (const std::bad_alloc&) {
      session_->rollback();
    }
    session_->after_batch();  // its entry in the process list sleeps
    session_->release();
    // What takes long to delete is not paused for, too.
    pause_until((is_behind_ ? begun : Clock::now()) + kPause);
  }
}

bool Purge::should_stop() {
  const MutexLock lock(mutex_);
  return stops_ || session_->should_stop();
}

void Purge::pause_until(Clock::time_point end) {
  MutexLock lock(mutex_);
  if (!stops_ && !std::exchange(is_woken_, false)) changed_.wait_until(lock, end);
}

// By the time that has passed, at most for a second.
void Purge::add_to_allowance(Clock::time_point now) {
  const uint64_t rate = host_.rows_per_second();
  const auto passed = std::min<Clock::duration>(now - last_round_, std::chrono::seconds(1));
  last_round_ = now;
  const auto passed_us = std::chrono::duration_cast<std::chrono::microseconds>(passed).count();
  allowance_ = std::min(allowance_ + rate * static_cast<uint64_t>(passed_us), rate * kRow);
}

void Purge::round(Clock::time_point now) {
  walk();
  add_to_allowance(now);
  std::vector<TtlTable> tables = ttl_tables().list();
  if (known_.size() > tables.size()) forget_others(tables);
  if (tables.empty()) return;
  const std::string_view reason = host_.reason_not_to();
  // Each round begins with another table, so that none takes the allowance of all others.
  std::rotate(tables.begin(), tables.begin() + static_cast<long>(turn_++ % tables.size()),
              tables.end());
  for (const TtlTable& table : tables) {
    if (should_stop()) return;
    if (!reason.empty()) {
      ttl_tables().note_failure(table, 0, reason);
    } else if (is_put_off({table.database, table.table})) {
      continue;
    } else if (table.column.empty()) {
      open_unknown({table.database, table.table});  // its comment may be better now
    } else if (table.index.empty()) {
      ttl_tables().note_failure(table, 0, "no index begins with the column " + table.column);
    } else if (allowance_ >= kRow) {
      purge(table);
    }
  }
}

// Looks for tables that nothing else has opened so far, and for new names of tables.
void Purge::walk() {
  const Clock::time_point now = Clock::now();
  if (now >= next_walk_) {
    next_walk_ = now + kBetweenWalks;
    host_.look_again();
  }
  host_.directory().refresh(*session_, false);
  if (now >= next_containers_) {
    next_containers_ = now + kBetweenContainers;
    read_containers();
  }
  for (const TableName& name : host_.take_with_ttl(kTablesOfARound)) open_unknown(name);
}

// Where there are none, no table is opened to find that out again and again.
void Purge::read_containers() {
  Result<mapping::Containers> read = mapping::Containers{};
  const TableName table{exec::kDatabaseOfContainers, exec::kTableOfContainers};
  if (host_.is_there(*session_, table)) read = exec::read_containers(*session_);
  if (read) {
    host_.directory().set_containers(std::move(*read), *session_);
    containers_ = {};
  } else if (is_of_table(read.error())) {
    containers_.put_off_again();
    next_containers_ = containers_.next_try;
  }
}

// What there is to know of the table is noted when it is opened.
void Purge::open_unknown(const TableName& name) {
  for (int index = 0; index < kIndexesTried; ++index) {
    const auto spec = std::make_shared<const engine::IndexSpec>(
        engine::IndexSpec{name.database, name.table, std::to_string(index), {}, {}});
    const Result<engine::Cursor*> opened = session_->cursor(spec);
    (void)session_->commit();
    if (!opened && opened.error().code == ErrorCode::kIndex) continue;
    if (opened || opened.error().code != ErrorCode::kOpenTable) {
      put_off_.erase(name);
    } else if (put_off(name)) {
      ttl_tables().note_error(name.database, name.table, kCannotBeOpened);
    }
    return;
  }
}

bool Purge::is_put_off(const TableName& name) const {
  const auto found = put_off_.find(name);
  return found != put_off_.end() && !found->second.is_over();
}

// The table could not be opened or read, or too many of its rows refuse to be deleted. False: there is none,
// and it is forgotten.
bool Purge::put_off(const TableName& name) {
  if (!host_.is_there(*session_, name)) {
    put_off_.erase(name);
    ttl_tables().forget(name.database, name.table);
    return false;
  }
  put_off_[name].put_off_again();
  return true;
}

Purge::Known& Purge::known(const TtlTable& table) {
  engine::IndexSpec wanted{table.database, table.table, table.index, {}, {}};
  std::erase_if(known_, [&](const Known& known) {
    const engine::IndexSpec& spec = *known.spec;
    return spec.database == wanted.database && spec.table == wanted.table && spec != wanted;
  });
  const auto found = std::find_if(known_.begin(), known_.end(),
                                  [&](const Known& known) { return *known.spec == wanted; });
  if (found != known_.end()) return *found;
  Known known;
  known.spec = std::make_shared<const engine::IndexSpec>(std::move(wanted));
  return known_.emplace_back(std::move(known));
}

// Those that are gone, or whose rows expire no more.
void Purge::forget_others(const std::vector<TtlTable>& tables) {
  std::erase_if(known_, [&](const Known& known) {
    return std::none_of(tables.begin(), tables.end(), [&](const TtlTable& table) {
      return table.database == known.spec->database && table.table == known.spec->table;
    });
  });
}

void Purge::begin_walk(Known& known) {
  if (known.is_from_beginning || Clock::now() < known.next_beginning) return;
  known.is_from_beginning = true;
  known.begun = Clock::now();
  known.search = {};
  known.reached.clear();
}

void Purge::end_walk(Known& known) {
  if (!std::exchange(known.is_from_beginning, false)) return;
  known.next_beginning = Clock::now() + known.search * kShareOfBeginnings;
  forget_gone(known);
}

// The rows that were not met in the walk so far.
void Purge::forget_gone(Known& known) {
  std::erase_if(known.refused,
                [&](const auto& refused) { return refused.second.met < known.begun; });
}

// False: it is not passed over.
bool Purge::note_refused(Known& known, const std::string& row, const Error& error) {
  known.why_refused = text_of(error);
  if (const auto found = known.refused.find(row); found != known.refused.end()) {
    --known.again_left;
    found->second.put_off_again();
    return true;
  }
  if (known.refused.size() >= kMostRefused) forget_gone(known);
  known.rests = known.refused.size() >= kMostRefused;
  if (known.rests || known.new_left == 0) return false;
  --known.new_left;
  Refused& refused = known.refused[row];
  refused.met = Clock::now();
  refused.put_off_again();
  return true;
}

void Purge::purge(const TtlTable& table) {
  Known& known = this->known(table);
  begin_walk(known);
  known.rests = false;
  known.new_left = kMostNewlyRefused;
  known.again_left = kMostTriedAgain;
  uint64_t rows = 0;
  for (;;) {
    const Result<Step> step = delete_some(known, std::min(allowance_ / kRow, kMostRowsOfAStep));
    if (!step) {
      if (known.rests || step.error().code == ErrorCode::kOpenTable) {
        known.is_from_beginning = false;
        known.next_beginning = {};
        if (!put_off({table.database, table.table})) return;
      }
      return ttl_tables().note_failure(table, rows, text_of(step.error()));
    }
    put_off_.erase({table.database, table.table});
    known.search += step->search;
    if (!step->reached.empty()) known.reached = step->reached;
    if (!step->is_more) end_walk(known);
    rows += step->rows;
    allowance_ -= step->rows * kRow;
    session_->after_batch();
    if (!step->is_more || allowance_ < kRow || should_stop()) {
      is_behind_ |= step->is_more;
      const std::string_view why = known.refused.empty() ? std::string_view() : known.why_refused;
      return ttl_tables().note_round(table, rows, step->is_more ? step->behind_s : 0,
                                     std::time(nullptr), why);
    }
  }
}

// What was undone for a row that cannot be deleted, or of which a trigger or a child needs what another
// session has locked, is deleted without that one.
Result<Purge::Step> Purge::delete_some(Known& known, uint64_t most) {
  for (;;) {
    Failure failure;
    Result<Step> step = delete_at_once(known, most, &failure);
    if (step) return step;
    if (failure.is_lasting && failure.row.empty()) known.rests = true;
    const bool passes_over = !failure.row.empty() && note_refused(known, failure.row, step.error());
    if (failure.undone == 0 && !passes_over) return step;
    if (failure.undone > 0) most = failure.undone;
  }
}

// One transaction. What fails for a row is told with fewer than `most` undone.
Result<Purge::Step> Purge::delete_at_once(Known& known, uint64_t most, Failure* failure) {
  Step step;
  const Result<engine::Cursor*> opened = session_->cursor(known.spec);
  if (!opened) return opened.error();
  host_.lock_little(*session_);
  if (auto begun = session_->begin_request(**opened, engine::Access::kDelete, engine::Rows::kMany);
      !begun) {
    failure->is_lasting = !session_->must_wait() && is_of_table(begun.error());
    session_->rollback();
    return begun.error();
  }
  ExpiringCursor& cursor = host_.expiring(**opened);
  std::string refused;
  const Result<void> deleted = delete_rows(cursor, known, most, &step, &refused);
  // A row that another session has locked is left for later, and so is what follows it.
  const bool fails = !deleted && !host_.was_rolled_back(*session_);
  const bool must_wait = fails && session_->must_wait();
  const bool is_whole = !step.is_torn || cursor.undoes_rows();
  const bool keeps = deleted || (must_wait && step.rows > 0 && is_whole);
  Result<void> done;
  if (keeps) {
    done = session_->end_request();
  } else {
    session_->undo_request();
    done = deleted.error();
    failure->is_lasting = fails && !must_wait && is_of_table(deleted.error());
    const bool is_refused = failure->is_lasting && step.is_torn;
    if (must_wait || is_refused) failure->undone = step.rows;
    if (is_refused) failure->row = std::move(refused);
  }
  if (done && !session_->transaction_lost()) done = session_->commit();
  if (done && !session_->transaction_lost()) return step;
  session_->rollback();
  return done ? Error{ErrorCode::kLockTables, 0, {}} : std::move(done.error());
}

// Ends the step only behind the place where it has begun, so that the next one gets further.
Result<void> Purge::delete_rows(ExpiringCursor& cursor, Known& known, uint64_t most, Step* step,
                                std::string* refused) {
  const Clock::time_point begun = Clock::now();
  uint64_t passed = 0;
  Result<bool> found = cursor.seek_expired(known.reached);
  for (; found && *found; found = cursor.next_expired()) {
    if (step->rows == 0) step->search = Clock::now() - begun;
    step->reached = cursor.place_of_expired();
    step->is_more = passed >= kMostHistoryOfAStep && step->reached != known.reached;
    if (step->is_more) return {};
    if (cursor.pass_over_history()) {
      ++passed;
      continue;
    }
    step->behind_s = cursor.seconds_expired();
    step->is_more = step->rows == most;
    if (step->is_more) return {};
    const std::string_view row = cursor.row_of_expired();
    const auto known_row = known.refused.find(row);
    const bool is_known = known_row != known.refused.end();
    if (is_known) {
      known_row->second.met = Clock::now();
      if (known.again_left == 0 || !known_row->second.is_over()) {
        ++passed;
        continue;
      }
    }
    if (auto erased = cursor.erase_expired(); !erased) {
      step->is_torn = true;
      *refused = row;
      return erased;
    }
    if (is_known) known.refused.erase(known_row);
    ++step->rows;
  }
  if (!found) return std::move(found.error());
  if (step->rows == 0) step->search = Clock::now() - begun;
  step->reached = cursor.place_of_now();
  return {};
}

}  // namespace hs::adapter
