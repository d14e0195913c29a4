// Writes what a command has come to, in the form in which it was asked.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/buffer.h"
#include "base/result.h"
#include "protocol/memcached/ask.h"
#include "protocol/memcached/status.h"

namespace hs::protocol::memcached {

enum class Outcome : uint8_t { kStored, kNotStored, kExists, kNotFound, kDeleted, kTouched };

// A row that was found.
struct Hit {
  std::string_view value;
  uint32_t flags = 0;
  uint64_t cas = 0;
  std::optional<int64_t> seconds_left;  // none: it does not expire
};

class Answer {
 public:
  // Both must outlive the answer.
  Answer(const Ask& ask, Buffer& output) : ask_(ask), output_(output) {}

  void hit(std::string_view key, const Hit& hit);
  void facts(const Hit& hit);  // kDebug
  void miss(std::string_view key);
  void end_of_hits();
  void outcome(Outcome outcome, const Hit& row);
  // The number that a count has come to.
  void number(const Hit& row);
  void version(std::string_view version);
  void stat(std::string_view name, std::string_view value);
  void end_of_stats();
  void ok();  // of what has no row
  void mechanisms();
  void error(const Refusal& why);
  void error(const Error& error);

 private:
  bool is_quiet_about(Outcome outcome) const;
  void line(std::string_view text);
  void meta_flags(const Hit* row);
  std::string_view word_of(Outcome outcome) const;
  void packet(std::string_view value = {});

  const Ask& ask_;
  Buffer& output_;
};

}  // namespace hs::protocol::memcached
