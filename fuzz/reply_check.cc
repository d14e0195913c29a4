#include "reply_check.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <string>
#include <vector>

#include "protocol/handlersocket/encoding.h"
#include "require.h"

namespace hs::fuzz {
namespace {

using namespace protocol::handlersocket;

std::vector<std::string_view> tokens_of(std::string_view line) {
  std::vector<std::string_view> tokens;
  for (;;) {
    const size_t tab = line.find('\t');
    tokens.push_back(line.substr(0, tab));
    if (tab == std::string_view::npos) return tokens;
    line.remove_prefix(tab + 1);
  }
}

void check_value(std::string_view token) {
  if (is_null_token(token)) return;
  std::string decoded(token.size(), '\0');
  const std::optional<size_t> size = unescape(token, decoded.data());
  require(size.has_value(), "a value can be decoded");
  Buffer encoded;
  append_value(encoded, Value::of(std::string_view(decoded).substr(0, *size)));
  require(encoded.view() == token, "a value is encoded in the one right way");
}

}  // namespace

void check_reply(std::string_view line) {
  require(!line.empty() && line.back() == '\n', "a reply is a line");
  line.remove_suffix(1);
  const std::vector<std::string_view> tokens = tokens_of(line);
  require(tokens.size() >= 2 && tokens[0].size() == 1, "a reply has a code and a number");
  if (tokens[0] != "0") {
    require(tokens[0] >= "1" && tokens[0] <= "3", "codes are 0 to 3");
    require(tokens.size() == 3 && tokens[1] == "1", "an error has one text");
    const auto printable = [](char c) { return c >= ' ' && c <= '~'; };
    require(!tokens[2].empty() && std::all_of(tokens[2].begin(), tokens[2].end(), printable),
            "an error's text is printable");
    return;
  }
  size_t columns = 0;
  const char* end = tokens[1].data() + tokens[1].size();
  const auto parsed = std::from_chars(tokens[1].data(), end, columns);
  require(parsed.ec == std::errc() && parsed.ptr == end, "the number of columns is one");
  const size_t values = tokens.size() - 2;
  require(columns == 0 ? values == 0 : values % columns == 0, "rows are whole");
  for (size_t i = 2; i < tokens.size(); ++i) check_value(tokens[i]);
}

}  // namespace hs::fuzz
