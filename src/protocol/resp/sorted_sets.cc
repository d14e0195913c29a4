// Rows as members of sorted sets, which are read and never written as such. A set has the rows whose
// keys begin alike, its members are the last parts of their keys, and its order is that of an index:
//
//   PRIMARY KEY (board, player), KEY (board, points, player)    board:7  ->  its players by their points
//   PRIMARY KEY (id)  without such an index                     page:    ->  its ids; all scores are 0
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <utility>

#include "protocol/resp/bounds.h"
#include "protocol/resp/families.h"
#include "protocol/resp/framing.h"
#include "protocol/resp/numbers.h"

namespace hs::protocol::resp {
namespace {

using mapping::ColumnKind;

constexpr std::string_view kNoOrder =
    "ERR the table has no order for a sorted set: that is one index on the key with a number in "
    "front of "
    "its last column, or a binary last column";

// One end of a range. Open: it is in front of everything, or behind it.
struct End {
  enum class Open : uint8_t { kNo, kFront, kBehind };
  Open open = Open::kNo;
  bool is_exclusive = false;
  std::string value;
  double score = 0;

  bool is_open() const { return open != Open::kNo; }
};

// A score as Redis reads it, by strtod(): a number, maybe infinite, maybe behind `(`. Nothing is 0.
bool parse_score(std::string_view text, End* end) {
  end->is_exclusive = text.starts_with('(');
  if (end->is_exclusive) text.remove_prefix(1);
  constexpr size_t kLongest = 256;
  if (text.size() > kLongest) return false;
  const std::string copy(text);
  char* rest = nullptr;
  end->score = std::strtod(copy.c_str(), &rest);
  if (*rest != '\0' || std::isnan(end->score)) return false;
  if (std::isinf(end->score)) {
    end->open = end->score < 0 ? End::Open::kFront : End::Open::kBehind;
    return true;
  }
  // A DECIMAL has more digits than a double.
  const bool is_plain =
      text.find_first_not_of("+-.0123456789eE") == std::string_view::npos && !text.empty();
  if (text.starts_with('+')) text.remove_prefix(1);
  end->value = is_plain ? std::string(text) : write_real(end->score);
  return true;
}

// A member as Redis reads it: `-`, `+`, `[member` or `(member`.
bool parse_member(std::string_view text, End* end) {
  if (text == "-" || text == "+") {
    end->open = text == "-" ? End::Open::kFront : End::Open::kBehind;
    return true;
  }
  if (!text.starts_with('[') && !text.starts_with('(')) return false;
  end->is_exclusive = text.starts_with('(');
  end->value = text.substr(1);
  return true;
}

End in_front() { return {End::Open::kFront, false, {}, 0}; }
End behind() { return {End::Open::kBehind, false, {}, 0}; }

// Whether nothing is between the two, since the wrong one is infinite.
bool is_none(const End& low, const End& high) {
  return low.open == End::Open::kBehind || high.open == End::Open::kFront;
}

// Whether the score of all members of a set without scores is between the two.
bool has_zero(const End& low, const End& high) {
  return (low.is_exclusive ? low.score < 0 : low.score <= 0) &&
         (high.is_exclusive ? high.score > 0 : high.score >= 0);
}

class OfSet : public RespCommand {
 protected:
  Access row_access() const final { return Access::kRead; }
  void take() final {
    keys_.assign(1, argument(1));
    take_options();
  }
  virtual void take_options() {}

  void prepare() final {
    exists_ = false;
    const mapping::Mapping* const table = tables_[0];
    if (table != nullptr) {
      const std::string_view key = keys_.front();
      const size_t prefix = std::min(key.size(), table->prefix.size());
      exists_ = mapping::split_group(*table, key.substr(prefix), &parts_);
    }
    const auto is_ordered = [&] {
      return table->is_ordered && (table->score || set_kind() == ColumnKind::kBinary);
    };
    if (exists_ && !is_ordered()) return refuse(kNoOrder);
    begin_set();
  }
  virtual void begin_set() = 0;

  const mapping::Mapping& table() const { return *tables_[0]; }
  bool has_scores() const { return table().score.has_value(); }
  // Of the column that is in order.
  ColumnKind set_kind() const {
    return table().columns[has_scores() ? *table().score : table().key.back()].kind;
  }

