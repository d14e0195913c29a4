// What one message of a memcached client asks for, whichever of the three forms it is written in:
// the classic text, the meta commands, or the binary protocol.
//
// Everything is a view of the message, or of the memory of whoever parsed it.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "protocol/memcached/status.h"

namespace hs::protocol::memcached {

enum class Form : uint8_t { kText, kMeta, kBinary };

enum class Verb : uint8_t {
  kWrong,  // `refusal` is the answer
  kGet,    // with `touches` also sets when the rows expire
  kSet,
  kAdd,
  kReplace,
  kAppend,
  kPrepend,
  kCount,  // incr and decr
  kTouch,
  kDelete,
  kVersion,
  kStats,
  kVerbosity,
  kNoop,
  kQuit,
  kFlush,
  kDebug,  // me
  kMechanisms,
  kLogin,
};

inline bool stores(Verb verb) {
  return verb == Verb::kSet || verb == Verb::kAdd || verb == Verb::kReplace;
}
inline bool joins(Verb verb) {
  return verb == Verb::kAppend || verb == Verb::kPrepend || verb == Verb::kCount;
}

struct Ask {
  Form form = Form::kText;
  Verb verb = Verb::kWrong;
  Refusal refusal;
  bool ends_connection = false;
  bool is_foreign = false;  // kWrong, of a browser

  std::vector<std::string_view> keys;
  std::string_view value;
  uint32_t flags = 0;
  std::optional<int64_t> exptime;  // as the client gives it; none: stays as it is
  uint64_t cas = 0;                // the row must have this version; 0: any, unless `compares`
  bool compares = false;
  std::optional<uint64_t> new_cas;  // the version that the row is to have

  bool subtracts = false;  // kCount
  uint64_t delta = 1;
  // kCount, kAppend: a key without a row gets this value.
  std::optional<std::string_view> initial;
  std::optional<int64_t> initial_exptime;

  bool touches = false;
  bool is_silent = false;  // noreply: no answer at all
  bool is_quiet = false;   // no answer that tells of what is usual
  bool wants_cas = false;  // kGet in text

  // Meta: its flags in the order of the request, with what stands behind each letter.
  std::vector<std::string_view> meta;
  bool key_is_base64 = false;
  std::string_view key_as_sent;
  bool wants_value = false;

  // Binary
  uint8_t opcode = 0;
  uint32_t opaque = 0;
  bool wants_key = false;
  std::string_view user, password;  // kLogin
  bool is_known_mechanism = false;

  bool meta_has(char letter) const {
    for (const std::string_view flag : meta)
      if (flag.front() == letter) return true;
    return false;
  }
  void clear() {
    // The vectors keep their memory.
    std::vector<std::string_view> kept_keys = std::move(keys);
    std::vector<std::string_view> kept_meta = std::move(meta);
    kept_keys.clear();
    kept_meta.clear();
    *this = Ask();
    keys = std::move(kept_keys);
    meta = std::move(kept_meta);
  }
};

inline constexpr size_t kMostKeySize = 250;
inline constexpr size_t kMostKeys = 100'000;  // of one get

}  // namespace hs::protocol::memcached
