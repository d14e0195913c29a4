// Counts the work of requests, so that no request works for long at the cost of others.
//
// Work of every kind is counted in units of very roughly 10 ns. The clock is looked at only once in
// kUnitsPerLook of them, so that a short request pays nothing for it. One thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <utility>

#include "base/assert.h"
#include "base/clock.h"

namespace hs::exec {

class Meter {
 public:
  // What work costs, in units.
  static constexpr uint32_t kRow = 16;        // to search for a row, or to go to the next one
  static constexpr uint32_t kFilter = 1;      // to try one filter on one row
  static constexpr uint32_t kValue = 16;      // to convert a value
  static constexpr uint32_t kChange = 256;    // to change a row
  static constexpr uint32_t kOpen = 4096;     // to open an index
  static constexpr size_t kBytesPerUnit = 8;  // of text that is read or written

  static constexpr int32_t kUnitsPerLook = 1024;
  static constexpr uint32_t kMostUnits = 1u << 30;  // the most of one add()
  // How long a request may hold up others, in ns.
  static constexpr int64_t kRequestNs = 5'000'000;

  struct Options {
    // Called from inside add() and expect() when the request has worked for kRequestNs, and again
    // after each further kRequestNs. Must not throw. Null: not called.
    std::function<void()> on_long_request;
    // A batch is over when it has worked for this long, in ns.
    int64_t batch_ns = std::numeric_limits<int64_t>::max();
    int64_t (*now_ns)() = monotonic_ns;
  };

  Meter() = default;
  explicit Meter(Options options) : options_(std::move(options)) {}

  void begin_batch() {
    batch_began_ns_ = request_began_ns_ = looked_ns_ = kUnknown;
    batch_is_over_ = false;
  }
  void begin_request() { request_began_ns_ = kUnknown; }

  // Counts work that was done.
  void add(uint32_t units) {
    HS_ASSERT(units <= kMostUnits);
    left_ -= static_cast<int32_t>(units);
    if (left_ <= 0) [[unlikely]]
      look();
  }
  void add_bytes(size_t bytes) {
    const size_t units = bytes / kBytesPerUnit;
    add(units < kUnitsPerLook ? static_cast<uint32_t>(units) : uint32_t{kUnitsPerLook});
  }
  // Counts work that is about to be done in one go, so that add() cannot interrupt it.
  void expect(size_t units);

  bool batch_is_over() const { return batch_is_over_; }

 private:
  static constexpr int64_t kUnknown = std::numeric_limits<int64_t>::min();

  void look();

  Options options_;
  int32_t left_ = kUnitsPerLook;  // units until the next look
  int32_t units_per_look_ = kUnitsPerLook;
  // As known from the looks: a batch and a request begin with the first look during them.
  int64_t batch_began_ns_ = kUnknown;
  int64_t request_began_ns_ = kUnknown;
  int64_t looked_ns_ = kUnknown;
  bool batch_is_over_ = false;
};

}  // namespace hs::exec