  // The set's rows in order, as member and, if there are any, score.
  uint32_t set_target() {
    columns_.assign(1, table().key.back());
    filter_columns_.assign(table().key.begin(), table().key.end() - 1);
    if (has_scores()) columns_.push_back(*table().score);
    filter_columns_.push_back(columns_.back());
    targets_.push_back({&table(), columns_, filter_columns_,
                        has_scores() ? std::string_view(table().score_index) : std::string_view()});
    return static_cast<uint32_t>(targets_.size() - 1);
  }

  // A request for the rows between two ends, in order or against it.
  void ask(Request& request, Verb verb, const End& low, const End& high, bool is_reversed) {
    const End& from = is_reversed ? high : low;
    const End& to = is_reversed ? low : high;
    if (from.is_open()) {
      extreme_ = is_reversed ? highest_of(set_kind()) : lowest_of(set_kind());
    } else {
      extreme_ = from.value;
    }
    range_key_ = parts_;
    range_key_.push_back(Value::of(extreme_));
    const bool is_exclusive = !from.is_open() && from.is_exclusive;
    request.verb = verb;
    request.op = is_reversed
                     ? (is_exclusive ? KeyOperator::kLess : KeyOperator::kLessOrEqual)
                     : (is_exclusive ? KeyOperator::kGreater : KeyOperator::kGreaterOrEqual);
    request.key = range_key_;
    request.key_count = static_cast<uint32_t>(range_key_.size());
    request.limit = verb == Verb::kCount ? 0 : UINT32_MAX;
    // The scan ends where the set or the range does.
    filters_.clear();
    for (size_t i = 0; i < parts_.size(); ++i) {
      filters_.push_back({true, true, FilterOperator::kEqual, static_cast<uint32_t>(i), parts_[i]});
    }
    if (!to.is_open()) {
      const FilterOperator op =
          is_reversed
              ? (to.is_exclusive ? FilterOperator::kGreater : FilterOperator::kGreaterOrEqual)
              : (to.is_exclusive ? FilterOperator::kLess : FilterOperator::kLessOrEqual);
      filters_.push_back(
          {true, true, op, static_cast<uint32_t>(parts_.size()), Value::of(to.value)});
    }
    request.filters = filters_;
  }

  bool exists_ = false;  // the key names a set of a table, which may be empty

 private:
  std::vector<uint16_t> columns_, filter_columns_;
  std::string extreme_;
  std::vector<Value> range_key_;
  std::vector<Filter> filters_;
};

enum class By : uint8_t { kRank, kScore, kMember };

std::string_view wrong_ends(By by) {
  return by == By::kScore ? "ERR min or max is not a float"
                          : "ERR min or max not valid string range item";
}

// Reads rows in order. Whether there are any of the set is asked first: a range has places for values
// that no column can hold.
class OrderedRows : public OfSet {
 protected:
  bool next_request(Request& request) final {
    if (!exists_) return false;
    if (!std::exchange(has_looked_, true) && !parts_.empty()) {
      has_any_ = false;
      find(request, target_);
      return true;
    }
    is_reading_ = true;
    request.index_id = target_;
    return has_any_ && next_rows(request);
  }
  bool row(std::span<const Value> values) final {
    has_any_ = true;
    return !is_reading_ || take_row(values);
  }
  virtual bool next_rows(Request& request) = 0;
  virtual bool take_row(std::span<const Value> /*values*/) { return true; }

  // Sets low_, high_ and is_empty_ by the ends that are given. In a set without scores a range of scores
  // has all members or none. False: refused.
  bool begin_range(By by) {
    const bool is_by_score = by == By::kScore && !has_scores();
    low_ = is_by_score ? in_front() : given_low_;
    high_ = is_by_score ? behind() : given_high_;
    is_empty_ = by != By::kRank && is_none(given_low_, given_high_);
    is_empty_ |= is_by_score && !has_zero(given_low_, given_high_);
    if (by != By::kMember || !has_scores()) return true;
    refuse("ERR this sorted set is in the order of scores, not of members");
    return false;
  }

