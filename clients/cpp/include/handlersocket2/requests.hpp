// How the C++ client says its calls; included by handlersocket2.hpp.
#pragma once

#include <handlersocket2/query.hpp>

namespace hs {

namespace detail {

// A query as handlersocket2.h has it. Refers to the query.
class Asked {
 public:
  explicit Asked(const Query& query)
      : key_(query.key),
        in_(query.in),
        filters_(query.filters.size()),
        digits_(query.filters.size()) {
    for (std::size_t i = 0; i < filters_.size(); i++) {
      const Filter& f = query.filters[i];
      filters_[i] = {c_text(f.column), c_text(f.op), encode(f.value, &digits_[i]), f.ends};
    }
    query_.op = c_text(query.op);
    query_.key = key_.data();
    query_.key_count = key_.size();
    query_.limit = query.limit;
    query_.offset = query.offset;
    query_.in_column = query.in_column.empty() ? nullptr : c_text(query.in_column);
    query_.in = in_.data();
    query_.in_count = in_.size();
    query_.in_all = query.in_all;
    query_.filters = filters_.data();
    query_.filter_count = filters_.size();
  }
  const hs_query* get() const { return &query_; }

 private:
  Values key_, in_;
  Small<hs_filter, 4> filters_;
  Small<Digits, 4> digits_;
  hs_query query_ = {};
};

// What of a call is the same alone and in a pipeline: how it is said, and what its answer means.
struct Direct {
  hs_table* table;
  hs_reply* reply;
  int find(const hs_query* q, hs_error* e) const { return hs_find(table, q, reply, e); }
  int count(const hs_query* q, hs_error* e) const {
    std::uint64_t rows = 0;
    return hs_count(table, q, reply, &rows, e);
  }
  int change(const hs_query* q, const char* verb, const Fields& f, hs_error* e) const {
    return hs_change(table, q, verb, f.data(), f.size(), reply, e);
  }
  int insert(const char* verb, const Fields& row, const Fields* update, hs_error* e) const {
    return hs_insert(table, verb, row.data(), row.size(), update ? update->data() : nullptr,
                     update ? update->size() : 0, reply, e);
  }
};

struct Batched {
  hs_table* table;
  hs_batch* batch;
  int find(const hs_query* q, hs_error* e) const { return hs_batch_find(batch, table, q, e); }
  int count(const hs_query* q, hs_error* e) const { return hs_batch_count(batch, table, q, e); }
  int change(const hs_query* q, const char* verb, const Fields& f, hs_error* e) const {
    return hs_batch_change(batch, table, q, verb, f.data(), f.size(), e);
  }
  int insert(const char* verb, const Fields& row, const Fields* update, hs_error* e) const {
    return hs_batch_insert(batch, table, verb, row.data(), row.size(),
                           update ? update->data() : nullptr, update ? update->size() : 0, e);
  }
};

template <typename To>
void find(const To& to, const Query& query) {
  hs_error error = {};
  check(to.find(Asked(query).get(), &error), error);
}
// The row with this key.
template <typename To>
void find(const To& to, const Key& key) {
  hs_error error = {};
  const Values values(key);
  hs_query query = {};
  query.key = values.data();
  query.key_count = values.size();
  check(to.find(&query, &error), error);
}
template <typename To>
void count(const To& to, const Query& query) {
  hs_error error = {};
  check(to.count(Asked(query).get(), &error), error);
}
template <typename To>
void change(const To& to, const Query& query, const std::string& verb, const Row& row) {
  hs_error error = {};
  check(to.change(Asked(query).get(), verb.c_str(), Fields(row), &error), error);
}
template <typename To>
void insert(const To& to, const std::string& verb, const Row& row,
            const std::optional<Row>& update = {}) {
  hs_error error = {};
  std::optional<Fields> fields;
  if (update) fields.emplace(*update);
  check(to.insert(verb.c_str(), Fields(row), fields ? &*fields : nullptr, &error), error);
}

inline Query same_key(const Key& key, std::int64_t limit = 0) {
  Query query;
  query.key = key;
  query.limit = limit;
  return query;
}

inline Query expecting(const Key& key, const Row& expected) {
  if (expected.empty()) refuse("there is nothing to compare with");
  Query query = same_key(key);
  for (const auto& [column, value] : expected) query.filters.push_back({column, "=", value});
  return query;
}

inline Query find_all(const std::string& op, const Key& key, const std::string& in_column,
                      const std::vector<Value>& values, std::int64_t limit, std::int64_t offset,
                      const std::vector<Filter>& filters) {
  Query query(op, key, limit, offset, filters);
  query.in_column = in_column;
  query.in = values;
  query.in_all = true;
  return query;
}

}  // namespace detail

}  // namespace hs
