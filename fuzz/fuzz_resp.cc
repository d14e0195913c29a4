// Any bytes as a client of the RESP port may send them, executed on tables in memory, twice: at once,
// and byte by byte. Replies and rows must be the same.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "keys_world.h"
#include "protocol/resp/codec.h"
#include "require.h"

namespace {

using hs::fuzz::has_planted_bug;
using hs::fuzz::KeysWorld;
using hs::fuzz::require;
using hs::protocol::resp::resp_protocol;

// Scans tell places by numbers that are never the same.
bool has_scan(std::string_view input) {
  for (size_t at = 0; at + 4 <= input.size(); ++at) {
    const std::string_view word = input.substr(at, 4);
    if ((word[0] | 0x20) == 's' && (word[1] | 0x20) == 'c' && (word[2] | 0x20) == 'a' &&
        (word[3] | 0x20) == 'n') {
      return true;
    }
  }
  return false;
}

// Replies are whole: marks, lengths and ends fit. Returns what is behind the first one.
std::string_view skip_reply(std::string_view rest, int depth) {
  require(depth < 64, "replies are not deep");
  const size_t end = rest.find("\r\n");
  require(!rest.empty() && end != std::string_view::npos, "a reply begins with a line");
  const char mark = rest.front();
  const std::string_view line = rest.substr(1, end - 1);
  rest.remove_prefix(end + 2);
  if (mark == '+' || mark == '-' || mark == ':' || mark == '_' || mark == ',' || mark == '#') {
    require(line.find('\n') == std::string_view::npos, "a line is one line");
    return rest;
  }
  require(mark == '$' || mark == '=' || mark == '*' || mark == '%' || mark == '~', "a known mark");
  if (line == "-1") return rest;
  const size_t size = std::stoul(std::string(line));
  if (mark == '$' || mark == '=') {
    require(rest.size() >= size + 2 && rest.substr(size, 2) == "\r\n", "a bulk has its length");
    return rest.substr(size + 2);
  }
  for (size_t i = 0; i < size * (mark == '%' ? 2 : 1); ++i) rest = skip_reply(rest, depth + 1);
  return rest;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  KeysWorld at_once(resp_protocol());
  at_once.receive(input);
  require(!at_once.has_changes(), "what is answered is committed");
  for (std::string_view rest = at_once.replies(); !rest.empty();) rest = skip_reply(rest, 0);
  require(!has_planted_bug() || at_once.rows().empty(), "the planted bug: no row is ever written");
  if (has_scan(input)) return 0;
  KeysWorld bytewise(resp_protocol());
  for (size_t i = 0; i < input.size(); ++i) bytewise.receive(input.substr(i, 1));
  if (bytewise.has_versions()) return 0;
  require(at_once.replies() == bytewise.replies(), "packets do not matter to replies");
  require(at_once.rows() == bytewise.rows(), "packets do not matter to rows");
  return 0;
}
