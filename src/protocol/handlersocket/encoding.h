// The encoding of values in a line. TAB and LF belong to the protocol, so the bytes 0x00-0x0f are
// escaped.
//
//   byte 0x10-0xff   itself
//   byte 0x00-0x0f   0x01, byte + 0x40        (0x09 -> 0x01 'I')
//   NULL             a token of the single byte 0x00
//   empty string     an empty token
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "base/buffer.h"
#include "base/value.h"

namespace hs::protocol::handlersocket {

inline constexpr char kEscape = '\x01';

// Writes the escaped form of `bytes` to `out` and returns its end. `out` must have room for twice
// as many bytes.
char* escape(std::string_view bytes, char* out);

// Appends the escaped form of `bytes`, at most twice as long.
void append_escaped(Buffer& out, std::string_view bytes);

// Appends the token of a value or NULL.
void append_value(Buffer& out, const Value& value);

// How many bytes the token of a value or NULL has.
size_t encoded_size(const Value& value);

// True for the token that means NULL.
inline bool is_null_token(std::string_view token) { return token.size() == 1 && token[0] == '\0'; }

// Writes the bytes that `token` stands for to `out`, and returns how many they are. `out` must have
// room for token.size() bytes and must not overlap the token. Returns nothing when an escape byte
// is not followed by 0x40-0x4f. All other bytes, control bytes too, stand for themselves. The
// caller checks for NULL before.
std::optional<size_t> unescape(std::string_view token, char* out);

}  // namespace hs::protocol::handlersocket
