// The rows that a client watches, as they were at WATCH. Their memory counts as that of its buffers does.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "base/limits.h"
#include "base/memory.h"

namespace hs::protocol::resp {

struct Watched {
  std::string key;
  bool exists = false;
  std::string row;  // a digest
};

class WatchedRows {
 public:
  WatchedRows() = default;
  WatchedRows(const WatchedRows&) = delete;
  WatchedRows& operator=(const WatchedRows&) = delete;
  ~WatchedRows() { clear(); }

  // To be called first. Null: they count nowhere.
  void count_in(Memory* memory) { memory_ = memory; }

  // All of them or none. Throws std::bad_alloc, or MemoryRefused, which is one.
  void add(std::vector<Watched>&& rows) {
    rows_.reserve(rows_.size() + rows.size());
    size_t bytes = 0;
    for (const Watched& one : rows) bytes += sizeof one + one.key.capacity() + one.row.capacity();
    if (memory_ != nullptr && !memory_->take(bytes, std::max(bytes, kIdleBuffer + 1), true)) {
      throw MemoryRefused();
    }
    bytes_ += bytes;
    for (Watched& one : rows) rows_.push_back(std::move(one));
  }
  void clear() {
    std::vector<Watched>().swap(rows_);  // with its memory
    if (memory_ != nullptr) memory_->give_back(std::exchange(bytes_, 0));
  }

  size_t size() const { return rows_.size(); }
  bool empty() const { return rows_.empty(); }
  const Watched& operator[](size_t at) const { return rows_[at]; }
  auto begin() const { return rows_.begin(); }
  auto end() const { return rows_.end(); }

 private:
  Memory* memory_ = nullptr;
  size_t bytes_ = 0;
  std::vector<Watched> rows_;
};

}  // namespace hs::protocol::resp
