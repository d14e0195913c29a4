#include "protocol/memcached/text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <span>

#include "protocol/handlersocket/foreign.h"
#include "protocol/memcached/meta.h"
#include "protocol/memcached/words.h"

namespace hs::protocol::memcached {
namespace {

constexpr std::string_view kNoReply = "noreply";

// The line without its end, and how many bytes it has with it.
struct Line {
  std::string_view text;
  size_t size = 0;
};
Line first_line(std::string_view text) {
  const size_t end = text.find('\n');
  if (end == std::string_view::npos) return {text, text.size()};
  const bool has_return = end > 0 && text[end - 1] == '\r';
  return {text.substr(0, end - static_cast<size_t>(has_return)), end + 1};
}

struct Stored {
  std::string_view name;
  Verb verb;
};
constexpr std::array<Stored, 6> kStored = {{{"set", Verb::kSet},
                                            {"add", Verb::kAdd},
                                            {"replace", Verb::kReplace},
                                            {"append", Verb::kAppend},
                                            {"prepend", Verb::kPrepend},
                                            {"cas", Verb::kSet}}};

const Stored* find_stored(std::string_view name) {
  const auto* const at = std::find_if(kStored.begin(), kStored.end(),
                                      [&](const Stored& one) { return one.name == name; });
  return at == kStored.end() ? nullptr : at;
}

// How many bytes of data follow the line; none: no data follow.
std::optional<uint64_t> data_size(std::string_view line) {
  Words words(line);
  const std::string_view name = words.next();
  size_t before = 0;
  if (name == "ms") {
    before = 1;
  } else if (find_stored(name) != nullptr) {
    before = 3;
  } else {
    return std::nullopt;
  }
  for (; before > 0; --before) words.next();
  uint32_t size = 0;
  if (!read_number(words.next(), &size) || size > INT32_MAX) return std::nullopt;
  return size;
}

class TextParser {
 public:
  TextParser(std::string_view text, Ask& ask) : line_(first_line(text)), text_(text), ask_(ask) {}

  void parse(std::string* memory) {
    words_ = Words(line_.text);
    const std::string_view name = words_.next();
    if (is_meta(name)) return parse_meta(name, words_, text_.substr(line_.size), &ask_, memory);
    if (const Stored* const stored = find_stored(name)) return parse_store(*stored);
    if (name == "get" || name == "gets") return parse_get(name == "gets");
    if (name == "gat" || name == "gats") return parse_get_and_touch(name == "gats");
    if (name == "incr" || name == "decr") return parse_count(name == "decr");
    if (name == "touch") return parse_touch();
    if (name == "delete") return parse_delete();
    if (name == "flush_all") return parse_flush();
    if (name == "version") return take(Verb::kVersion);
    if (name == "stats") return parse_stats();
    if (name == "verbosity") return parse_verbosity();
    if (name == "quit") {
      take(Verb::kQuit);
      ask_.ends_connection = true;
      return;
    }
    refuse(kUnknown);
    ask_.is_foreign = handlersocket::foreign(line_.text) != handlersocket::Foreign::kNo;
  }

 private:
  void take(Verb verb) { ask_.verb = verb; }
  void refuse(std::string_view line) {
    ask_.verb = Verb::kWrong;
    ask_.refusal = {Status::kInvalid, line};
  }

  bool take_key(std::string_view key) {
    if (key.empty()) {
      refuse(kUnknown);
      return false;
    }
    if (key.size() > kMostKeySize) {
      refuse(kBadLine);
      return false;
    }
    ask_.keys.push_back(key);
    return true;
  }

  // The key of a change. A client that ends the line with `noreply` reads no answer, whatever is wrong
  // with what stands before that.
  bool take_changed_key() {
    const std::string_view key = words_.next();
    Words rest = words_;
    std::string_view last;
    if (line_.text.find(kNoReply) != std::string_view::npos) {
      for (auto word = rest.next(); !word.empty(); word = rest.next()) last = word;
    }
    ask_.is_silent = last == kNoReply;
    return take_key(key);
  }

  // The rest of the line is nothing or `noreply`.
  bool take_noreply() {
    const std::string_view last = words_.next();
    if ((last.empty() || last == kNoReply) && words_.next().empty()) return true;
    refuse(kBadLine);
    return false;
  }

  template <class Number>
  bool take_number(Number* number, std::string_view otherwise) {
    const std::string_view word = words_.next();
    if (read_number(word, number)) return true;
    refuse(word.empty() ? kUnknown : otherwise);
    return false;
  }

