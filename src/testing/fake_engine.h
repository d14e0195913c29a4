// A database in memory behind the engine interface, for tests and for tools/hs_fake_server.
//
// All sessions share the tables. Other sessions see changes at once, before their commit. One
// session at a time may hold uncommitted changes. Another one that wants to change something waits
// for it, and gives up with the engine's error 146 (lock wait timeout). Everything else behaves as
// the interface says: undo, rollback, index order, reopening after a table changed.
//
// As thread-safe as the interface asks. A session is used in the thread that it has entered, which
// an assert checks; the functions of FakeEngine on any thread. Several sessions may be in one
// thread.
#pragma once

#include <chrono>
#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/engine.h"
#include "testing/table.h"
#include "testing/table_definition.h"

namespace hs::testing {

class FakeEngine : public engine::Engine {
 public:
  // Creates a table, or replaces it by an empty one: open cursors are then reopened by name.
  void create_table(std::string_view database, std::string_view table,
                    std::vector<ColumnDefinition> columns, std::vector<IndexDefinition> indexes,
                    std::string comment = {});
  // The same from a line of text (see table_definition.h), which must be valid.
  void create_table(std::string_view definition);
  void drop_table(std::string_view database, std::string_view table);

  // Adds a committed row, one value for each column (none = NULL). False: the table refuses it.
  bool add_row(std::string_view database, std::string_view table,
               const std::vector<std::optional<std::string>>& values);

  // All rows in the order of their insertion; columns joined by commas, NULL as NULL.
  std::vector<std::string> rows(std::string_view database, std::string_view table) const;

  // An account, or another password for it. It may see no table until grant().
  void create_account(std::string_view user, std::string_view password);
  // From now on the account has these rights on the table, for every index and column list.
  void grant(std::string_view user, std::string_view table, const engine::Rights& rights);
  // From now on the account's logins put so many questions of `method` to the client, if it can be
  // asked. At first one of mysql_native_password.
  void ask_at_login(std::string_view user, std::string_view method, int questions);
  // The right answer to a challenge or a question: its bytes, and the password behind them.
  Result<engine::AccountPtr> log_in(const engine::Credentials& credentials) override;
  // From now on log_in() blocks until let_logins_go().
  void hold_logins();
  void let_logins_go();
  // ... but not for this account.
  void never_hold(std::string_view user);
  // Blocks until so many logins are held.
  void await_held_logins(int number);

  // How long a session waits for another one's uncommitted changes. 50 ms unless it is set.
  void set_lock_wait_timeout(std::chrono::milliseconds timeout);

  // What time it is for rows that expire, in seconds. At first 0, at which none has expired.
  void set_now(int64_t now);

  // From now on there is a binary log: changes have the GTIDs 0-1-1, 0-1-2 ...
  void write_binary_log();
  // The replica that this is has applied the GTIDs 0-2-1 to 0-2-`number`.
  void apply(uint64_t number);

  std::unique_ptr<engine::Session> make_session(engine::Mode mode, std::string_view name) override;
  bool wait_until_ready() override { return true; }

 private:
  friend class FakeSession;
  friend class FakeCursor;

  struct Known {
    std::string password;
    std::string method = "mysql_native_password";
    int questions = 1;
    bool is_never_held = false;
    std::map<std::string, engine::Rights, std::less<>> rights;  // by table
  };

  std::shared_ptr<Table> find_table(std::string_view database, std::string_view table) const;

  mutable std::mutex mutex_;  // guards everything here and the tables
  std::condition_variable writer_gone_;
  const void* writer_ = nullptr;  // the session with uncommitted changes
  std::chrono::milliseconds lock_wait_timeout_{50};
  std::map<std::pair<std::string, std::string>, std::shared_ptr<Table>, std::less<>> tables_;
  std::map<std::string, Known, std::less<>> accounts_;
  int64_t now_ = 0;
  uint64_t definitions_ = 0;  // tables that were created
  mapping::TableNews news_;
  bool has_binary_log_ = false;
  uint64_t logged_ = 0;   // the number of the last GTID of its own
  uint64_t applied_ = 0;  // of the last one of server 2
  bool holds_logins_ = false;
  int held_logins_ = 0;
  std::condition_variable login_held_;
  std::condition_variable logins_go_;
};

}  // namespace hs::testing
