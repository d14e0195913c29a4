// When rows expire: EXPIRE, TTL and their relatives. It is the column that the table's COMMENT names.
#include <algorithm>

#include "protocol/resp/expiry_option.h"
#include "protocol/resp/families.h"
#include "protocol/resp/framing.h"

namespace hs::protocol::resp {
namespace {

using Unit = ExpiryOption::Unit;

// Reads when the row expires, and may then set it. The row is locked between the two.
class ExpiryCommand : public ExpiringCommand {
 protected:
  Access row_access() const override { return Access::kUpdate; }
  void prepare_row() override {
    at_s_.reset();
    changes_ = false;
    old_.reset();
    check_time();
    if (!exists_ || is_refused()) return;
    read_target_ = target(table(), columns());
    if (!table().ttl) return no_expiry();
    column_.assign(1, *table().ttl);
    set_target_ = target(table(), column_);
  }
  // Redis does so before it looks for the key.
  virtual void check_time() {}
  // The columns that are read.
  virtual std::span<const uint16_t> columns() const { return table().key; }
  virtual void no_expiry() { refuse(kNoExpiry); }

  bool next_request(Request& request) override {
    const int step = step_++;
    if (!exists_) return false;
    if (step == 0) {
      find(request, read_target_);
      request.returns_expiry = true;
      return true;
    }
    if (step != 1 || !has_row_) return false;
    judge();
    if (!changes_) return false;
    modify(request, set_target_, Modification::kUpdate, none_);
    request.expiry = {0, new_at_s_};
    return true;
  }
  // Sets changes_ and new_at_s_.
  virtual void judge() = 0;

  bool row(std::span<const Value> values) override {
    if (step_ != 1) return true;
    has_row_ = true;
    int64_t at_s = 0;
    if (parse_integer(values.back().text(), &at_s)) at_s_ = at_s;
    const auto value = values.first(values.size() - 1);
    if (value.size() != 1 || !value.front().is_null()) {
      old_ = join_value(value, table().value_separator);
    }
    return true;
  }
  // None: the row has expired since it was read.
  void count(uint64_t number) override { changes_ = number != 0; }
  void reply() override { out_->integer(int64_t{changes_}); }

  std::optional<int64_t> at_s_;  // when the row expires
  std::optional<int64_t> new_at_s_;
  bool changes_ = false;
  std::optional<std::string> old_;

 private:
  const std::vector<Value> none_ = {Value::null()};
  std::vector<uint16_t> column_;
  uint32_t read_target_ = 0, set_target_ = 0;
};

// EXPIRE, PEXPIRE, EXPIREAT and PEXPIREAT. A time in the past lets the row expire.
class Expire final : public ExpiryCommand {
 public:
  explicit Expire(Unit unit) : unit_(unit) {}

 private:
  void take_options() override {
    only_new_ = only_old_ = only_later_ = only_earlier_ = false;
    option_ = {unit_, 0};
    for (size_t at = 3; at < count_of_arguments(); ++at) {
      if (is_word(at, "NX")) {
        only_new_ = true;
      } else if (is_word(at, "XX")) {
        only_old_ = true;
      } else if (is_word(at, "GT")) {
        only_later_ = true;
      } else if (is_word(at, "LT")) {
        only_earlier_ = true;
      } else {
        return refuse("ERR Unsupported option " + std::string(argument(at)));
      }
    }
    if (only_new_ && (only_old_ || only_later_ || only_earlier_)) {
      return refuse("ERR NX and XX, GT or LT options at the same time are not compatible");
    }
    if (only_later_ && only_earlier_) {
      return refuse("ERR GT and LT options at the same time are not compatible");
    }
    (void)take_integer(2, &option_.number);
  }
  void check_time() override {
    if (!option_.at_s(facts_.now_ms())) refuse_expiry();
  }
  void judge() override {
    const int64_t now_ms = facts_.now_ms();
    new_at_s_ = option_.at_s(now_ms);
    // What is not later than now has expired now, not at the next second.
    if (option_.is_past(now_ms)) new_at_s_ = std::clamp<int64_t>(*new_at_s_, 1, now_ms / 1000);
    changes_ = new_at_s_ && !(only_new_ && at_s_) && !(only_old_ && !at_s_) &&
               // What never expires is later than everything.
               !(only_later_ && (!at_s_ || *new_at_s_ <= *at_s_)) &&
               !(only_earlier_ && at_s_ && *new_at_s_ >= *at_s_);
  }

