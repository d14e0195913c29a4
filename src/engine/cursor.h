// One opened index of a table: positions, reads and changes of rows. engine.h has the order of calls.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/operator.h"
#include "base/result.h"
#include "base/value.h"

namespace hs::engine {

// What an index id of a connection stands for. It holds names only, so it survives ALTER TABLE and
// moves between sessions. Immutable once made. Connections that open the same thing share one
// object (see exec/open.h), and a session finds its Cursor by the object's address.
struct IndexSpec {
  std::string database;
  std::string table;
  std::string index;                 // empty: PRIMARY; digits that name no index: its number
  std::vector<std::string> columns;  // returned by finds, set by changes; may repeat, may be empty
  std::vector<std::string> filter_columns;  // addressed by filters

  bool operator==(const IndexSpec&) const = default;
};
using IndexSpecPtr = std::shared_ptr<const IndexSpec>;

// Names in the two column lists of `spec`.
inline size_t column_count(const IndexSpec& spec) {
  return spec.columns.size() + spec.filter_columns.size();
}

// What one request does to the rows. Decides its locks, its privileges and how it is logged.
enum class Access : uint8_t {
  kRead,
  kInsert,  // a row that is a duplicate is an error
  kUpdate,
  kDelete,
  kInsertIgnore,  // a row that is a duplicate is not added
  kUpsert,        // the row that a new one would be a duplicate of is updated
  kReplace,       // the rows that a new one would be a duplicate of go
};
inline constexpr size_t kAccesses = 7;

inline constexpr bool inserts(Access access) {
  return access == Access::kInsert || access >= Access::kInsertIgnore;
}

// How many rows a request may change at most.
enum class Rows : uint8_t { kOne, kMany };

// A table may say by which column its rows expire. From that moment on a row is not there for any
// call on its cursors. The moment is compared with one time for each batch of a kReadOnly session,
// and for each request of a kReadWrite one.
class Cursor {
 public:
  virtual ~Cursor() = default;

  virtual size_t key_parts() const = 0;  // columns of the index that a key may give, at least 1
  virtual size_t columns() const = 0;    // IndexSpec::columns.size()

  // How `+` and `-` count on a column.
  enum class Counting : uint8_t {
    kNot,    // not at all: BIT, ENUM, SET, dates
    kExact,  // on its text, which is its exact number or else an error: integers, DECIMAL, text
    kReal,   // on real(): FLOAT and DOUBLE, whose text is rounded
  };
  virtual Counting counting(size_t column) const = 0;

  // Positions on the first row for which `index <op> key` holds, in index order (descending for
  // kEqualDescending, kLess and kLessOrEqual). key.size() is 1..key_parts(): fewer values than key parts make a
  // prefix key. A kGreaterOrEqual that changes nothing may have none, and means all rows. True: on a
  // row; false: there is none. A key value that the column cannot hold equals no row. As the last value
  // of a range that changes nothing, it is the bound that SQL's comparison makes of it. Errors: kOperator,
  // kSql (SQL cannot compare the value with the column).
  virtual Result<bool> seek(KeyOperator op, std::span<const Value> key) = 0;

  // Moves to the next row of the last seek. With kEqual and kEqualDescending only rows with
  // the same key (prefix) follow.
  virtual Result<bool> next() = 0;

  // The opened columns of the current row as text, as SELECT prints them. Valid until the next call
  // on this cursor. An error when a value cannot be read.
  virtual Result<std::span<const Value>> row() = 0;

  // The number of the current row in a column of Counting::kReal, which must not be NULL there.
  virtual double real(size_t column) = 0;

  // Conditions on the opened filter columns, for passes(). Converts the values to the columns'
  // types once, here. A filter compares as its column does (collation, type). NULL equals NULL and
  // is less than everything else. A value that the column cannot hold still compares as in SQL.
  // Replaces the earlier filters; an empty span removes them. The span and its values are not used
  // after the call. Errors: kFilterBlob, kSql (the value cannot be compared with the column).
  struct Filter {
    size_t column = 0;  // position in IndexSpec::filter_columns
    FilterOperator op = FilterOperator::kEqual;
    Value value;
  };
  virtual Result<void> set_filters(std::span<const Filter> filters) = 0;

  // True when the current row meets filter `number` of set_filters().
  virtual bool passes(size_t number) = 0;

