#include "protocol/resp/framing.h"

#include <algorithm>
#include <charconv>

namespace hs::protocol::resp {
namespace {

// A count or a length takes a line of at most so many bytes.
constexpr size_t kLongestHead = 32;
constexpr size_t kLongestInline = 64u << 10;
constexpr std::string_view kEnd = "\r\n";

Frame wrong(std::string error) {
  return {Frame::State::kWrong, 0, "Protocol error: " + std::move(error)};
}

enum class Head : uint8_t { kRead, kIncomplete, kWrong };

// read_head() for a number of a few digits with nothing unusual about it, as nearly all are. False:
// it is another one, or not all of it is there.
bool read_short_head(std::string_view text, int64_t* number, size_t* size) {
  constexpr size_t kMostDigits = 8;
  int64_t read = 0;
  size_t at = 1;
  for (; at < text.size() && at <= kMostDigits && text[at] >= '0' && text[at] <= '9'; ++at) {
    read = read * 10 + (text[at] - '0');
  }
  if (at == 1 || at + 1 >= text.size() || text[at] != '\r' || (text[1] == '0' && at > 2)) {
    return false;
  }
  *number = read;
  *size = at + kEnd.size();
  return true;
}

// Reads "<mark><number>\r\n" at the front of `text`, whose mark was checked.
Head read_head(std::string_view text, int64_t* number, size_t* size) {
  if (read_short_head(text, number, size)) return Head::kRead;
  const size_t end = text.substr(0, kLongestHead).find('\r');
  if (end == std::string_view::npos) {
    return text.size() < kLongestHead ? Head::kIncomplete : Head::kWrong;
  }
  if (end + 1 == text.size()) return Head::kIncomplete;
  *size = end + kEnd.size();
  return parse_integer(text.substr(1, end - 1), number) ? Head::kRead : Head::kWrong;
}

// Arguments of a line are separated by blanks, and may stand in quotes. False: a quote is open.
// Escapes are not undone, nor quotes in the middle taken out: such an argument is refused, since
// nobody types bytes.
bool split_line(std::string_view line, std::vector<std::string_view>& arguments) {
  for (;;) {
    const size_t begin = line.find_first_not_of(" \t");
    if (begin == std::string_view::npos) return true;
    line.remove_prefix(begin);
    const char quote = line.front();
    if (quote == '"' || quote == '\'') {
      const size_t end = line.find(quote, 1);
      if (end == std::string_view::npos) return false;
      const std::string_view argument = line.substr(1, end - 1);
      const bool is_followed =
          end + 1 < line.size() && line[end + 1] != ' ' && line[end + 1] != '\t';
      if (is_followed || argument.find('\\') != std::string_view::npos) return false;
      arguments.push_back(argument);
      line.remove_prefix(end + 1);
      continue;
    }
    const std::string_view argument = line.substr(0, line.find_first_of(" \t"));
    if (argument.find_first_of("\"'") != std::string_view::npos) return false;
    arguments.push_back(argument);
    line.remove_prefix(argument.size());
  }
}

Frame next_line(std::string_view unread, size_t longest, Progress& progress,
                std::vector<std::string_view>& arguments) {
  const size_t end = unread.find('\n', progress.searched);
  if (end == std::string_view::npos) {
    progress.searched = unread.size();
    if (unread.size() > kLongestInline) return wrong("too big inline request");
    if (unread.size() > longest) return {Frame::State::kTooLong, 0, {}};
    return {};
  }
  progress.searched = 0;
  if (end > kLongestInline) return wrong("too big inline request");
  if (end > longest) return {Frame::State::kTooLong, 0, {}};
  std::string_view line = unread.substr(0, end);
  if (line.ends_with('\r')) line.remove_suffix(1);
  if (!split_line(line, arguments)) return wrong("unbalanced quotes in request");
  return {Frame::State::kWhole, end + 1, {}};
}

}  // namespace

bool parse_integer(std::string_view text, int64_t* number) {
  const std::string_view digits = text.substr(text.starts_with('-') ? 1 : 0);
  if (digits.empty() || (digits.front() == '0' && text.size() > 1)) return false;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), *number);
  return read.ec == std::errc() && read.ptr == text.data() + text.size();
}

Frame next_frame(std::string_view unread, size_t longest, Progress& progress,
                 std::vector<std::string_view>& arguments) {
  if (unread.empty() || unread.size() < progress.needed) return {};
  if (unread.front() != '*') return next_line(unread, longest, progress, arguments);
  size_t at = progress.parsed;
  uint64_t left = progress.left;
  if (at == 0) {
    int64_t count = 0;
    const Head head = read_head(unread, &count, &at);
    if (head == Head::kIncomplete) return {};
    if (head == Head::kWrong || count > int64_t{kMostArguments}) {
      return wrong("invalid multibulk length");
    }
    left = count > 0 ? static_cast<uint64_t>(count) : 0;
  }
  while (left != 0) {
    progress.parsed = at;
    progress.left = left;
    progress.needed = at + 1;
    if (at > longest) return {Frame::State::kTooLong, 0, {}};
    if (at >= unread.size()) return {};
    if (unread[at] != '$') {
      return wrong(std::string("expected '$', got '") + unread[at] + "'");
    }
    int64_t size = 0;
    size_t head_size = 0;
    const Head head = read_head(unread.substr(at), &size, &head_size);
    if (head == Head::kIncomplete) {
      progress.needed = unread.size() + 1;
      return {};
    }
    if (head == Head::kWrong || size < 0 || size > int64_t{kLongestArgument}) {
      return wrong("invalid bulk length");
    }
    const size_t begin = at + head_size;
    const size_t end = begin + static_cast<size_t>(size) + kEnd.size();
    if (end > longest) return {Frame::State::kTooLong, 0, {}};
    if (end > unread.size()) {
      progress.needed = end;
      return {};
    }
    arguments.push_back(unread.substr(begin, static_cast<size_t>(size)));
    at = end;
    --left;
  }
  progress = {};
  return {Frame::State::kWhole, at, {}};
}

}  // namespace hs::protocol::resp
