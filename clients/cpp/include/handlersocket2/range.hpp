// Ranges of the C++ client; included by handlersocket2.hpp.
#pragma once

#include <handlersocket2/table.hpp>

namespace hs {

// The rows of a range, which can be gone over once. An error ends it.
class Range {
 public:
  class Iterator {
   public:
    using iterator_category = std::input_iterator_tag;
    using value_type = Row;
    using difference_type = std::ptrdiff_t;
    using pointer = const Row*;
    using reference = const Row&;
    const Row& operator*() const { return range_->row_; }
    const Row* operator->() const { return &range_->row_; }
    Iterator& operator++() {
      if (!range_->next()) range_ = nullptr;
      return *this;
    }
    bool operator==(const Iterator& other) const { return range_ == other.range_; }
    bool operator!=(const Iterator& other) const { return range_ != other.range_; }

   private:
    friend class Range;
    explicit Iterator(Range* range) : range_(range) {}
    Range* range_;
  };
  Iterator begin() { return next() ? Iterator(this) : end(); }
  Iterator end() { return Iterator(nullptr); }

 private:
  friend class Table;
  Range(const Table& table, const Bounds& bounds) : table_(table), columns_(table.columns()) {
    hs_error error = {};
    const Key from = bounds.start.value_or(Key()), to = {bounds.stop.value_or(Value())};
    const detail::Values start(from), stop(to);  // refer to these
    Query filters;
    filters.filters = bounds.filters;
    const detail::Asked asked(filters);
    hs_bounds b = {};
    b.start = bounds.start ? start.data() : nullptr;
    b.start_count = start.size();
    b.stop = bounds.stop ? stop.data() : nullptr;
    b.reverse = bounds.reverse;
    b.filters = asked.get()->filters;
    b.filter_count = asked.get()->filter_count;
    b.page = bounds.page;
    range_.reset(hs_range_new(table.handle(), &b, &error));
    if (!range_) raise(error);
  }
  bool next() {
    hs_error error = {};
    (void)table_.handle();  // in a transaction that has not ended
    const int more = hs_range_next(range_.get(), &error);
    check(more, error);
    if (more == 0) return false;
    row_ = table_.read_or_forget([&] {
      Row row;
      row.reserve(columns_.size());
      for (std::size_t i = 0; i < columns_.size(); i++)
        row.add(columns_[i].name,
                detail::decode(hs_range_value(range_.get(), i), columns_[i], table_.raw()));
      return row;
    });
    return true;
  }

  Table table_;
  std::vector<hs_column> columns_;
  std::unique_ptr<hs_range, detail::Freed<hs_range, hs_range_free>> range_;
  Row row_;
};

inline Range Table::range(const Bounds& bounds) const { return Range(*this, bounds); }

}  // namespace hs