  // Between these two, in one request and around its seeks, row() is not called, nor passes() unless
  // `with_filters` is true. So the engine may read less of each row: only the index, where that has
  // all that is needed.
  virtual void begin_count(bool /*with_filters*/) {}
  virtual void end_count() {}

  // A name for the current row, by which seek_position() finds the row again in the same request,
  // even when its key has changed since. The bytes are valid until the next call on this cursor.
  virtual std::string_view position() = 0;

  // Goes back to a row that position() named during the last seek. False: the row is gone, or the
  // seek would no longer find its key.
  virtual Result<bool> seek_position(std::string_view position) = 0;

  struct Inserted {
    bool has_auto_increment = false;  // of the table
    uint64_t generated_id = 0;        // 0 when the client gave the value itself
    // 1: the row was added. put() also: 0, nothing was changed; with kUpsert 2, a row was updated;
    // with kReplace 1 and the number of rows that have gone.
    uint64_t outcome = 1;
  };

  // Whether a row that is inserted with these values in the index's columns has just these, so that
  // seek() finds it by them. Not so where a column would round or pad a value, or read it otherwise,
  // and for a 0 in place of which an id is generated. Moves from the current row.
  virtual Result<bool> keeps_key(std::span<const Value> /*key*/) { return true; }

  // Adds a row: values[i] goes to column i of the spec. At most columns() values. Every other
  // column of the table gets what SQL gives it by default. On error nothing is changed. Then the row
  // is the current one, for row().
  virtual Result<Inserted> insert(std::span<const Value> values) = 0;

  // Sets columns of the current row. The others stay as they are, or get what SQL gives them on an
  // update. When a column is assigned twice, the later value stays. On error nothing is changed.
  struct Assignment {
    size_t column = 0;  // position in IndexSpec::columns
    Value value;
    // The value was counted from the column's old value. It must stay within the column's range
    // even where the server is lenient with values that a client gives.
    bool is_sum = false;
    // Counting::kReal: this is added to the column instead, as SQL adds, and `value` is empty text.
    std::optional<double> addend = std::nullopt;
  };
  enum class Updated : uint8_t {
    kDone,  // the row stays the current one
    // Nothing was set, but the change has reached the row itself before: rows that expired gave way,
    // and a foreign key's cascade from them came to this row.
    kGone,     // the row is gone, or the last seek would no longer find it
    kAltered,  // the row is another one now, and the current one still; to be judged and set again
  };
  virtual Result<Updated> update(std::span<const Assignment> assignments) = 0;

  // Takes the rows that put() finds in its way.
  class RowsInTheWay {
   public:
    virtual ~RowsInTheWay() = default;
    // The opened columns of one, as row() gives them. Valid during the call.
    virtual Result<void> take(std::span<const Value> row) = 0;
    // The last one was in the way of nothing, after all.
    virtual void take_back() = 0;
  };

  // Adds a row as insert() does, in a request of kInsertIgnore, kUpsert or kReplace. If it would be
  // a duplicate in a unique index, the row that is there is left alone, updated or replaced. With
  // several unique indexes SQL's order decides which one is looked at first. An update sets column i
  // to (*updates)[i]; without `updates` to values[i], but never to an id that was generated for the
  // new row. The generated id of a row that was updated is its own. `in_the_way`: null, or gets the
  // rows that were there, before they are changed. The row as it is afterwards is the current one;
  // none is after a kInsertIgnore that has added none. On error changes may be left, for
  // undo_request().
  virtual Result<Inserted> put(std::span<const Value> values,
                               std::optional<std::span<const Value>> updates,
                               RowsInTheWay* in_the_way) = 0;

  // Deletes the current row.
  virtual Result<void> erase() = 0;

  // A number that stays as long as the table's definition does, and that is not used again.
  virtual uint64_t definition() const { return 0; }

  // When the current row expires, in seconds since 1970. None: never.
  virtual Result<std::optional<int64_t>> expires_at() { return std::optional<int64_t>(); }
  // What the column by which rows expire must be set to for that; it need not be among the opened
  // ones. Valid until the next call of this. A copy of its text may mean another moment: a time zone
  // has one hour twice. Error: kTableComment, there is no such column.
  virtual Result<Value> moment(std::optional<int64_t> /*seconds*/) {
    return Error{ErrorCode::kTableComment, 0, "rows of the table do not expire"};
  }
};

}  // namespace hs::engine
