// Positions of MariaDB's replication as clients send them: GTIDs with commas between them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace hs::adapter {

struct DomainGtid {
  uint32_t domain = 0;
  uint32_t server = 0;
  uint64_t number = 0;

  bool operator==(const DomainGtid&) const = default;
};

class GtidList {
 public:
  static constexpr size_t kMost = 64;

  // `<domain>-<server>-<number>`, again and again with commas between them. As in SQL there may be
  // blanks before each number, and the empty text is the empty list. False: it is something else,
  // or has more than kMost.
  bool read(std::string_view text);
  std::span<const DomainGtid> gtids() const { return {gtids_.data(), size_}; }

 private:
  std::array<DomainGtid, kMost> gtids_;
  size_t size_ = 0;
};

}  // namespace hs::adapter
