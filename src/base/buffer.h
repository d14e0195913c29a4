// A growing run of bytes with a read end and a write end: a connection's input and its output.
//
//      data_             begin_            end_            capacity_
//        | consumed, free  |  readable       |  writable      |
//
// Not thread-safe. Only reserve() and append() throw: std::bad_alloc, or MemoryRefused, which is
// one. The caller bounds the size first.
//
// What a client sends may be a secret. A buffer for it leaves none where bytes were moved away or
// dropped unread. Nor does it leave what was consumed, as long as the client is not known. Once it is,
// secrets are rare, and whoever consumes one overwrites it first.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string_view>

#include "base/assert.h"
#include "base/memory.h"

namespace hs {

class Buffer {
 public:
  enum class Content : uint8_t { kHarmless, kFromClient };

  // Counts its bytes in `memory`, which must outlive the buffer; null: counts nothing.
  explicit Buffer(Memory* memory = nullptr, Content content = Content::kHarmless)
      : memory_(memory), from_client_(content == Content::kFromClient) {}
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  ~Buffer() { release(); }

  // Whether the buffer's client is known (see Memory). Not known at first.
  void set_known(bool known) { known_ = known; }
  bool is_known() const { return known_; }

  const char* data() const { return data_.get() + begin_; }
  size_t size() const { return end_ - begin_; }
  bool empty() const { return begin_ == end_; }
  size_t capacity() const { return capacity_; }
  std::string_view view() const { return {data(), size()}; }

  // At least `bytes` of writable room behind the readable part. Invalidates earlier pointers and
  // views. Returns where to write; commit() says how many bytes were written.
  char* reserve(size_t bytes) {
    if (capacity_ - end_ < bytes) make_room(bytes);
    return data_.get() + end_;
  }
  size_t writable() const { return capacity_ - end_; }
  void commit(size_t bytes) {
    HS_ASSERT(bytes <= writable());
    end_ += bytes;
  }

  void append(std::string_view bytes) {
    if (bytes.empty()) return;
    std::memcpy(reserve(bytes.size()), bytes.data(), bytes.size());
    end_ += bytes.size();
  }
  void append(char byte) {
    *reserve(1) = byte;
    ++end_;
  }

  // Drops the first `bytes` readable bytes. Moves nothing: views of the rest stay valid.
  void consume(size_t bytes) {
    HS_ASSERT(bytes <= size());
    if (!known_ && from_client_) overwrite(begin_, bytes);
    begin_ += bytes;
    if (begin_ == end_) begin_ = end_ = 0;
  }

  // Cuts the readable part down to its first `bytes` bytes. Overwrites nothing.
  void truncate(size_t bytes) {
    HS_ASSERT(bytes <= size());
    end_ = begin_ + bytes;
  }

  // Gives the memory back when nothing is readable and more than `keep` bytes are held.
  void shrink(size_t keep) {
    if (!empty() || capacity_ <= keep) return;
    release();
    begin_ = end_ = capacity_ = 0;
  }

  // Drops everything, and gives the memory back.
  void drop() {
    overwrite_unread();
    begin_ = end_ = 0;
    shrink(0);
  }

 private:
  void make_room(size_t bytes);
  void grow(size_t capacity);
  void overwrite(size_t begin, size_t bytes);
  void overwrite_unread() {
    if (from_client_) overwrite(begin_, size());
  }
  void release() {
    overwrite_unread();
    data_.reset();
    if (memory_ != nullptr) memory_->give_back(capacity_);
  }

  Memory* const memory_;
  const bool from_client_;
  bool known_ = false;
  std::unique_ptr<char[]> data_;
  size_t begin_ = 0;
  size_t end_ = 0;
  size_t capacity_ = 0;
};

}  // namespace hs
