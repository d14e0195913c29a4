// SPDX-License-Identifier: GPL-2.0-only
// hs_moving_session(STEP, KEY): one session of the plugin that takes each step on another thread. A
// user-defined function for tests/e2e/test_moving_session.py, to be loaded into its server only:
//
//   CREATE FUNCTION hs_moving_session RETURNS STRING SONAME 'hs_moving_session.so';
//   SELECT hs_moving_session('make', 0);
//
// Each insert, find, commit and rollback is made on a new thread, which the session enters and
// leaves. Between two steps it is in no thread. The table is hs.t (id, v); KEY is the id. One
// connection at a time may call the function.
//
//   make, make reader     a session of the write port, of the read port; in the caller's thread
//   insert                adds the row (KEY, KEY)
//   find                  its v, or `none`
//   commit, rollback
//   stale wakes           how often the session woke a thread that it had left
//   end                   in the caller's thread
//   end with the server   from now on a thread looks whether the server shuts down, and then enters
//                         the session, tries a find, and ends it
//
// Returns `ok`, the value that was found, or the error's name.
#include "mariadb/server_headers.h"
// (before anything else)
#include <atomic>
#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "engine/engine.h"
#include "mariadb/engine.h"

namespace hs::mariadb {
namespace {

using engine::Access;

// One stay of the session in a thread. Kept for good, so that a wake that comes too late is counted.
struct Stay {
  std::atomic<bool> is_over{false};
};

class MovingSession {
 public:
  ~MovingSession() {
    if (watcher_.joinable()) watcher_.join();
  }

  std::string take(std::string_view step, longlong key) {
    if (step == "make") return make(engine::Mode::kReadWrite);
    if (step == "make reader") return make(engine::Mode::kReadOnly);
    if (step == "stale wakes") return std::to_string(stale_wakes_);
    if (session_ == nullptr) return "there is no session";
    if (step == "end") {
      session_.reset();
    } else if (step == "end with the server") {
      watcher_ = std::thread([this] { watch(); });
    } else {
      std::string result;
      std::thread([&] { result = visit(step, key); }).join();
      return result;
    }
    return "ok";
  }

 private:
  std::string make(engine::Mode mode) {
    session_ = engine_.make_session(mode, "moving");
    return session_ != nullptr ? "ok" : "no session";
  }

  std::string visit(std::string_view step, longlong key) {
    stays_.push_back(std::make_unique<Stay>());
    Stay& stay = *stays_.back();
    engine::SessionEvents events;
    events.context = &stay;
    events.wake = [](void* context) {
      if (static_cast<Stay*>(context)->is_over) ++stale_wakes_;
    };
    session_->enter(events);
    std::string result = execute(step, std::to_string(key));
    session_->leave();
    stay.is_over = true;
    return result;
  }

  std::string execute(std::string_view step, const std::string& key) {
    if (step == "insert") return request(Access::kInsert, key);
    if (step == "find") return request(Access::kRead, key);
    if (step == "rollback") {
      session_->rollback();
    } else if (step == "commit") {
      if (const auto done = session_->commit(); !done) return name_of(done.error());
    } else {
      return "no such step";
    }
    session_->after_batch();
    return "ok";
  }

  std::string request(Access access, const std::string& key) {
    auto cursor = session_->cursor(spec_);
    if (!cursor) return name_of(cursor.error());
    if (const auto begun = session_->begin_request(**cursor, access, engine::Rows::kOne); !begun)
      return name_of(begun.error());
    auto result = access == Access::kInsert ? insert(**cursor, key) : find(**cursor, key);
    if (!result) {
      session_->undo_request();
      return name_of(result.error());
    }
    if (const auto ended = session_->end_request(); !ended) return name_of(ended.error());
    return *result;
  }

  static Result<std::string> insert(engine::Cursor& cursor, const std::string& key) {
    const Value row[] = {Value::of(key), Value::of(key)};
    if (auto inserted = cursor.insert(row); !inserted) return inserted.error();
    return std::string("ok");
  }

  static Result<std::string> find(engine::Cursor& cursor, const std::string& key) {
    const Value keys[] = {Value::of(key)};
    const auto found = cursor.seek(KeyOperator::kEqual, keys);
    if (!found) return found.error();
    if (!*found) return std::string("none");
    const auto row = cursor.row();
    if (!row) return row.error();
    return std::string((*row)[1].text());
  }

  // A session in no thread wakes nothing, so this thread asks it.
  void watch() {
    while (!session_->should_stop()) std::this_thread::sleep_for(std::chrono::milliseconds(5));
    const std::string result = visit("find", 1);
    session_.reset();
    sql_print_information("hs_moving_session: at the end find gave %s", result.c_str());
  }

  static std::string name_of(const Error& error) { return std::string(error_name(error.code)); }

  static inline std::atomic<int> stale_wakes_{0};

  MariaEngine engine_;
  const engine::IndexSpecPtr spec_ =
      std::make_shared<const engine::IndexSpec>(engine::IndexSpec{"hs", "t", "", {"id", "v"}, {}});
  std::unique_ptr<engine::Session> session_;
  std::vector<std::unique_ptr<Stay>> stays_;
  std::thread watcher_;
};

MovingSession moving_session;

}  // namespace
}  // namespace hs::mariadb

extern "C" {

[[gnu::visibility("default")]] my_bool hs_moving_session_init(UDF_INIT*, UDF_ARGS* arguments,
                                                              char* message) {
  if (arguments->arg_count == 2 && arguments->arg_type[0] == STRING_RESULT &&
      arguments->arg_type[1] == INT_RESULT)
    return 0;
  strmake(message, "hs_moving_session(step, key)", MYSQL_ERRMSG_SIZE - 1);
  return 1;
}

[[gnu::visibility("default")]] char* hs_moving_session(UDF_INIT*, UDF_ARGS* arguments, char* result,
                                                       unsigned long* length, char*, char* error) {
  constexpr size_t kRoom = 255;  // as the server gives it
  if (arguments->args[0] == nullptr || arguments->args[1] == nullptr) {
    *error = 1;
    return nullptr;
  }
  const std::string text =
      hs::mariadb::moving_session.take({arguments->args[0], arguments->lengths[0]},
                                       *reinterpret_cast<longlong*>(arguments->args[1]));
  *length = std::min(text.size(), kRoom);
  memcpy(result, text.data(), *length);
  return result;
}
}
