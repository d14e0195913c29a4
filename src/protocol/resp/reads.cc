// Commands that read rows as strings, and those that ask whether rows are there.
#include <algorithm>
#include <utility>

#include "protocol/resp/families.h"

namespace hs::protocol::resp {
namespace {

// Looks at one row for each key, in the keys' order.
class EachKey : public RespCommand {
 protected:
  void take() override { keys_.assign(arguments_.begin() + 1, arguments_.end()); }
  Access row_access() const override { return Access::kRead; }

  void prepare() override {
    at_ = 0;
    asked_ = nullptr;
    for (const mapping::Mapping* table : tables_) {
      if (table != nullptr) (void)target_of(*table);
    }
  }

  bool next_request(Request& request) override {
    for (; at_ < keys_.size(); ++at_) {
      if (locate(at_)) break;
      missing();
    }
    if (at_ == keys_.size()) return false;
    const mapping::Mapping& table = table_of(at_++);
    has_row_ = false;
    ask(request, target_of(table));
    return true;
  }
  virtual void ask(Request& request, uint32_t target_number) { find(request, target_number); }

  bool row(std::span<const Value> values) override {
    has_row_ = true;
    return found(values);
  }
  void end_rows() override {
    if (!has_row_) missing();
  }

  // Of the key before at_.
  virtual bool found(std::span<const Value> values) = 0;
  virtual void missing() = 0;
  virtual std::span<const uint16_t> columns_of(const mapping::Mapping& table) const {
    return table.key;
  }

  size_t at_ = 0;
  bool has_row_ = false;

 private:
  // Nearly always all keys are of one table.
  uint32_t target_of(const mapping::Mapping& table) {
    if (asked_ != &table) asked_target_ = target(table, columns_of(table));
    asked_ = &table;
    return asked_target_;
  }

  const mapping::Mapping* asked_ = nullptr;  // the last one
  uint32_t asked_target_ = 0;
};

class Get : public EachKey {
 protected:
  bool found(std::span<const Value> values) override {
    write_value(values, table_of(at_ - 1).value_separator, *out_);
    return true;
  }
  void missing() override { out_->null(); }
  std::span<const uint16_t> columns_of(const mapping::Mapping& table) const override {
    return table.value;
  }
  void reply() override {}
};

class MultiGet final : public Get {
  void prepare() override {
    Get::prepare();
    has_head_ = false;
  }
  bool next_request(Request& request) override {
    if (!std::exchange(has_head_, true)) out_->array(keys_.size());
    return Get::next_request(request);
  }

  bool has_head_ = false;
};

class StringLength final : public Get {
  bool shows_rows() const override { return false; }
  bool found(std::span<const Value> values) override {
    out_->integer(uint64_t{size_of_value(values)});
    return true;
  }
  void missing() override { out_->integer(int64_t{0}); }
};

// GETRANGE and SUBSTR: both ends belong to it, and negative ones count from the end.
class GetRange final : public Get {
  bool shows_rows() const override { return false; }
  void take() override {
    keys_.assign(1, argument(1));
    if (take_integer(2, &begin_)) (void)take_integer(3, &end_);
  }
  bool found(std::span<const Value> values) override {
    const std::string text = join_value(values, table_of(at_ - 1).value_separator);
    const auto size = static_cast<int64_t>(text.size());
    if (begin_ < 0 && end_ < 0 && begin_ > end_) {
      out_->bulk({});
      return true;
    }
    const int64_t begin = std::max<int64_t>(begin_ < 0 ? begin_ + size : begin_, 0);
    const int64_t end = std::min(std::max<int64_t>(end_ < 0 ? end_ + size : end_, 0), size - 1);
    const bool is_empty = begin > end || size == 0;
    out_->bulk(is_empty ? std::string_view()
                        : std::string_view(text).substr(static_cast<size_t>(begin),
                                                        static_cast<size_t>(end - begin + 1)));
    return true;
  }
  void missing() override { out_->bulk({}); }