  const Unit unit_;
  ExpiryOption option_;
  bool only_new_ = false, only_old_ = false, only_later_ = false, only_earlier_ = false;
};

class Persist final : public ExpiryCommand {
  void no_expiry() override { exists_ = false; }
  void judge() override {
    new_at_s_.reset();
    changes_ = at_s_.has_value();
  }
};

class GetEx final : public ExpiryCommand {
  void take_options() override {
    forget_expiry();
    persists_ = false;
    for (size_t at = 2; at < count_of_arguments(); ++at) {
      if (is_word(at, "PERSIST") && !has_expiry()) {
        persists_ = true;
      } else if (persists_ || !take_expiry_word(at)) {
        return refuse(kSyntax);
      }
    }
  }
  std::span<const uint16_t> columns() const override { return table().value; }
  void no_expiry() override {
    if (has_expiry()) refuse(kNoExpiry);
  }
  void judge() override {
    new_at_s_.reset();
    changes_ = persists_ && at_s_;
    if (!has_expiry()) return;
    const std::optional<ExpiryOption> option = take_expiry();
    if (!option) return;
    new_at_s_ = option->at_s(facts_.now_ms());
    changes_ = new_at_s_.has_value();
    if (!changes_) refuse_expiry();
  }
  void reply() override { old_ ? out_->bulk(*old_) : out_->null(); }

  bool persists_ = false;
};

// TTL and its relatives: -2 without a row, -1 where it never expires.
class TimeToLive final : public OneKeyCommand {
 public:
  explicit TimeToLive(Unit unit) : unit_(unit) {}

 private:
  Access row_access() const override { return Access::kRead; }
  void prepare_row() override {
    at_s_.reset();
    if (exists_) (void)target(table(), table().key);
  }
  bool next_request(Request& request) override {
    if (!exists_ || step_++ != 0) return false;
    find(request, 0);
    request.returns_expiry = true;
    return true;
  }
  bool row(std::span<const Value> values) override {
    has_row_ = true;
    int64_t at_s = 0;
    if (parse_integer(values.back().text(), &at_s)) at_s_ = at_s;
    return true;
  }
  void reply() override {
    if (!has_row_) return out_->integer(int64_t{-2});
    if (!at_s_) return out_->integer(int64_t{-1});
    int64_t at_ms = 0;
    // A BIGINT has room for times that 64 bits of milliseconds have not.
    if (__builtin_mul_overflow(*at_s_, int64_t{1000}, &at_ms)) at_ms = INT64_MAX;
    const int64_t left_ms = std::max<int64_t>(at_ms - facts_.now_ms(), 0);
    switch (unit_) {
      case Unit::kSeconds:
        return out_->integer(left_ms / 1000);
      case Unit::kMilliseconds:
        return out_->integer(at_most_ms(left_ms));
      case Unit::kAtSeconds:
        return out_->integer(*at_s_);
      case Unit::kAtMilliseconds:
        return out_->integer(at_ms);
    }
  }

  // The time was rounded up to a second. No client is to read more than it has asked for, and none that
  // a row which is there has no time left.
  static int64_t at_most_ms(int64_t left_ms) {
    constexpr int64_t kRoundedUp = 999;
    return std::max(left_ms - kRoundedUp, std::min<int64_t>(left_ms, 1));
  }

  const Unit unit_;
  std::optional<int64_t> at_s_;
};

}  // namespace

Made make_expire() { return std::make_unique<Expire>(Unit::kSeconds); }
Made make_pexpire() { return std::make_unique<Expire>(Unit::kMilliseconds); }
Made make_expire_at() { return std::make_unique<Expire>(Unit::kAtSeconds); }
Made make_pexpire_at() { return std::make_unique<Expire>(Unit::kAtMilliseconds); }
Made make_ttl() { return std::make_unique<TimeToLive>(Unit::kSeconds); }
Made make_pttl() { return std::make_unique<TimeToLive>(Unit::kMilliseconds); }
Made make_expire_time() { return std::make_unique<TimeToLive>(Unit::kAtSeconds); }
Made make_pexpire_time() { return std::make_unique<TimeToLive>(Unit::kAtMilliseconds); }
Made make_persist() { return std::make_unique<Persist>(); }
Made make_get_ex() { return std::make_unique<GetEx>(); }

}  // namespace hs::protocol::resp
