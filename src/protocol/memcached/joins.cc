// append, prepend, incr and decr: what a value becomes depends on what it was.
#include <algorithm>

#include "protocol/memcached/command.h"
#include "protocol/memcached/refusals.h"
#include "protocol/memcached/words.h"

namespace hs::protocol::memcached {
namespace {

bool read_digits(std::string_view text, uint64_t* number) {
  while (text.ends_with(' ')) text.remove_suffix(1);
  return read_number(text, number);
}

}  // namespace

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
        uint64_t number = 0;
        if (ask_.form == Form::kBinary) {
          for (const char c : *ask_.initial) number = number << 8 | static_cast<uint8_t>(c);
        } else {
          (void)read_number(*ask_.initial, &number);
        }
        number_ = std::to_string(number);
        take_values(number_);
        insert(request, false);
        // A time for every row counts for the new one, too.
        const int64_t exptime = ask_.exptime ? *ask_.exptime : ask_.initial_exptime.value_or(0);
        if (table().ttl) set_expiry(request, moment_of(exptime));
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
      // What nobody is told is not read. An account needs no right to read the column of expiry.
      request.return_new = !sets_ttl && (ask_.verb == Verb::kCount || ask_.meta_has('s'));
      if (sets_ttl) {
        request.expiry = {values_.size() - 1, {}};
        set_expiry(request, moment());
      }
      return true;
    }
    default:
      // Another client has inserted it meanwhile, or the row of another key is in the way.
      if (is_duplicate_ && is_second_try_) {
        failure_ = Error::engine(Error::kDuplicateKey);
        return false;
      }
      // Or it has expired between the two requests, each of which has its own time.
      if (is_duplicate_ || (has_gone() && !is_second_try_)) {
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

// The value is told as it is there then: a trigger may have made another one of it.
void MemcachedCommand::note_written(std::string_view value) {
  if (ask_.verb != Verb::kCount) {
    number_ = value;
    return;
  }
  uint64_t number = 0;
  if (read_digits(value, &number)) number_ = std::to_string(number);
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
  uint64_t number = 0;
  if (!read_digits(old_, &number)) {
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