  void parse_get(bool wants_cas) {
    take(Verb::kGet);
    ask_.wants_cas = wants_cas;
    std::string_view key = words_.next();
    if (!take_key(key)) return;
    for (key = words_.next(); !key.empty(); key = words_.next()) {
      if (!take_key(key)) return;
      if (ask_.keys.size() > kMostKeys) return refuse("CLIENT_ERROR too many keys");
    }
  }

  void parse_get_and_touch(bool wants_cas) {
    int64_t exptime = 0;
    if (!take_number(&exptime, "CLIENT_ERROR invalid exptime argument")) return;
    parse_get(wants_cas);
    ask_.touches = true;
    ask_.exptime = exptime;
  }

  void parse_store(const Stored& stored) {
    take(stored.verb);
    int64_t exptime = 0;
    uint32_t size = 0;
    if (!take_changed_key()) return;
    if (!take_number(&ask_.flags, kBadLine) || !take_number(&exptime, kBadLine) ||
        !take_number(&size, kBadLine))
      return;
    if (stored.name == "cas") {
      ask_.compares = true;
      if (!take_number(&ask_.cas, kBadLine)) return;
    }
    if (!take_noreply()) return;
    const bool stays = stored.verb == Verb::kAppend || stored.verb == Verb::kPrepend;
    if (!stays) ask_.exptime = exptime;
    const std::string_view data = text_.substr(line_.size);
    if (data.size() != size + kLineEnd.size() || !data.ends_with(kLineEnd)) return refuse(kBadData);
    ask_.value = data.substr(0, size);
  }

  void parse_count(bool subtracts) {
    take(Verb::kCount);
    ask_.subtracts = subtracts;
    if (!take_changed_key()) return;
    if (!take_number(&ask_.delta, "CLIENT_ERROR invalid numeric delta argument")) return;
    take_noreply();
  }

  void parse_touch() {
    take(Verb::kTouch);
    int64_t exptime = 0;
    if (!take_changed_key()) return;
    if (!take_number(&exptime, "CLIENT_ERROR invalid exptime argument")) return;
    ask_.exptime = exptime;
    take_noreply();
  }

  void parse_delete() {
    take(Verb::kDelete);
    if (!take_changed_key()) return;
    Words before = words_;
    // Very old clients send a time, which may only be 0.
    if (words_.next() != "0") words_ = before;
    if (!take_noreply())
      refuse("CLIENT_ERROR bad command line format.  Usage: delete <key> [noreply]");
  }

  void parse_flush() {
    take(Verb::kFlush);
    for (std::string_view word = words_.next(); !word.empty(); word = words_.next())
      ask_.is_silent = word == "noreply";
  }

  void parse_stats() {
    take(Verb::kStats);
    ask_.value = words_.next();
    if (ask_.value == "noreply") refuse(kUnknown);
  }

  void parse_verbosity() {
    const std::string_view level = words_.next();
    const std::string_view more = words_.next();
    const std::string_view last = words_.next();
    ask_.is_silent = level == "noreply" || more == "noreply" || last == "noreply";
    if (level.empty() || (!last.empty() && !ask_.is_silent)) return refuse(kUnknown);
    uint32_t number = 0;
    if (!ask_.is_silent && !read_number(level, &number)) return refuse(kBadLine);
    take(Verb::kVerbosity);
  }

  const Line line_;
  const std::string_view text_;
  Words words_{{}};
  Ask& ask_;
};

}  // namespace

Extent next_text(std::string_view unread, size_t longest, size_t* seen) {
  const size_t end = unread.find('\n', std::min(*seen, unread.size()));
  if (end == std::string_view::npos) {
    *seen = unread.size();
    return {unread.size() > longest ? Extent::State::kTooLong : Extent::State::kIncomplete, 0};
  }
  *seen = end;
  const Line line = first_line(unread.substr(0, end + 1));
  size_t size = line.size;
  if (const std::optional<uint64_t> data = data_size(line.text)) size += *data + kLineEnd.size();
  if (size > longest + kLineEnd.size()) return {Extent::State::kTooLong, 0};
  if (size > unread.size()) return {};
  *seen = 0;
  return {Extent::State::kWhole, size};
}

void parse_text(std::string_view text, Ask* ask, std::string* memory) {
  ask->clear();
  TextParser(text, *ask).parse(memory);
}

}  // namespace hs::protocol::memcached
