#include "protocol/memcached/meta.h"

#include <array>
#include <optional>

namespace hs::protocol::memcached {
namespace {

constexpr std::string_view kBadKey = "CLIENT_ERROR error decoding key";
constexpr std::string_view kBadFlag = "CLIENT_ERROR invalid flag";
constexpr std::string_view kDuplicateFlag = "CLIENT_ERROR duplicate flag";
constexpr std::string_view kBadToken = "CLIENT_ERROR bad token in command line format";
// Whatever is wrong with one of md or ma.
constexpr std::string_view kBadFlagOrToken = "CLIENT_ERROR invalid or duplicate flag";

// Which flags each command takes. Those that only mean something in a cache are refused by their
// absence: N and R of mg (one client of many renews), I (stale rows), h, l and t of the last access.
struct Known {
  std::string_view name;
  Verb verb;
  std::string_view flags;
};
constexpr std::array<Known, 6> kKnown = {{{"mg", Verb::kGet, "bcfkOqstvT"},
                                          {"ms", Verb::kSet, "bcCEFkMOqsT"},
                                          {"md", Verb::kDelete, "bCkOq"},
                                          {"ma", Verb::kCount, "bcCEJDkMNOqTtv"},
                                          {"mn", Verb::kNoop, ""},
                                          {"me", Verb::kDebug, "b"}}};

int digit_of(char c) {
  if (c >= 'A' && c <= 'Z') return c - 'A';
  if (c >= 'a' && c <= 'z') return c - 'a' + 26;
  if (c >= '0' && c <= '9') return c - '0' + 52;
  return c == '+' ? 62 : c == '/' ? 63 : -1;
}

// False: it is not base64.
bool decode_base64(std::string_view text, std::string* bytes) {
  bytes->clear();
  if (text.size() % 4 != 0) return false;
  for (; !text.empty(); text.remove_prefix(4)) {
    size_t padding = 0;
    if (text.size() == 4) padding = text[3] != '=' ? 0 : text[2] != '=' ? 1 : 2;
    uint32_t group = 0;
    for (size_t i = 0; i < 4; ++i) {
      const int digit = i >= 4 - padding ? 0 : digit_of(text[i]);
      if (digit < 0) return false;
      group = group << 6 | static_cast<uint32_t>(digit);
    }
    for (size_t i = 0; i < 3 - padding; ++i)
      bytes->push_back(static_cast<char>(group >> (16 - 8 * i) & 0xff));
  }
  return !bytes->empty();
}

class MetaParser {
 public:
  MetaParser(const Known& known, Words words, std::string_view data, Ask& ask)
      : known_(known), words_(words), data_(data), ask_(ask) {}

  void parse(std::string* memory) {
    ask_.form = Form::kMeta;
    ask_.verb = known_.verb;
    if (known_.verb == Verb::kNoop) return;
    ask_.key_as_sent = words_.next();
    const bool is_debug = known_.verb == Verb::kDebug;
    if (ask_.key_as_sent.empty()) return refuse(is_debug ? kBadLine : kUnknown);
    if (ask_.key_as_sent.size() > kMostKeySize) return refuse(kBadLine);
    uint32_t size = 0;
    if (known_.verb == Verb::kSet && !read_number(words_.next(), &size)) return refuse(kBadLine);
    if (!take_flags() || !take_key(memory)) return;
    if (known_.verb != Verb::kSet) return;
    constexpr std::string_view kDataEnd = "\r\n";
    if (data_.size() != size + kDataEnd.size() || !data_.ends_with(kDataEnd))
      return refuse(kBadData);
    ask_.value = data_.substr(0, size);
    // Without T a row never expires, but what is appended to stays as it is.
    if (ask_.verb != Verb::kAppend && ask_.verb != Verb::kPrepend && !ask_.exptime)
      ask_.exptime = 0;
  }

 private:
  void refuse(std::string_view line) {
    ask_.verb = Verb::kWrong;
    ask_.refusal = {Status::kInvalid, line};
  }

  // What is wrong with the letters; empty: nothing. memcached looks at all of them before it looks at what stands
  // behind them.
  std::string_view judge_letters() const {
    if (known_.verb == Verb::kDebug) return {};  // it looks at none
    std::string seen;
    Words words = words_;
    for (std::string_view word = words.next(); !word.empty(); word = words.next()) {
      const char letter = word.front();
      if (seen.find(letter) != std::string::npos) return kDuplicateFlag;
      if (known_.flags.find(letter) == std::string_view::npos) return kBadFlag;
      seen += letter;
    }
    return {};
  }

