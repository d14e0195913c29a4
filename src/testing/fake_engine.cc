#include "testing/fake_engine.h"

#include "base/assert.h"
#include "testing/fake_session.h"

namespace hs::testing {
namespace {

std::pair<std::string, std::string> name_of(std::string_view database, std::string_view table) {
  return {std::string(database), std::string(table)};
}

}  // namespace

void FakeEngine::create_table(std::string_view database, std::string_view table,
                              std::vector<ColumnDefinition> columns,
                              std::vector<IndexDefinition> indexes, std::string comment) {
  const std::lock_guard lock(mutex_);
  tables_[name_of(database, table)] = std::make_shared<Table>(
      std::move(columns), std::move(indexes), std::move(comment), ++definitions_);
  news_.changed.push_back({std::string(database), std::string(table)});
}

void FakeEngine::create_table(std::string_view definition) {
  std::string error;
  std::optional<TableDefinition> parsed = parse_table_definition(definition, &error);
  HS_ASSERT(parsed);
  if (!parsed) return;
  create_table(parsed->database, parsed->table, std::move(parsed->columns),
               std::move(parsed->indexes), std::move(parsed->comment));
}

void FakeEngine::drop_table(std::string_view database, std::string_view table) {
  const std::lock_guard lock(mutex_);
  tables_.erase(name_of(database, table));
  news_.gone.push_back({std::string(database), std::string(table)});
}

bool FakeEngine::add_row(std::string_view database, std::string_view table,
                         const std::vector<std::optional<std::string>>& values) {
  const std::lock_guard lock(mutex_);
  const std::shared_ptr<Table> found = find_table(database, table);
  if (!found || values.size() != found->columns().size()) return false;
  std::vector<size_t> into;
  std::vector<Value> views;
  for (const std::optional<std::string>& value : values) {
    into.push_back(into.size());
    views.push_back(value ? Value::of(*value) : Value::null());
  }
  return found->insert(into, views).has_value();
}

std::vector<std::string> FakeEngine::rows(std::string_view database, std::string_view table) const {
  const std::lock_guard lock(mutex_);
  std::vector<std::string> rows;
  const std::shared_ptr<Table> found = find_table(database, table);
  if (!found) return rows;
  for (const auto& [id, row] : found->rows()) {
    std::string& text = rows.emplace_back();
    for (const Cell& cell : row) {
      if (&cell != &row.front()) text += ',';
      text += cell == Cell() ? "NULL" : cell_text(cell);
    }
  }
  return rows;
}

void FakeEngine::set_lock_wait_timeout(std::chrono::milliseconds timeout) {
  const std::lock_guard lock(mutex_);
  lock_wait_timeout_ = timeout;
}

void FakeEngine::set_now(int64_t now) {
  const std::lock_guard lock(mutex_);
  now_ = now;
}

void FakeEngine::write_binary_log() {
  const std::lock_guard lock(mutex_);
  has_binary_log_ = true;
}

void FakeEngine::apply(uint64_t number) {
  const std::lock_guard lock(mutex_);
  applied_ = number;
}

std::unique_ptr<engine::Session> FakeEngine::make_session(engine::Mode mode, std::string_view) {
  return std::make_unique<FakeSession>(*this, mode);
}

void FakeEngine::create_account(std::string_view user, std::string_view password) {
  const std::lock_guard lock(mutex_);
  accounts_[std::string(user)].password = password;
}

void FakeEngine::grant(std::string_view user, std::string_view table,
                       const engine::Rights& rights) {
  const std::lock_guard lock(mutex_);
  accounts_[std::string(user)].rights[std::string(table)] = rights;
}

void FakeEngine::ask_at_login(std::string_view user, std::string_view method, int questions) {
  const std::lock_guard lock(mutex_);
  Known& account = accounts_[std::string(user)];
  account.method = method;
  account.questions = questions;
}

Result<engine::AccountPtr> FakeEngine::log_in(const engine::Credentials& credentials) {
  using Proof = engine::Credentials::Proof;
  Known account;
  {
    std::unique_lock lock(mutex_);
    auto known = accounts_.find(credentials.user);
    if (known == accounts_.end() || !known->second.is_never_held) {
      ++held_logins_;
      login_held_.notify_all();
      logins_go_.wait(lock, [this] { return !holds_logins_; });
      --held_logins_;
    }
    known = accounts_.find(credentials.user);
    if (known == accounts_.end()) return ErrorCode::kUnauthorized;
    account = known->second;
  }
  if (credentials.proof == Proof::kDialogue) {
    for (int number = 1; number <= account.questions; ++number) {
      const std::string question = "question " + std::to_string(number);
      std::string answer;
      const auto outcome = credentials.dialogue->ask(account.method, question, &answer);
      if (outcome != engine::Dialogue::Outcome::kAnswered) return ErrorCode::kUnauthorized;
      if (answer != question + account.password) return ErrorCode::kUnauthorized;
    }
    return engine::AccountPtr(std::make_shared<FakeAccount>(credentials.user));
  }
  std::string right = account.password;
  if (credentials.proof == Proof::kResponse) {
    right.insert(right.begin(), credentials.challenge.begin(), credentials.challenge.end());
  }
  if (credentials.secret != right) return ErrorCode::kUnauthorized;
  return engine::AccountPtr(std::make_shared<FakeAccount>(credentials.user));
}

void FakeEngine::hold_logins() {
  const std::lock_guard lock(mutex_);
  holds_logins_ = true;
}

void FakeEngine::never_hold(std::string_view user) {
  const std::lock_guard lock(mutex_);
  accounts_[std::string(user)].is_never_held = true;
}

void FakeEngine::await_held_logins(int number) {
  std::unique_lock lock(mutex_);
  login_held_.wait(lock, [this, number] { return held_logins_ >= number; });
}

void FakeEngine::let_logins_go() {
  const std::lock_guard lock(mutex_);
  holds_logins_ = false;
  logins_go_.notify_all();
}

std::shared_ptr<Table> FakeEngine::find_table(std::string_view database,
                                              std::string_view table) const {
  const auto at = tables_.find(name_of(database, table));
  return at == tables_.end() ? nullptr : at->second;
}

}  // namespace hs::testing
