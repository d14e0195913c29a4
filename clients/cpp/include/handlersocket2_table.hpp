// Tables of the C++ client; included by handlersocket2.hpp.
#pragma once

#include <handlersocket2.hpp>

namespace hs {

inline std::string join(const std::vector<std::string>& names) {
  std::string result;
  for (const auto& name : names) result += (result.empty() ? "" : ",") + name;
  return result;
}

class Table {
 public:
  Table(Client client, std::string name, std::vector<std::string> columns, std::string index)
      : client_(std::move(client)),
        name_(std::move(name)),
        index_(std::move(index)),
        columns_(std::move(columns)),
        types_(std::make_shared<Types>()) {}
  const std::vector<std::string>& columns() const {
    return columns_.empty() ? (load(), types_->names) : columns_;
  }

  std::optional<Row> get(const Key& key) const {
    auto rows = find(Query{"=", key, 1, 0, {}});
    return rows.empty() ? std::nullopt : std::optional<Row>(std::move(rows[0]));
  }
  // A row or nothing for each key, in one pipeline.
  std::vector<std::optional<Row>> get_many(const std::vector<Key>& keys) const {
    std::vector<std::optional<Row>> result;
    auto handle = open(columns(), {});
    BatchHandle batch = new_batch();
    hs_error error = {};
    for (const Key& key : keys) {
      Encoded values(key);
      hs_query q = {};
      q.key = values.data();
      q.key_count = values.size();
      check(hs_batch_find(batch.get(), handle.get(), &q, &error), error);
    }
    ReplyHandle reply = run(batch.get());
    for (std::size_t i = 0; i < keys.size(); i++) {
      check(hs_reply_select(reply.get(), i, &error), error);
      auto found = rows(reply.get(), columns());
      result.push_back(found.empty() ? std::nullopt : std::optional<Row>(std::move(found[0])));
    }
    return result;
  }
  std::vector<Row> find(const Query& query) const {
    return rows(ask(query, columns(), Form::find).get(), columns());
  }
  std::uint64_t count(Query query) const {
    return number(ask(query, columns(), Form::count).get());
  }
  bool exists(const Key& key) const { return count(Query{"=", key, 1, 0, {}}) != 0; }

  // The generated id, if there is one.
  std::optional<std::uint64_t> insert(const Row& row) const {
    ReplyHandle reply = add("+", row);
    std::uint64_t id = hs_reply_rows(reply.get()) != 0 ? number(reply.get()) : 0;
    return id != 0 ? std::optional<std::uint64_t>(id) : std::nullopt;
  }
  bool insert_ignore(const Row& row) const { return number(add("+I", row).get()) != 0; }
  // inserted, updated or unchanged.
  std::string upsert(const Row& row) const {
    std::uint64_t did = number(add("+U", row).get());
    return did == 1 ? "inserted" : did == 2 ? "updated" : "unchanged";
  }
  // How many rows it has replaced.
  std::uint64_t replace(const Row& row) const { return number(add("+R", row).get()) - 1; }
  std::uint64_t update(const Query& query, const Row& values) const {
    return change(query, "U", values);
  }
  std::uint64_t update(const Key& key, const Row& values) const {
    return update(Query{"=", key, 1, 0, {}}, values);
  }
  std::uint64_t erase(const Query& query) const { return change(query, "D", {}); }
  std::uint64_t erase(const Key& key) const { return erase(Query{"=", key, 1, 0, {}}); }
  std::uint64_t increment(const Key& key, const Row& amounts) const {
    return change(Query{"=", key, 1, 0, {}}, "+", amounts);
  }
  std::uint64_t decrement(const Key& key, const Row& amounts) const {
    return change(Query{"=", key, 1, 0, {}}, "-", amounts);
  }
  bool compare_and_set(const Key& key, const Row& expected, const Row& values) const {
    Query query{"=", key, 1, 0, {}};
    for (const auto& [column, value] : expected)
      query.filters.push_back({column, "=", value, false});
    return change(query, "U", values) != 0;
  }

 private:
  friend class Transaction;
  enum class Form { find, count, change };
  struct Types {
    std::once_flag once;
    std::vector<std::string> names;
    std::map<std::string, std::string> of;
  };

