// Commands that go over the rows of all tables: SCAN and DBSIZE.
#include <algorithm>

#include "protocol/resp/all_tables.h"
#include "protocol/resp/families.h"
#include "protocol/resp/framing.h"
#include "protocol/resp/scan_places.h"

namespace hs::protocol::resp {
namespace {

class DbSize final : public CountsRows {
  void take() override {}
  void reply() override { out_->integer(rows()); }
};

// SCAN goes over the tables in the order of their names, and over each in its key's order.
class Scan final : public AllTables {
  void take() override {
    pattern_ = "*";
    type_ = {};
    count_ = kUsual;
    uint64_t cursor = 0;
    if (!parse_cursor(argument(1), &cursor)) return refuse(kNoCursor);
    for (size_t at = 2; at < count_of_arguments(); at += 2) {
      if (at + 1 == count_of_arguments()) return refuse(kSyntax);
      if (is_word(at, "MATCH")) {
        pattern_ = argument(at + 1);
      } else if (is_word(at, "TYPE")) {
        type_ = argument(at + 1);
      } else if (is_word(at, "COUNT")) {
        if (!take_integer(at + 1, &count_)) return;
      } else {
        count_ = 0;  // this is no option
      }
      if (count_ < 1) return refuse(kSyntax);
    }
    count_ = std::min(count_, kMost);
    from_.reset();
    if (cursor == 0) return;
    from_ = scan_places().find(cursor);
    if (!from_) refuse(kNoCursor);
  }

  void prepare() override {
    AllTables::prepare();
    found_ = 0;
    place_.reset();
    left_ = count_;
    is_amid_ = from_ && !from_->key.empty();
    if (from_) {
      while (at_ < tables_.size() && tables_[at_]->name < from_->table) ++at_;
      is_amid_ &= at_ < tables_.size() && tables_[at_]->name == from_->table &&
                  tables_[at_]->key.size() == from_->key.size();
    }
    for (const mapping::Mapping* table : tables_) (void)target(*table, table->key);
  }

  bool next_request(Request& request) override {
    while (at_ < tables_.size() && !is_wanted(*tables_[at_])) {
      ++at_;
      is_amid_ = false;
    }
    if (at_ == tables_.size()) return false;
    const mapping::Mapping& table = *tables_[at_];
    if (left_ == 0) {
      if (!place_) place_ = ScanPlace{table.name, {}};
      return false;
    }
    const uint32_t number = target(table, table.key);
    if (!from_beginning(request, table, number)) return go_on(request);
    request.verb = Verb::kFind;
    if (is_amid_) {
      key_.clear();
      for (const auto& part : from_->key) {
        key_.push_back(part ? Value::of(*part) : Value::null());
      }
      request.op = KeyOperator::kGreater;
      request.key = key_;
      request.key_count = static_cast<uint32_t>(key_.size());
    }
    request.limit = static_cast<uint32_t>(left_);
    place_.reset();
    rows_ = 0;
    ++at_;
    is_amid_ = false;
    return true;
  }
  bool go_on(Request& request) {
    ++at_;
    is_amid_ = false;
    return next_request(request);
  }
  bool is_wanted(const mapping::Mapping& table) const {
    return type_.empty() || lower(type_) == type_of(table);
  }

  bool row(std::span<const Value> values) override {
    const mapping::Mapping& table = *tables_[at_ - 1];
    ++rows_;
    const std::string key = table.prefix + join_value(values, table.separator);
    if (is_named(table, values) && is_like(key, pattern_)) {
      out_->bulk(key);
      ++found_;
    }
    if (rows_ < left_) return true;
    place_ = ScanPlace{table.name, {}};
    for (const Value& value : values) {
      auto& part = place_->key.emplace_back();
      if (!value.is_null()) part = value.text();
    }
    return true;
  }
  void end_rows() override { left_ -= rows_; }

  // Whether the key means the row: only the last part may have the separator inside, and none is NULL.
  static bool is_named(const mapping::Mapping& table, std::span<const Value> key) {
    if (std::ranges::any_of(key, &Value::is_null)) return false;
    return std::ranges::none_of(key.first(key.size() - 1), [&](const Value& part) {
      return part.text().find(table.separator) != std::string_view::npos;
    });
  }

  void reply() override {
    const std::string keys(out_->since(start_));
    out_->truncate(start_);
    out_->array(2);
    out_->bulk(place_ ? std::to_string(scan_places().add(*std::move(place_))) : "0");
    out_->array(found_);
    out_->append(keys);
  }

  static constexpr int64_t kUsual = 10, kMost = 10'000;
  std::string_view pattern_, type_;
  int64_t count_ = kUsual, left_ = 0, rows_ = 0;
  std::optional<ScanPlace> from_, place_;
  bool is_amid_ = false;  // it is gone on with behind from_
  std::vector<Value> key_;
  size_t found_ = 0;
};

}  // namespace

ScanPlaces& scan_places() {
  static ScanPlaces places;
  return places;
}

Made make_scan() { return std::make_unique<Scan>(); }
Made make_db_size() { return std::make_unique<DbSize>(); }

}  // namespace hs::protocol::resp
