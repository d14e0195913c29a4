// What the C++ client searches for; included by handlersocket2.hpp.
#pragma once

#include <handlersocket2/client.hpp>

namespace hs {

struct Filter {
  std::string column, op;  // op: = != > >= < <=
  Value value;
  bool ends = false;  // a `while` filter: the search ends at the first row that fails it
};

// All rows of a find, a count or a change: those that compare with the key.
struct Query {
  Query() = default;
  Query(std::string op_, Key key_, std::int64_t limit_ = 0, std::int64_t offset_ = 0,
        std::vector<Filter> filters_ = {})
      : op(std::move(op_)),
        key(std::move(key_)),
        limit(limit_),
        offset(offset_),
        filters(std::move(filters_)) {}

  std::string op = "=";  // = =< > >= < <=
  Key key;
  std::int64_t limit = 0;  // 0: one row; in a count: no limit
  std::int64_t offset = 0;
  std::vector<Filter> filters;
  // A column of the index: each value takes its place in the key. It finds one row for each value, or
  // all of them, with limit and offset for each.
  std::string in_column;
  std::vector<Value> in;
  bool in_all = false;
};

// What a range goes over; nothing is all rows, upwards.
struct Bounds {
  std::optional<Key> start = {};   // a key, or the values of its first columns
  std::optional<Value> stop = {};  // the first value of the index's first column that is not wanted
  bool reverse = false;            // downwards; needs start
  std::vector<Filter> filters = {};
  std::int64_t page = 0;  // rows that are read at once; 0: 1000
};

}  // namespace hs
