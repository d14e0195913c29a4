// Any bytes as a client of the memcached port may send them, executed on tables in memory, twice: at
// once, and byte by byte. Replies and rows must be the same.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "keys_world.h"
#include "protocol/memcached/codec.h"
#include "require.h"

namespace {

using hs::fuzz::has_planted_bug;
using hs::fuzz::KeysWorld;
using hs::fuzz::require;
using hs::protocol::memcached::memcached_protocol;

constexpr char kAnswerMagic = static_cast<char>(0x81);

// The first words of lines of which none has data behind it.
constexpr std::array<std::string_view, 21> kWords = {
    "STORED", "NOT_STORED", "EXISTS", "NOT_FOUND",    "DELETED",      "TOUCHED", "END",
    "OK",     "ERROR",      "STAT",   "CLIENT_ERROR", "SERVER_ERROR", "VERSION", "HD",
    "EN",     "NS",         "NF",     "EX",           "MN",           "ME",      ""};

size_t number_at(std::string_view bytes, size_t at, size_t size) {
  size_t number = 0;
  for (size_t i = 0; i < size; ++i) number = number << 8 | static_cast<uint8_t>(bytes[at + i]);
  return number;
}

// The word in which `line` says how many bytes of data are behind it.
size_t data_size(std::string_view line, size_t word) {
  for (; word > 0; --word) line.remove_prefix(std::min(line.find(' ') + 1, line.size()));
  return std::stoul(std::string(line.substr(0, line.find(' '))));
}

std::string_view skip_packet(std::string_view rest) {
  constexpr size_t kHeader = 24;
  require(rest.size() >= kHeader, "a packet has its header");
  const size_t body = number_at(rest, 8, 4);
  require(number_at(rest, 2, 2) + number_at(rest, 4, 1) <= body, "key and extras are of the body");
  require(rest.size() >= kHeader + body, "a packet has its body");
  return rest.substr(kHeader + body);
}

// Replies are whole: words, lengths and ends fit. Returns what is behind the first one.
std::string_view skip_reply(std::string_view rest) {
  if (rest.front() == kAnswerMagic) return skip_packet(rest);
  const size_t end = rest.find("\r\n");
  require(end != std::string_view::npos, "a reply begins with a line");
  const std::string_view line = rest.substr(0, end);
  require(line.find('\n') == std::string_view::npos, "a line is one line");
  rest.remove_prefix(end + 2);
  const std::string_view word = line.substr(0, line.find(' '));
  if (word == "VALUE" || word == "VA") {
    const size_t size = data_size(line, word == "VA" ? 1 : 3);
    require(rest.size() >= size + 2 && rest.substr(size, 2) == "\r\n", "data have their length");
    return rest.substr(size + 2);
  }
  const bool is_number = !word.empty() && std::all_of(word.begin(), word.end(),
                                                      [](char c) { return c >= '0' && c <= '9'; });
  require(is_number || std::find(kWords.begin(), kWords.end(), word) != kWords.end(),
          "a known word");
  return rest;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  KeysWorld at_once(memcached_protocol());
  at_once.receive(input);
  require(!at_once.has_changes(), "what is answered is committed");
  for (std::string_view rest = at_once.replies(); !rest.empty();) rest = skip_reply(rest);
  require(!has_planted_bug() || at_once.rows().empty(), "the planted bug: no row is ever written");
  KeysWorld bytewise(memcached_protocol());
  for (size_t i = 0; i < input.size(); ++i) bytewise.receive(input.substr(i, 1));
  if (bytewise.has_versions()) return 0;
  require(at_once.replies() == bytewise.replies(), "packets do not matter to replies");
  require(at_once.rows() == bytewise.rows(), "packets do not matter to rows");
  return 0;
}
