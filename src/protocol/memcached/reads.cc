// get, gat, mg and me: the rows of any number of keys.
#include <algorithm>

#include "protocol/memcached/command.h"
#include "protocol/memcached/refusals.h"
#include "protocol/memcached/words.h"

namespace hs::protocol::memcached {

using mapping::Mapping;

void MemcachedCommand::prepare_get() {
  const Mapping* last = nullptr;
  is_of_one_table_ = true;
  for (size_t key = 0; key < keys_.size(); ++key) {
    at_ = key;
    if (tables_[key] == nullptr || tables_[key] == last) continue;
    if (last != nullptr) is_of_one_table_ = false;
    last = tables_[key];
    look_target_ = target(columns_of_get(), false);
    if (!ask_.touches) continue;
    if (table().ttl) {
      write_target_ = target({*table().ttl}, false);
    } else if (ask_.exptime != 0) {
      return refuse(kNoTtl);
    }
  }
  at_ = 0;
}

bool MemcachedCommand::next_get(Request& request) {
  while (at_ < keys_.size()) {
    const size_t key = at_;
    if (step_ == 0) {
      has_row_ = false;
      if (!locate(key)) {
        ++at_;
        if (tables_[key] != nullptr && keys_[key].size() < tables_[key]->prefix.size()) {
          // It only selects the container.
          const std::string name = tables_[key]->database + '/' + tables_[key]->table;
          Answer(ask_, *output_).hit(ask_.keys[key], {name, 0, 0, {}});
        } else {
          Answer(ask_, *output_).miss(ask_.keys[key]);
        }
        continue;
      }
      step_ = 1;
      if (ask_.touches && table().ttl && !expires_at_once()) return touch_got(request);
    }
    if (step_ == 1) {
      step_ = 2;
      // Nearly always all keys are of one table.
      find(request, is_of_one_table_ ? look_target_ : target(columns_of_get(), false),
           wants_expiry());
      return true;
    }
    if (step_ == 2 && has_row_ && ask_.touches && table().ttl && expires_at_once()) {
      step_ = 3;
      return touch_got(request);
    }
    if (!has_row_ && step_ == 2) Answer(ask_, *output_).miss(ask_.keys[key]);
    step_ = 0;
    ++at_;
  }
  return false;
}

// The value is still told then, so the row is read before it is touched.
bool MemcachedCommand::expires_at_once() const {
  const std::optional<int64_t> at_s = moment();
  return at_s && *at_s <= facts_.now_ms() / 1000;
}

bool MemcachedCommand::touch_got(Request& request) {
  count_.reset();
  touch(request);
  if (!is_of_one_table_) request.index_id = target({*table().ttl}, false);
  return true;
}

Hit MemcachedCommand::hit_of(std::span<const Value> values, const Mapping& mapped) {
  Hit hit;
  const size_t count = mapped.value.size();
  if (count == 1) {
    hit.value = values[0].text();
  } else {
    joined_.clear();
    for (size_t i = 0; i < count; ++i) {
      if (i != 0) joined_ += mapped.value_separator;
      joined_ += values[i].text();
    }
    hit.value = joined_;
  }
  size_t next = count;
  if (mapped.flags) {
    int64_t flags = 0;
    if (read_number(values[next++].text(), &flags)) hit.flags = static_cast<uint32_t>(flags);
  }
  if (mapped.cas) read_number(values[next++].text(), &hit.cas);
  return hit;
}

bool MemcachedCommand::row(std::span<const Value> values) {
  has_row_ = true;
  // The id that was made.
  if (inserts_) return true;
  if (joins(ask_.verb) && step_ == 2) {
    note_written(values.front().text());
    return true;
  }
  Hit hit = hit_of(values, table());
  int64_t at = 0;
  const bool was_expiring = wants_expiry() && read_number(values.back().text(), &at);
  if (was_expiring && !(ask_.touches && expires_at_once())) hit.seconds_left = seconds_left(at);
  if (!is_get()) {
    if (!joins(ask_.verb)) return true;
    old_ = hit.value;
    old_hit_ = hit;
    old_hit_.value = old_;
    return true;
  }
  constexpr size_t kRoomForNumbers = 128;
  row_start_ = output_->size();
  const size_t size = row_start_ - start_ + hit.value.size() + kMostKeySize + kRoomForNumbers;
  if (size > max_reply_size_) return false;
  if (ask_.verb == Verb::kDebug) {
    Answer(ask_, *output_).facts(hit);
  } else {
    Answer(ask_, *output_).hit(ask_.keys[at_], hit);
  }
  return true;
}

int64_t MemcachedCommand::seconds_left(int64_t at_s) const {
  return std::max<int64_t>(at_s - facts_.now_ms() / 1000, 0);
}

void MemcachedCommand::take_back_row() {
  has_row_ = false;
  if (is_get()) output_->truncate(row_start_);
}

}  // namespace hs::protocol::memcached