  void begin_rows() {
    has_looked_ = is_reading_ = false;
    has_any_ = true;
    target_ = set_target();
  }

  End given_low_, given_high_, low_, high_;
  bool is_empty_ = false;  // nothing can be between the ends

 private:
  bool has_looked_ = false, has_any_ = true, is_reading_ = false;
  uint32_t target_ = 0;
};

// ZCARD, ZCOUNT and ZLEXCOUNT.
class SetCount final : public OrderedRows {
 public:
  explicit SetCount(By by) : by_(by) {}

 private:
  void take_options() override {
    given_low_ = in_front();
    given_high_ = behind();
    if (by_ == By::kRank) return;
    given_low_ = given_high_ = {};
    const auto parse = by_ == By::kScore ? parse_score : parse_member;
    if (!parse(argument(2), &given_low_) || !parse(argument(3), &given_high_))
      refuse(wrong_ends(by_));
  }
  void begin_set() override {
    step_ = 0;
    rows_ = 0;
    if (exists_ && begin_range(by_)) begin_rows();
  }
  bool next_rows(Request& request) override {
    if (is_empty_ || step_++ != 0) return false;
    ask(request, Verb::kCount, low_, high_, false);
    return true;
  }
  void count(uint64_t number) override { rows_ = number; }
  void reply() override { out_->integer(rows_); }

  const By by_;
  int step_ = 0;
  uint64_t rows_ = 0;
};

// ZRANGE in all its forms, and its older relatives.
class SetRange final : public OrderedRows {
 public:
  SetRange(By by, bool is_reversed, bool is_new)
      : is_new_(is_new), by_given_(by), is_reversed_given_(is_reversed) {}

 private:
  void take_options() override {
    by_ = by_given_;
    is_reversed_ = is_reversed_given_;
    with_scores_ = false;
    offset_ = 0;
    limit_ = -1;
    for (size_t at = 4; at < count_of_arguments() && !is_refused(); ++at) take_option(at);
    if (is_refused()) return;
    if (limit_ != -1 && by_ == By::kRank) {
      return refuse(
          "ERR syntax error, LIMIT is only supported in combination with either BYSCORE or BYLEX");
    }
    if (with_scores_ && by_ == By::kMember) {
      return refuse("ERR syntax error, WITHSCORES not supported in combination with BYLEX");
    }
    take_ends();
  }

  void take_option(size_t& at) {
    const size_t more = count_of_arguments() - at - 1;
    const bool may_choose = is_new_ && by_ == By::kRank;
    if (is_word(at, "WITHSCORES")) {
      with_scores_ = true;
    } else if (is_word(at, "LIMIT") && more >= 2) {
      if (!take_integer(at + 1, &offset_) || !take_integer(at + 2, &limit_)) return;
      at += 2;
    } else if (may_choose && is_word(at, "BYSCORE")) {
      by_ = By::kScore;
    } else if (may_choose && is_word(at, "BYLEX")) {
      by_ = By::kMember;
    } else if (is_new_ && !is_reversed_ && is_word(at, "REV")) {
      is_reversed_ = true;
    } else {
      refuse(kSyntax);
    }
  }

  void take_ends() {
    if (by_ == By::kRank) {
      given_low_ = in_front();
      given_high_ = behind();
      if (take_integer(2, &first_)) (void)take_integer(3, &last_);
      return;
    }
    given_low_ = given_high_ = {};
    const size_t low = is_reversed_ ? 3 : 2;
    const size_t high = is_reversed_ ? 2 : 3;
    const auto parse = by_ == By::kScore ? parse_score : parse_member;
    if (!parse(argument(low), &given_low_) || !parse(argument(high), &given_high_))
      refuse(wrong_ends(by_));
  }

  void begin_set() override {
    rows_ = size_ = 0;
    is_counted_ = is_asked_ = false;
    if (!exists_ || !begin_range(by_)) return;
    is_empty_ |= by_ != By::kRank && (offset_ < 0 || limit_ == 0);
    begin_rows();
  }