  bool take_flags() {
    if (const std::string_view wrong = judge_letters(); !wrong.empty()) {
      refuse(is_one_for_all() ? kBadFlagOrToken : wrong);
      return false;
    }
    for (std::string_view word = words_.next(); !word.empty(); word = words_.next()) {
      const std::string_view wrong = judge_flag(word);
      if (!wrong.empty()) {
        refuse(wrong);
        return false;
      }
      ask_.meta.push_back(word);
    }
    return true;
  }

  // Takes it. What is wrong with it; empty: nothing.
  std::string_view judge_flag(std::string_view word) {
    if (known_.verb == Verb::kDebug && word != "b") return {};  // memcached looks at no other
    if (take_flag(word.front(), word.substr(1))) return {};
    if (word.front() == 'O') return "CLIENT_ERROR opaque token too long";
    const bool is_mode = word.front() == 'M' && word.size() == 2;
    if (word.front() == 'M' && known_.verb == Verb::kSet) {
      return is_mode ? "CLIENT_ERROR invalid mode for ms M token"
                     : "CLIENT_ERROR incorrect length for M token";
    }
    if (is_mode) return "CLIENT_ERROR invalid mode for ma M token";
    return is_one_for_all() ? kBadFlagOrToken : kBadToken;
  }

  // Of these, one sentence is for all that is wrong with flags.
  bool is_one_for_all() const {
    return known_.verb == Verb::kCount || known_.verb == Verb::kDelete;
  }

  // False: what stands behind the letter is wrong.
  bool take_flag(char letter, std::string_view token) {
    switch (letter) {
      case 'b':
        ask_.key_is_base64 = true;
        return token.empty();
      case 'q':
        ask_.is_quiet = true;
        return token.empty();
      case 'v':
        ask_.wants_value = true;
        return token.empty();
      case 'O':
        return token.size() < 32;  // with the letter so many
      case 'F':
        return read_number(token, &ask_.flags);
      case 'C':
        ask_.compares = true;
        return read_number(token, &ask_.cas);
      case 'E':
        return read_number(token, &ask_.new_cas.emplace());
      case 'T':
        if (ask_.verb == Verb::kGet) ask_.touches = true;
        return read_number(token, &ask_.exptime.emplace());
      case 'N':
        return read_number(token, &ask_.initial_exptime.emplace());
      case 'J':
        initial_ = token;
        return is_number(token);
      case 'D':
        return read_number(token, &ask_.delta);
      case 'M':
        return take_mode(token);
      default:
        return token.empty();
    }
  }

  static bool is_number(std::string_view token) {
    uint64_t number = 0;
    return read_number(token, &number);
  }

  bool take_mode(std::string_view token) {
    const char mode = token.size() == 1 ? token.front() : '\0';
    if (known_.verb == Verb::kCount) {
      ask_.subtracts = mode == 'D' || token == "-";
      return ask_.subtracts || mode == 'I' || token == "+";
    }
    switch (mode) {
      case 'S':
        ask_.verb = Verb::kSet;
        return true;
      case 'E':
        ask_.verb = Verb::kAdd;
        return true;
      case 'R':
        ask_.verb = Verb::kReplace;
        return true;
      case 'A':
        ask_.verb = Verb::kAppend;
        return true;
      case 'P':
        ask_.verb = Verb::kPrepend;
        return true;
      default:
        return false;
    }
  }

  bool take_key(std::string* memory) {
    std::string_view key = ask_.key_as_sent;
    if (ask_.key_is_base64) {
      if (!decode_base64(key, memory)) {
        const bool is_debug = known_.verb == Verb::kDebug;
        refuse(is_debug ? kBadLine : is_one_for_all() ? kBadFlagOrToken : kBadKey);
        return false;
      }
      key = *memory;
    }
    ask_.keys.push_back(key);
    if (ask_.initial_exptime) ask_.initial = initial_.empty() ? std::string_view("0") : initial_;
    return true;
  }

  const Known& known_;
  Words words_;
  const std::string_view data_;
  Ask& ask_;
  std::string_view initial_;
};

const Known* find_known(std::string_view name) {
  for (const Known& known : kKnown)
    if (known.name == name) return &known;
  return nullptr;
}

}  // namespace

bool is_meta(std::string_view name) { return find_known(name) != nullptr; }

void parse_meta(std::string_view name, Words words, std::string_view data, Ask* ask,
                std::string* memory) {
  MetaParser(*find_known(name), words, data, *ask).parse(memory);
}

}  // namespace hs::protocol::memcached
