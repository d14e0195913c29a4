// The requests that commands are made of, each for the row of the present key.
#include "protocol/memcached/command.h"
#include "protocol/memcached/refusals.h"

namespace hs::protocol::memcached {
namespace {

// Up to 30 days a time is counted from now on.
constexpr int64_t kMostRelative = int64_t{30} * 24 * 60 * 60;

}  // namespace

void MemcachedCommand::find(Request& request, uint32_t target_number, bool with_expiry) {
  request.verb = protocol::Verb::kFind;
  request.index_id = target_number;
  request.op = KeyOperator::kEqual;
  request.key = parts_;
  request.key_count = static_cast<uint32_t>(parts_.size());
  request.limit = 1;
  request.returns_expiry = with_expiry;
  has_row_ = inserts_ = false;
}

void MemcachedCommand::modify(Request& request, uint32_t target_number,
                              std::span<const Value> values) {
  find(request, target_number, false);
  request.verb = protocol::Verb::kModify;
  request.modification = Modification::kUpdate;
  request.values = values;
  count_.reset();
}

void MemcachedCommand::erase(Request& request) {
  modify(request, write_target_, {});
  request.modification = Modification::kDelete;
}

void MemcachedCommand::compare(Request& request) {
  if (!ask_.compares) return;
  filters_.clear();
  Filter& filter = filters_.emplace_back();
  filter.op = FilterOperator::kEqual;
  filter.value = Value::of(digits(ask_.cas));
  request.filters = filters_;
}

void MemcachedCommand::touch(Request& request) {
  values_.assign(1, Value::null());
  modify(request, write_target_, values_);
  request.expiry = {0, moment()};
}

void MemcachedCommand::insert(Request& request, bool upserts) {
  request.verb = protocol::Verb::kInsert;
  request.index_id = insert_target_;
  inserts_ = true;
  request.values = values_;
  request.key_count = static_cast<uint32_t>(values_.size());
  const size_t before_key = values_.size() - parts_.size();
  request.on_duplicate = OnDuplicate::kFail;
  if (upserts) {
    request.on_duplicate = OnDuplicate::kUpdate;
    request.updates = std::span(values_).first(before_key);
  }
  if (table().ttl) request.expiry = {before_key - 1, moment()};
  count_.reset();
}

// The values of a row, in the order of prepare_change(): value, flags, version, expiry, key.
void MemcachedCommand::take_values(std::string_view text) {
  if (!mapping::split_value(table(), text, &value_)) return refuse(kWrongParts);
  values_.assign(value_.begin(), value_.end());
  if (table().flags) values_.push_back(Value::of(digits(ask_.flags)));
  if (table().cas) values_.push_back(Value::of(digits(new_cas_)));
  if (table().ttl) values_.push_back(Value::null());
  values_.insert(values_.end(), parts_.begin(), parts_.end());
}

std::optional<int64_t> MemcachedCommand::moment_of(int64_t exptime) const {
  // What clients make of -1 that have no sign for it, libmemcached among them.
  constexpr int64_t kMinusOne = 0xffffffff;
  const int64_t now = facts_.now_ms() / 1000;
  if (exptime == 0) return std::nullopt;
  // What is over at once was there all the same.
  if (exptime < 0 || exptime == kMinusOne) return now - 1;
  return exptime <= kMostRelative ? now + exptime : exptime;
}

std::string_view MemcachedCommand::digits(uint64_t number) {
  return digits_.emplace_back(std::to_string(number));
}

}  // namespace hs::protocol::memcached