  bool next_rows(Request& request) override {
    if (is_asked_ || is_empty_) return false;
    const bool needs_size = by_ == By::kRank && (first_ < 0 || last_ < 0);
    if (needs_size && !is_counted_) {
      is_counted_ = true;
      ask(request, Verb::kCount, low_, high_, false);
      return true;
    }
    is_asked_ = true;
    int64_t offset = offset_;
    int64_t limit = limit_ < 0 ? UINT32_MAX : limit_;
    if (by_ == By::kRank) {
      const auto size = static_cast<int64_t>(size_);
      offset = first_ < 0 ? std::max<int64_t>(first_ + size, 0) : first_;
      const int64_t last = last_ < 0 ? last_ + size : last_;
      if (offset > last) return false;
      limit = last - offset == INT64_MAX ? INT64_MAX : last - offset + 1;
    }
    if (offset > UINT32_MAX) return false;
    ask(request, Verb::kFind, low_, high_, is_reversed_);
    request.offset = static_cast<uint32_t>(offset);
    request.limit = static_cast<uint32_t>(std::min<int64_t>(limit, UINT32_MAX));
    return true;
  }

  void count(uint64_t number) override { size_ = number; }
  bool take_row(std::span<const Value> values) override {
    ++rows_;
    if (with_scores_ && out_->version() == 3) out_->array(2);
    out_->bulk(values[0].text());
    if (with_scores_) out_->number(has_scores() ? values[1].text() : "0");
    return true;
  }
  void reply() override {
    const std::string members(out_->since(start_));
    out_->truncate(start_);
    out_->array(with_scores_ && out_->version() == 2 ? 2 * rows_ : rows_);
    out_->append(members);
  }

  const bool is_new_;  // ZRANGE itself
  const By by_given_;
  const bool is_reversed_given_;
  By by_ = By::kRank;
  bool is_reversed_ = false, with_scores_ = false;
  int64_t first_ = 0, last_ = 0, offset_ = 0, limit_ = -1;
  bool is_counted_ = false, is_asked_ = false;
  uint64_t size_ = 0;  // of the set
  size_t rows_ = 0;
};

// ZSCORE and ZMSCORE.
class SetScore final : public OfSet {
 public:
  explicit SetScore(bool is_list) : is_list_(is_list) {}

 private:
  void begin_set() override {
    at_ = 2;
    has_row_ = true;
    if (!exists_) return;
    column_ = has_scores() ? *table().score : table().key.back();
    target_ = target(table(), {&column_, 1});
    parts_.emplace_back();
  }
  bool next_request(Request& request) override {
    if (at_ == 2 && is_list_) out_->array(count_of_arguments() - 2);
    if (!has_row_) out_->null();
    has_row_ = true;
    if (at_ == count_of_arguments()) return false;
    if (!exists_) {
      for (; at_ < count_of_arguments(); ++at_) out_->null();
      return false;
    }
    parts_.back() = Value::of(argument(at_++));
    has_row_ = false;
    find(request, target_);
    return true;
  }
  bool row(std::span<const Value> values) override {
    has_row_ = true;
    out_->number(has_scores() ? values[0].text() : "0");
    return true;
  }
  void reply() override {}

  const bool is_list_;
  size_t at_ = 0;
  bool has_row_ = true;
  uint16_t column_ = 0;
  uint32_t target_ = 0;
};

}  // namespace

Made make_set_size() { return std::make_unique<SetCount>(By::kRank); }
Made make_set_count() { return std::make_unique<SetCount>(By::kScore); }
Made make_set_member_count() { return std::make_unique<SetCount>(By::kMember); }
Made make_set_range() { return std::make_unique<SetRange>(By::kRank, false, true); }
Made make_set_reverse_range() { return std::make_unique<SetRange>(By::kRank, true, false); }
Made make_set_range_by_score() { return std::make_unique<SetRange>(By::kScore, false, false); }
Made make_set_reverse_range_by_score() {
  return std::make_unique<SetRange>(By::kScore, true, false);
}
Made make_set_range_by_member() { return std::make_unique<SetRange>(By::kMember, false, false); }
Made make_set_reverse_range_by_member() {
  return std::make_unique<SetRange>(By::kMember, true, false);
}
Made make_set_score() { return std::make_unique<SetScore>(false); }
Made make_set_scores() { return std::make_unique<SetScore>(true); }

}  // namespace hs::protocol::resp
