#include "protocol/handlersocket/encoding.h"

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace hs::protocol::handlersocket {
namespace {

constexpr unsigned char kFirstPlain = 0x10;  // bytes below are escaped
constexpr unsigned char kShift = 0x40;

// True if any of the eight bytes is below 0x10: its high half is then zero, and only a zero byte
// makes the subtraction borrow into a top bit that was clear.
bool needs_escape(uint64_t bytes) {
  const uint64_t high_halves = bytes & 0xf0f0f0f0f0f0f0f0u;
  return ((high_halves - 0x0101010101010101u) & ~high_halves & 0x8080808080808080u) != 0;
}

char* escape_bytes(const char* from, size_t size, char* out) {
  for (const char* end = from + size; from != end; ++from) {
    const auto byte = static_cast<unsigned char>(*from);
    if (byte < kFirstPlain) {
      *out++ = kEscape;
      *out++ = static_cast<char>(byte + kShift);
    } else {
      *out++ = *from;
    }
  }
  return out;
}

}  // namespace

char* escape(std::string_view bytes, char* out) {
  const char* from = bytes.data();
  const char* const end = from + bytes.size();
  // Each eight bytes are copied first and examined then: nearly always none needs an escape.
  uint64_t word;
  while (end - from >= 8) {
    std::memcpy(&word, from, sizeof word);
    std::memcpy(out, &word, sizeof word);
    if (needs_escape(word)) {
      out = escape_bytes(from, sizeof word, out);
    } else {
      out += sizeof word;
    }
    from += sizeof word;
  }
  const auto rest = static_cast<size_t>(end - from);
  if (bytes.size() >= 8 && rest > 0) {
    // Copies the last eight bytes of the text: those that were written before are written again,
    // unchanged.
    std::memcpy(&word, end - sizeof word, sizeof word);
    if (!needs_escape(word)) {
      std::memcpy(out + rest - sizeof word, &word, sizeof word);
      return out + rest;
    }
  }
  return escape_bytes(from, rest, out);
}

void append_escaped(Buffer& out, std::string_view bytes) {
  // In chunks, so that a large value never asks for room for its worst case as a whole.
  constexpr size_t kChunk = 16u << 10;
  if (bytes.size() > kChunk) out.reserve(bytes.size());
  while (!bytes.empty()) {
    const size_t size = std::min(bytes.size(), kChunk);
    char* const begin = out.reserve(2 * size);
    out.commit(static_cast<size_t>(escape(bytes.substr(0, size), begin) - begin));
    bytes.remove_prefix(size);
  }
}

void append_value(Buffer& out, const Value& value) {
  if (value.is_null()) {
    out.append('\0');
  } else {
    append_escaped(out, value.text());
  }
}

size_t encoded_size(const Value& value) {
  if (value.is_null()) return 1;
  const std::string_view bytes = value.text();
  const auto is_escaped = [](char byte) { return static_cast<unsigned char>(byte) < kFirstPlain; };
  return bytes.size() + static_cast<size_t>(std::count_if(bytes.begin(), bytes.end(), is_escaped));
}

std::optional<size_t> unescape(std::string_view token, char* out) {
  const char* from = token.data();
  const char* const end = from + token.size();
  char* const begin = out;
  while (from != end) {
    const auto rest = static_cast<size_t>(end - from);
    const auto* escape = static_cast<const char*>(std::memchr(from, kEscape, rest));
    const size_t run = escape == nullptr ? rest : static_cast<size_t>(escape - from);
    std::memcpy(out, from, run);
    out += run;
    if (escape == nullptr) break;
    if (end - escape < 2) return std::nullopt;
    const auto byte = static_cast<unsigned char>(escape[1]);
    if (byte < kShift || byte >= kShift + kFirstPlain) return std::nullopt;
    *out++ = static_cast<char>(byte - kShift);
    from = escape + 2;
  }
  return static_cast<size_t>(out - begin);
}

}  // namespace hs::protocol::handlersocket
