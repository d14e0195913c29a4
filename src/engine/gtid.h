// Names of transactions that all servers of a replication know.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace hs::engine {

// The name of one transaction, as the database writes it. Of a fixed size, so that each connection
// can have one.
class Gtid {
 public:
  static constexpr size_t kMaxSize = 63;

  Gtid() = default;
  // `text` has at most kMaxSize bytes.
  explicit Gtid(std::string_view text) : size_(static_cast<uint8_t>(text.size())) {
    text.copy(bytes_.data(), kMaxSize);
  }
  std::string_view text() const { return {bytes_.data(), size_}; }
  bool empty() const { return size_ == 0; }

 private:
  std::array<char, kMaxSize> bytes_;
  uint8_t size_ = 0;
};

// What the engine remembers of a wait for transactions from one look to the next. Its own matter.
struct GtidMark {
  bool is_set = false;
  bool is_exact = false;
  uint64_t file = 0;
  uint64_t offset = 0;
};

}  // namespace hs::engine
