// Pipelines of the C++ client; included by handlersocket2.hpp.
#pragma once

#include <handlersocket2/table.hpp>

namespace hs {

namespace detail {

// A call of a pipeline, which takes its reply or its error.
struct Pending {
  virtual ~Pending() = default;
  virtual void take(const Table& table, const hs_reply* reply, const hs_error* why) = 0;
};

}  // namespace detail

// That of one call of a pipeline, once the pipeline has run.
template <typename T>
class Result {
 public:
  Result() : Result(nullptr) {}  // of no call
  // The result; throws the error of this call alone.
  const T& get() const {
    if (state_->value) return *state_->value;
    if (state_->error) raise(*state_->error);
    refuse("the pipeline has not run");
  }

 private:
  friend class Pipeline;
  using Read = T (*)(const hs_reply*, bool);
  struct State : detail::Pending {
    explicit State(Read read_) : read(read_) {}
    void take(const Table& table, const hs_reply* reply, const hs_error* why) override;
    void fail(const hs_error& why) { error = std::make_unique<const hs_error>(why); }
    Read read;
    std::optional<T> value;
    std::unique_ptr<const hs_error> error;  // Few have one, and it is large.
  };
  explicit Result(Read read) : state_(std::make_shared<State>(read)) {}
  std::shared_ptr<State> state_;
};

class PipelineReturning;

// Collects calls and sends them in one piece. When there is a change among them all go to the write
// port.
class Pipeline {
 public:
  explicit Pipeline(const Client& client) : client_(client), batch_(hs_batch_new(client.handle())) {
    if (!batch_) throw std::bad_alloc();
  }
  // In the transaction, which must be there as long as the pipeline.
  explicit Pipeline(const Transaction& transaction) : Pipeline(transaction.client()) {
    transaction_ = &transaction;
  }

  Result<std::optional<Row>> get(const Table& table, const Key& key) {
    return add<std::optional<Row>>(
        table, [&](const auto& to) { detail::find(to, key); }, detail::read_row);
  }
  Result<std::vector<Row>> find(const Table& table, const Query& query) {
    return add<std::vector<Row>>(
        table, [&](const auto& to) { detail::find(to, query); }, detail::read_rows);
  }
  Result<std::vector<Row>> find_all(const Table& table, const std::string& op, const Key& key,
                                    const std::string& in_column, const std::vector<Value>& values,
                                    std::int64_t limit = 1, std::int64_t offset = 0,
                                    const std::vector<Filter>& filters = {}) {
    return find(table, detail::find_all(op, key, in_column, values, limit, offset, filters));
  }
  Result<std::uint64_t> count(const Table& table, const Query& query) {
    return add<std::uint64_t>(
        table, [&](const auto& to) { detail::count(to, query); }, detail::read_number);
  }
  Result<bool> exists(const Table& table, const Key& key) {
    return add<bool>(
        table, [&](const auto& to) { detail::count(to, detail::same_key(key, 1)); }, is_any);
  }
  Result<Id> insert(const Table& table, const Row& row) {
    return add_row<Id>(table, "+", row, {}, detail::read_id);
  }
  Result<Inserted> insert_ignore(const Table& table, const Row& row) {
    return add_row<Inserted>(table, "+I", row, {}, detail::read_inserted);
  }
  Result<Upserted> upsert(const Table& table, const Row& row,
                          const std::optional<Row>& update = {}) {
    return add_row<Upserted>(table, "+U", row, update, detail::read_upserted);
  }
  Result<Replaced> replace(const Table& table, const Row& row) {
    return add_row<Replaced>(table, "+R", row, {}, detail::read_replaced);
  }
  Result<std::uint64_t> update(const Table& table, const Query& query, const Row& values) {
    return change(table, query, "U", values);
  }
  Result<std::uint64_t> update(const Table& table, const Key& key, const Row& values) {
    return update(table, detail::same_key(key), values);
  }
  Result<std::uint64_t> erase(const Table& table, const Query& query) {
    return change(table, query, "D", {});
  }
  Result<std::uint64_t> erase(const Table& table, const Key& key) {
    return erase(table, detail::same_key(key));
  }
  Result<std::uint64_t> increment(const Table& table, const Query& query, const Row& amounts) {
    return change(table, query, "+", amounts);
  }
  Result<std::uint64_t> increment(const Table& table, const Key& key, const Row& amounts) {
    return increment(table, detail::same_key(key), amounts);
  }
  Result<std::uint64_t> decrement(const Table& table, const Query& query, const Row& amounts) {
    return change(table, query, "-", amounts);
  }
  Result<std::uint64_t> decrement(const Table& table, const Key& key, const Row& amounts) {
    return decrement(table, detail::same_key(key), amounts);
  }
  Result<bool> compare_and_set(const Table& table, const Key& key, const Row& expected,
                               const Row& values) {
    return add<bool>(
        table,
        [&](const auto& to) { detail::change(to, detail::expecting(key, expected), "U", values); },
        is_any);
  }

  // The table, with changes that are added to the pipeline and give rows. The pipeline must be there as long.
  PipelineReturning returning(const Table& table, When when);

