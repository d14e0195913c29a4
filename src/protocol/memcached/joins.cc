// append, prepend, incr and decr: what a value becomes depends on what it was.
#include <algorithm>

#include "protocol/memcached/command.h"
#include "protocol/memcached/refusals.h"
#include "protocol/memcached/words.h"

namespace hs::protocol::memcached {

bool MemcachedCommand::next_join(Request& request) {
  switch (step_++) {
    case 0:
      find(request, look_target_, wants_expiry());
      return true;
    case 1: {
      if (!has_row_) {
        const bool counts = ask_.verb == Verb::kCount;
        if (!ask_.initial) {
          outcome_ = counts ? Outcome::kNotFound : Outcome::kNotStored;
          return false;
        }
        std::string_view initial = *ask_.initial;
        if (ask_.form == Form::kBinary) {
          uint64_t number = 0;
          for (const char c : initial) number = number << 8 | static_cast<uint8_t>(c);
          initial = digits(number);
        }
        number_ = initial;
        take_values(number_);
        insert(request, false);
        if (table().ttl) set_expiry(request, moment_of(ask_.initial_exptime.value_or(0)));
        may_be_duplicate_ = true;
        return true;
      }
      if (ask_.compares && old_hit_.cas != ask_.cas) {
        outcome_ = Outcome::kExists;
        return false;
      }
      if (ask_.verb == Verb::kCount ? !compute_count() : !compute_joined()) return false;
      values_.assign(1, Value::of(number_));
      if (table().cas) values_.push_back(Value::of(digits(new_cas_)));
      const bool sets_ttl = table().ttl && ask_.exptime;
      if (sets_ttl) values_.push_back(Value::null());
      modify(request, write_target_, values_);
      if (sets_ttl) {
        request.expiry = {values_.size() - 1, {}};
        set_expiry(request, moment());
      }
      return true;
    }
    default:
      if (is_duplicate_) {
        // Another client has inserted it meanwhile, or the row of another key is in the way.
        if (is_second_try_) {
          failure_ = Error::engine(Error::kDuplicateKey);
          return false;
        }
        is_second_try_ = true;
        is_duplicate_ = false;
        step_ = 0;
        return next_join(request);
      }
      outcome_ = Outcome::kStored;
      old_hit_.value = number_;
      old_hit_.cas = new_cas_;
      return false;
  }
}

// What is told of the row is when it expires then.
void MemcachedCommand::set_expiry(Request& request, std::optional<int64_t> at_s) {
  request.expiry->at_s = at_s;
  old_hit_.seconds_left.reset();
  if (at_s) old_hit_.seconds_left = seconds_left(*at_s);
}

bool MemcachedCommand::compute_joined() {
  number_ = ask_.verb == Verb::kAppend ? old_ : std::string(ask_.value);
  number_ += ask_.verb == Verb::kAppend ? ask_.value : std::string_view(old_);
  return true;
}

// As memcached counts: from 0 to 64 bits, upwards past the end to the beginning, downwards to 0.
bool MemcachedCommand::compute_count() {
  std::string_view digits_there = old_;
  while (digits_there.ends_with(' ')) digits_there.remove_suffix(1);
  uint64_t number = 0;
  if (!read_number(digits_there, &number)) {
    refuse(kNotANumber);
    return false;
  }
  if (ask_.subtracts) {
    number -= std::min(number, ask_.delta);
  } else {
    number += ask_.delta;
  }
  number_ = std::to_string(number);
  return true;
}

}  // namespace hs::protocol::memcached