  int64_t begin_ = 0, end_ = 0;
};

// EXISTS and TOUCH: a key that is given twice counts twice.
class Exists final : public EachKey {
  void prepare() override {
    EachKey::prepare();
    found_ = 0;
  }
  bool found(std::span<const Value>) override {
    ++found_;
    return true;
  }
  void missing() override {}
  void reply() override { out_->integer(found_); }

  uint64_t found_ = 0;
};

class OneKeyQuestion : public EachKey {
  void take() override { keys_.assign(1, arguments_.back()); }
  void reply() override {}
};

// A row is a string where its table has one column of value, else a hash. Every row can be read
// as either.
class Type final : public OneKeyQuestion {
  bool found(std::span<const Value>) override {
    out_->simple(type_of(table_of(at_ - 1)));
    return true;
  }
  void missing() override { out_->simple("none"); }
};

constexpr Subcommand kObjectSubcommands[] = {
    {"encoding", 3, "Return raw of a string, hashtable of a hash."},
    {"freq", 3, "Return an error: it is not known how often a row is read."},
    {"idletime", 3, "Return an error: it is not known when a row was last read."},
    {"refcount", 3, "Return 1."},
};

class ObjectInfo final : public OneKeyQuestion {
  void take() override {
    if (take_subcommand(kObjectSubcommands)) keys_.assign(1, argument(2));
  }
  bool found(std::span<const Value>) override {
    if (is_word(1, "ENCODING")) {
      out_->bulk(type_of(table_of(at_ - 1)) == "string" ? "raw" : "hashtable");
    } else if (is_word(1, "IDLETIME")) {
      refuse("ERR OBJECT IDLETIME is not served: it is not known when a row was last read");
    } else if (is_word(1, "FREQ")) {
      refuse(
          "ERR An LFU maxmemory policy is not selected, access frequency not tracked. Please note "
          "that when switching between policies at runtime LRU and LFU data will take some time "
          "to adjust.");
    } else {
      out_->integer(int64_t{1});
    }
    return true;
  }
  void missing() override { out_->null(); }
};

constexpr std::string_view kSeeStatus = "see SHOW GLOBAL STATUS LIKE 'handlersocket%' of SQL";
constexpr Subcommand kMemorySubcommands[] = {
    {"doctor", 2, kSeeStatus, false},
    {"malloc-stats", 2, kSeeStatus, false},
    {"purge", 2, kSeeStatus, false},
    {"stats", 2, kSeeStatus, false},
    {"usage", -3, "Return the bytes of a row's key and value."},
};

// The bytes of the row's values: what the storage engine makes of them is not known here.
class MemoryUsage final : public OneKeyQuestion {
  bool shows_rows() const override { return false; }
  void take() override {
    if (!take_subcommand(kMemorySubcommands)) return;
    keys_.assign(1, argument(2));
    for (size_t at = 3; at < count_of_arguments(); at += 2) {
      int64_t samples = 0;
      if (!is_word(at, "SAMPLES") || at + 1 == count_of_arguments()) return refuse(kSyntax);
      if (!take_integer(at + 1, &samples)) return;
      if (samples < 0) return refuse(kSyntax);
    }
  }
  bool found(std::span<const Value> values) override {
    out_->integer(uint64_t{size_of_value(values) + keys_.front().size()});
    return true;
  }
  void missing() override { out_->null(); }
  std::span<const uint16_t> columns_of(const mapping::Mapping& table) const override {
    return table.value;
  }
};

}  // namespace

std::string_view type_of(const mapping::Mapping& table) {
  return table.value.size() == 1 ? "string" : "hash";
}

Made make_get() { return std::make_unique<Get>(); }
Made make_multi_get() { return std::make_unique<MultiGet>(); }
Made make_string_length() { return std::make_unique<StringLength>(); }
Made make_get_range() { return std::make_unique<GetRange>(); }
Made make_exists() { return std::make_unique<Exists>(); }
Made make_type() { return std::make_unique<Type>(); }
Made make_object() { return std::make_unique<ObjectInfo>(); }
Made make_memory() { return std::make_unique<MemoryUsage>(); }

}  // namespace hs::protocol::resp