  // Sends the calls. What it throws is the error of the connection, which the calls without an answer
  // have, too. Afterwards the pipeline is empty.
  void run() {
    detail::Reply reply;
    hs_error broken = {};
    const int bad = transaction_ != nullptr ? hs_transaction_run(transaction_->handle(),
                                                                 batch_.get(), reply.get(), &broken)
                                            : hs_batch_run(batch_.get(), reply.get(), &broken);
    hs_batch_clear(batch_.get());
    const auto calls = std::move(calls_);
    const auto tables = std::move(tables_);
    calls_.clear();
    tables_.clear();
    hs_error own = {};
    for (std::size_t i = 0; i < calls.size(); i++) {
      const hs_error* error = nullptr;
      if (i >= hs_reply_count(reply.get()))
        error = &broken;
      else if (hs_reply_select(reply.get(), i, &own) != 0)
        error = &own;
      calls[i].pending->take(tables[calls[i].table], reply.get(), error);
    }
    check(bad, broken);
  }

 private:
  friend class PipelineReturning;
  static bool is_any(const hs_reply* reply, bool) { return detail::read_number(reply, false) != 0; }
  // What cannot be sent is the error of its call, too.
  template <typename T, typename Send>
  Result<T> add(const Table& table, Send send, T (*read)(const hs_reply*, bool)) {
    Result<T> result(read);
    try {
      send(detail::Batched{table.handle(), batch_.get()});
    } catch (const Error& error) {
      result.state_->fail(error.error());
      return result;
    }
    if (tables_.empty() || tables_.back().table_ != table.table_) tables_.push_back(table);
    calls_.push_back({result.state_, tables_.size() - 1});
    return result;
  }
  template <typename T>
  Result<T> add_row(const Table& table, const char* verb, const Row& row,
                    const std::optional<Row>& update, T (*read)(const hs_reply*, bool)) {
    return add<T>(
        table, [&](const auto& to) { detail::insert(to, verb, row, update); }, read);
  }
  Result<std::uint64_t> change(const Table& table, const Query& query, const char* verb,
                               const Row& row) {
    return add<std::uint64_t>(
        table, [&](const auto& to) { detail::change(to, query, verb, row); }, detail::read_number);
  }

  Client client_;
  BatchHandle batch_;
  const Transaction* transaction_ = nullptr;
  struct Call {
    std::shared_ptr<detail::Pending> pending;
    std::size_t table;  // its place in tables_
  };
  std::vector<Call> calls_;
  std::vector<Table> tables_;  // those of the calls: a run of calls on the same has one
};

// Changes of a pipeline that give rows, as Returning has them.
class PipelineReturning {
 public:
  PipelineReturning(Pipeline& pipeline, Table table, When when)
      : pipeline_(pipeline), table_(std::move(table)), mark_(1, static_cast<char>(when)) {}
  Result<std::vector<Row>> insert(const Row& row) const { return add("+", row, {}); }
  Result<std::vector<Row>> insert_ignore(const Row& row) const { return add("+I", row, {}); }
  Result<std::vector<Row>> upsert(const Row& row, const std::optional<Row>& update = {}) const {
    return add("+U", row, update);
  }
  Result<std::vector<Row>> replace(const Row& row) const { return add("+R", row, {}); }
  Result<std::vector<Row>> update(const Query& query, const Row& values) const {
    return change(query, "U", values);
  }
  Result<std::vector<Row>> erase(const Query& query) const { return change(query, "D", {}); }
  Result<std::vector<Row>> increment(const Query& query, const Row& amounts) const {
    return change(query, "+", amounts);
  }
  Result<std::vector<Row>> decrement(const Query& query, const Row& amounts) const {
    return change(query, "-", amounts);
  }

 private:
  Result<std::vector<Row>> add(const char* verb, const Row& row,
                               const std::optional<Row>& update) const {
    return pipeline_.add_row<std::vector<Row>>(table_, (verb + mark_).c_str(), row, update,
                                               detail::read_rows);
  }
  Result<std::vector<Row>> change(const Query& query, const char* verb, const Row& row) const {
    return pipeline_.add<std::vector<Row>>(
        table_, [&](const auto& to) { detail::change(to, query, verb + mark_, row); },
        detail::read_rows);
  }
  Pipeline& pipeline_;
  Table table_;
  std::string mark_;
};

inline PipelineReturning Pipeline::returning(const Table& table, When when) {
  return PipelineReturning(*this, table, when);
}

template <typename T>
void Result<T>::State::take(const Table& table, const hs_reply* reply, const hs_error* why) {
  if (why != nullptr) return fail(*why);
  try {
    value = table.read_or_forget([&] { return read(reply, table.raw()); });
  } catch (const Error& e) {
    fail(e.error());
  }
}

inline std::vector<std::optional<Row>> Table::get_many(const std::vector<Key>& keys) const {
  std::vector<std::optional<Row>> rows;
  if (keys.empty()) return rows;
  const std::size_t parts = keys[0].size();
  std::vector<Value> values;
  for (const Key& key : keys) {
    if (key.size() != parts) refuse("the keys have not the same number of values");
    values.insert(values.end(), key.begin(), key.end());
  }
  hs_error error = {};
  detail::Reply reply;
  const detail::Values encoded(values);
  check(hs_get_many(handle(), encoded.data(), parts, keys.size(), reply.get(), &error), error);
  for (std::size_t i = 0; i < keys.size(); i++) {
    check(hs_reply_select(reply.get(), i, &error), error);
    rows.push_back(read_or_forget([&] { return detail::read_row(reply.get(), raw_); }));
  }
  return rows;
}

}  // namespace hs