  // Columns and types by D, once. The original has no D: then all values are text.
  void load() const {
    std::call_once(types_->once, [this] {
      std::size_t dot = name_.find('.');
      try {
        if (dot == std::string::npos) refuse("a table is named database.table");
        for (const Line& line : client_.describe(name_.substr(0, dot), name_.substr(dot + 1))) {
          types_->names.push_back(line.at(0).value_or(""));
          types_->of[types_->names.back()] = line.at(1).value_or("");
        }
      } catch (const UnsupportedError&) {
        if (columns_.empty()) throw;
      }
    });
  }
  TableHandle open(const std::vector<std::string>& columns,
                   const std::vector<Filter>& filters) const {
    std::vector<std::string> names;
    for (const Filter& filter : filters) names.push_back(filter.column);
    hs_error error = {};
    TableHandle handle(hs_table_new(client_.handle(), name_.c_str(), index_.c_str(),
                                    join(columns).c_str(), join(names).c_str(), &error));
    if (!handle) raise(error);
    return handle;
  }
  BatchHandle new_batch() const {
    BatchHandle batch(hs_batch_new(client_.handle()));
    if (!batch) throw std::bad_alloc();
    return batch;
  }
  ReplyHandle run(hs_batch* batch) const {
    ReplyHandle reply = new_reply();
    hs_error error = {};
    check(transaction_ != nullptr ? hs_transaction_run(transaction_, batch, reply.get(), &error)
                                  : hs_batch_run(batch, reply.get(), &error),
          error);
    return reply;
  }
  ReplyHandle run_one(hs_batch* batch) const {
    ReplyHandle reply = run(batch);
    hs_error error = {};
    check(hs_reply_select(reply.get(), 0, &error), error);
    return reply;
  }
  ReplyHandle ask(const Query& query, const std::vector<std::string>& columns, Form form,
                  const char* kind = nullptr, const std::vector<Value>& values = {}) const {
    auto handle = open(columns, query.filters);
    BatchHandle batch = new_batch();
    std::vector<Value> compared;
    for (const Filter& filter : query.filters) compared.push_back(filter.value);
    Encoded key(query.key), against(compared), set(values);
    std::vector<hs_filter> filters;
    for (const Filter& f : query.filters) {
      auto place = static_cast<std::uint32_t>(filters.size());
      filters.push_back({f.ends ? 'W' : 'F', f.op.c_str(), place, against.data()[place]});
    }
    hs_query q = {};
    q.op = query.op.c_str();
    q.key = key.data();
    q.key_count = key.size();
    q.limit = query.limit;
    q.offset = query.offset;
    q.filters = filters.data();
    q.filter_count = filters.size();
    hs_error error = {};
    check(form == Form::find    ? hs_batch_find(batch.get(), handle.get(), &q, &error)
          : form == Form::count ? hs_batch_count(batch.get(), handle.get(), &q, &error)
                                : hs_batch_change(batch.get(), handle.get(), &q, kind, set.data(),
                                                  set.size(), &error),
          error);
    return run_one(batch.get());
  }
  std::uint64_t change(const Query& query, const char* kind, const Row& row) const {
    std::vector<std::string> names;
    std::vector<Value> values;
    split(row, &names, &values);
    return number(ask(query, names, Form::change, kind, values).get());
  }
  ReplyHandle add(const char* verb, const Row& row) const {
    std::vector<std::string> names;
    std::vector<Value> values;
    split(row, &names, &values);
    auto handle = open(names, {});
    BatchHandle batch = new_batch();
    Encoded encoded(values);
    hs_error error = {};
    check(hs_batch_insert(batch.get(), handle.get(), verb, encoded.data(), encoded.size(), nullptr,
                          0, &error),
          error);
    return run_one(batch.get());
  }
  static void split(const Row& row, std::vector<std::string>* names, std::vector<Value>* values) {
    for (const auto& [name, value] : row) {
      names->push_back(name);
      values->push_back(value);
    }
  }
  static std::uint64_t number(const hs_reply* reply) {
    std::uint64_t result = 0;
    hs_error error = {};
    error.kind = HS_PROTOCOL;
    check(hs_value_uint64(hs_reply_value(reply, 0, 0), &result), error);
    return result;
  }
  std::vector<Row> rows(const hs_reply* reply, const std::vector<std::string>& names) const {
    load();
    std::vector<Row> result(hs_reply_rows(reply));
    for (std::size_t row = 0; row < result.size(); row++)
      for (std::size_t i = 0; i < names.size(); i++) {
        auto type = types_->of.find(names[i]);
        result[row][names[i]] = decode(hs_reply_value(reply, row, i),
                                       type != types_->of.end() ? type->second : std::string());
      }
    return result;
  }

  mutable Client client_;
  std::string name_, index_;
  std::vector<std::string> columns_;
  std::shared_ptr<Types> types_;
  hs_transaction* transaction_ = nullptr;
};

inline Table Client::table(const std::string& name, std::vector<std::string> columns,
                           const std::string& index) {
  return Table(*this, name, std::move(columns), index);
}

inline Table Transaction::in(const Table& table) const {
  Table inside = table;
  inside.transaction_ = handle_;
  return inside;
}

}  // namespace hs
