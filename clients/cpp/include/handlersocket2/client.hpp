// Clients of the C++ client; included by handlersocket2.hpp.
#pragma once

#include <cstdio>
#include <exception>
#include <functional>
#include <handlersocket2/value.hpp>
#include <map>

namespace hs {

class Table;

// A line of an answer, and its values as they came.
using Line = std::vector<std::optional<std::string>>;

// What a raw line is answered with. An error has its text as the only value.
struct RawReply {
  int code = 0;
  std::size_t columns = 0;
  Line values;
};

using Options = std::map<std::string, std::string>;

namespace detail {

inline std::optional<std::string> text_or_null(hs_value value) {
  if (value.data == nullptr) return std::nullopt;
  return std::string(value.data, value.len);
}

inline std::vector<Line> lines(const hs_reply* reply) {
  std::vector<Line> result(hs_reply_rows(reply));
  for (std::size_t row = 0; row < result.size(); row++)
    for (std::size_t column = 0; column < hs_reply_columns(reply); column++)
      result[row].push_back(text_or_null(hs_reply_value(reply, row, column)));
  return result;
}

inline std::string url_of(const Options& options) {
  static const char* const digits = "0123456789ABCDEF";
  std::string url = "hs://?";
  for (const auto& [name, value] : options) {
    if (url.back() != '?') url += '&';
    url += name + '=';
    for (char c : value) {
      const auto byte = static_cast<unsigned char>(c);
      url += {'%', digits[byte >> 4], digits[byte & 15]};
    }
  }
  return options.empty() ? "hs://" : url;
}

}  // namespace detail

class Client {
 public:
  // Is called for every request when its call has ended, in its thread. kind is the call's name; error
  // is null when it went well. What it throws is written to stderr, and changes nothing of the call.
  using Hook = std::function<void(std::string_view kind, std::string_view table, double seconds,
                                  const Error* error)>;

  // No URL: HS_URL, or the defaults. Opens no connection.
  Client() : Client(static_cast<const char*>(nullptr)) {}
  explicit Client(const char* url) : shared_(std::make_shared<Shared>(url)) {}
  explicit Client(const std::string& url) : Client(c_text(url)) {}
  // By the names of clients/README.md.
  explicit Client(const Options& options) : Client(detail::url_of(options)) {}
  hs_client* handle() const { return shared_->client; }

  // Before the client is shared by threads.
  void on_request(Hook hook) {
    shared_->hook = std::move(hook);
    hs_set_hook(handle(), shared_->hook ? tell : nullptr, &shared_->hook);
  }
  void ping() const {
    call([&](hs_error* e) { return hs_ping(handle(), e); });
  }
  // With commas between them; empty for the original.
  std::string features() const {
    char buffer[256];
    call([&](hs_error* e) { return hs_features(handle(), buffer, sizeof buffer, e); });
    return buffer;
  }
  // Of the client's last changes, with commas between the domains; empty before the first.
  std::string last_gtid() const {
    char buffer[4096];
    call([&](hs_error* e) { return hs_last_gtid(handle(), buffer, sizeof buffer, e); });
    return buffer;
  }
  // Whether they are applied within so many seconds, where reads go.
  bool wait_for_gtid(const std::string& gtid, double seconds) const {
    int applied = 0;
    call([&](hs_error* e) {
      return hs_wait_for_gtid(handle(), c_text(gtid), seconds, &applied, e);
    });
    return applied != 0;
  }
  // The forms of D in docs/protocol.md: no names: databases; no table: the tables of a database; else
  // the columns of a table, or its indexes.
  std::vector<Line> describe(const std::string& database = "", const std::string& table = "",
                             bool indexes = false) const {
    detail::Reply reply;
    call([&](hs_error* e) {
      return hs_describe(handle(), c_text(database), c_text(table), indexes, reply.get(), e);
    });
    return detail::lines(reply.get());
  }
  // One line of tokens as they are.
  RawReply raw(bool write_port, const std::vector<std::string>& tokens) const {
    detail::Reply reply;
    std::vector<hs_value> values;
    values.reserve(tokens.size());
    RawReply result;
    for (const auto& token : tokens) values.push_back(hs_bytes(token.data(), token.size()));
    call([&](hs_error* e) {
      return hs_raw(handle(), write_port, values.data(), values.size(), reply.get(), &result.code,
                    e);
    });
    result.columns = hs_reply_columns(reply.get());
    for (const Line& line : detail::lines(reply.get()))
      result.values.insert(result.values.end(), line.begin(), line.end());
    return result;
  }
  // "database.table", or a table of the URL's database. columns: those that reads give; none: all of
  // them, by D. raw: values are bytes.
  Table table(const std::string& name, const std::vector<std::string>& columns = {},
              const std::string& index = "PRIMARY", bool raw = false) const;

 private:
  struct Shared {
    explicit Shared(const char* url) {
      hs_error error = {};
      client = hs_connect(url, &error);
      if (client == nullptr) raise(error);
    }
    ~Shared() { hs_close(client); }
    Shared(const Shared&) = delete;
    hs_client* client;
    Hook hook;
  };
  static void tell(void* hook, const char* kind, const char* table, double seconds,
                   const hs_error* error) noexcept {
    try {
      const std::optional<Error> made = error ? std::optional<Error>(*error) : std::nullopt;
      (*static_cast<Hook*>(hook))(kind, table, seconds, made ? &*made : nullptr);
    } catch (const std::exception& failure) {  // it may not pass through C
      warn(failure.what());
    } catch (...) {
      warn("with what is no std::exception");
    }
  }
  static void warn(const char* what) noexcept {
    (void)std::fprintf(stderr, "handlersocket2: the hook has thrown: %s\n", what);
  }
  template <typename F>
  static void call(F f) {
    hs_error error = {};
    check(f(&error), error);
  }
  std::shared_ptr<Shared> shared_;
};

// Rolls back at its end unless commit() was called.
class Transaction {
 public:
  // isolation: RU, RC, RR, SR, or null for the server's. One that only reads is on the read port.
  explicit Transaction(const Client& client, const char* isolation = nullptr,
                       bool read_only = false)
      : client_(client), state_(std::make_shared<State>()) {
    hs_error error = {};
    state_->handle = hs_begin(client_.handle(), isolation, read_only, &error);
    if (state_->handle == nullptr) raise(error);
  }
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;
  ~Transaction() {
    if (state_->handle != nullptr) hs_rollback(std::exchange(state_->handle, nullptr), nullptr);
  }
  // After an error nothing was kept, unless it is a ConnectionError with sent().
  void commit() { end(hs_commit); }
  void rollback() { end(hs_rollback); }
  void savepoint(const std::string& name) {
    hs_error error = {};
    check(hs_savepoint(handle(), c_text(name), &error), error);
  }
  void rollback_to(const std::string& name) {
    hs_error error = {};
    check(hs_rollback_to(handle(), c_text(name), &error), error);
  }
  // The same table, with its calls in the transaction.
  Table in(const Table& table) const;
  const Client& client() const { return client_; }
  hs_transaction* handle() const { return state_->get(); }

 private:
  friend class Table;
  // What tables of the transaction share with it, so that they know of its end.
  struct State {
    hs_transaction* get() const {
      if (handle == nullptr) refuse("the transaction has ended");
      return handle;
    }
    hs_transaction* handle = nullptr;
  };
  void end(int (*how)(hs_transaction*, hs_error*)) {
    hs_error error = {};
    hs_transaction* ended = handle();
    state_->handle = nullptr;
    check(how(ended, &error), error);
  }
  Client client_;
  std::shared_ptr<State> state_;
};

}  // namespace hs
