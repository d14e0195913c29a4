#include "protocol/memcached/codec.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "protocol/command.h"
#include "protocol/memcached/binary.h"
#include "protocol/memcached/text.h"
#include "protocol/memcached/words.h"

namespace hs::protocol::memcached {
namespace {

constexpr size_t kLongest = 1000;

struct Parsed {
  Ask ask;  // views of the others
  std::string text, memory;
};

void parse(std::string message, Parsed* parsed) {
  const std::string& text = parsed->text = std::move(message);
  if (text.front() == kRequestMagic) {
    parse_packet(text, &parsed->ask);
  } else {
    parse_text(text, &parsed->ask, &parsed->memory);
  }
}

std::string refusal_of(const std::string& text) {
  Parsed parsed;
  parse(text, &parsed);
  return parsed.ask.verb == Verb::kWrong ? std::string(parsed.ask.refusal.line) : "none";
}

std::string packet(uint8_t opcode, const std::string& extras, const std::string& key,
                   const std::string& value) {
  std::string bytes(1, kRequestMagic);
  bytes.push_back(static_cast<char>(opcode));
  append_number(key.size(), 2, &bytes);
  append_number(extras.size(), 1, &bytes);
  append_number(0, 3, &bytes);
  append_number(extras.size() + key.size() + value.size(), 4, &bytes);
  append_number(7, 4, &bytes);
  append_number(0, 8, &bytes);
  return bytes + extras + key + value;
}

// The messages that the codec cuts the bytes into when they come one after the other.
std::vector<std::string> cut(const std::string& bytes, size_t longest = kLongest) {
  const std::unique_ptr<Codec> codec = memcached_protocol().make_codec(1 << 20, nullptr);
  const std::unique_ptr<Conversation> conversation = memcached_protocol().begin();
  std::vector<std::string> messages;
  size_t begin = 0;
  for (size_t end = 0; end <= bytes.size(); ++end) {
    for (;;) {
      const Message message =
          codec->next(*conversation, std::string_view(bytes).substr(begin, end - begin), longest);
      if (message.state == Message::State::kRefused) {
        messages.emplace_back("refused");
        return messages;
      }
      if (message.state == Message::State::kIncomplete) break;
      messages.emplace_back(message.text);
      begin += message.consumed;
    }
  }
  if (begin < bytes.size()) messages.emplace_back("incomplete");
  return messages;
}

TEST(MemcachedCodecTest, MessagesAreCutWhereverTheBytesAreCut) {
  const std::vector<std::string> all = {"get a b\r\n",
                                        "set k 1 0 5\r\na\r\nbc\r\n",
                                        "ms k 2 T0\r\n\r\n\r\n",
                                        "mn\r\n",
                                        packet(0, "", "k", ""),
                                        "version\n",
                                        packet(1, std::string(8, '\0'), "k", "\r\n")};
  std::string bytes;
  for (const std::string& one : all) bytes += one;
  EXPECT_EQ(cut(bytes), all);
}

TEST(MemcachedCodecTest, AMessageHasALongestSize) {
  const std::string line = "get " + std::string(kLongest - 6, 'k') + "\r\n";
  EXPECT_EQ(cut(line), std::vector<std::string>{line});
  EXPECT_EQ(cut(std::string(kLongest + 1, 'k')), std::vector<std::string>{"refused"});
  EXPECT_EQ(cut("set k 0 0 2147483647\r\n"), std::vector<std::string>{"refused"});
  // What is no size is followed by no data.
  EXPECT_EQ(cut("set k 0 0 2147483648\r\n").size(), 1U);
  EXPECT_EQ(cut("set k 0 0 -1\r\n").size(), 1U);
  std::string huge = packet(1, std::string(8, '\0'), "k", "");
  huge[8] = '\x7f';
  EXPECT_EQ(cut(huge), std::vector<std::string>{"refused"});
}

TEST(MemcachedCodecTest, LinesThatAreWrongAreRefusedAsMemcachedDoes) {
  EXPECT_EQ(refusal_of("\r\n"), "ERROR");
  EXPECT_EQ(refusal_of("GET a\r\n"), "ERROR");
  EXPECT_EQ(refusal_of("get\r\n"), "ERROR");
  EXPECT_EQ(refusal_of("get " + std::string(251, 'k') + "\r\n"), kBadLine);
  EXPECT_EQ(refusal_of("get " + std::string(250, 'k') + "\r\n"), "none");
  EXPECT_EQ(refusal_of("set k x 0 1\r\n"), kBadLine);
  EXPECT_EQ(refusal_of("set k 0 0 1 nothing\r\n1\r\n"), kBadLine);
  EXPECT_EQ(refusal_of("set k 0 0 1\r\n123"), "CLIENT_ERROR bad data chunk");
  EXPECT_EQ(refusal_of("set k 4294967296 0 1\r\n1\r\n"), kBadLine);
  EXPECT_EQ(refusal_of("cas k 0 0 1 x\r\n1\r\n"), kBadLine);
  EXPECT_EQ(refusal_of("incr k -1\r\n"), "CLIENT_ERROR invalid numeric delta argument");
  EXPECT_EQ(refusal_of("touch k x\r\n"), "CLIENT_ERROR invalid exptime argument");
  EXPECT_EQ(refusal_of("delete k 5\r\n"),
            "CLIENT_ERROR bad command line format.  Usage: delete <key> [noreply]");
  EXPECT_EQ(refusal_of("delete k 0 noreply\r\n"), "none");
  EXPECT_EQ(refusal_of("verbosity\r\n"), "ERROR");
  EXPECT_EQ(refusal_of("verbosity 1 2 3\r\n"), "ERROR");
  EXPECT_EQ(refusal_of("verbosity x\r\n"), kBadLine);
  EXPECT_EQ(refusal_of("verbosity 1\r\n"), "none");
  EXPECT_EQ(refusal_of("verbosity noreply\r\n"), "none");
  EXPECT_EQ(refusal_of("stats noreply\r\n"), "ERROR");
  EXPECT_EQ(refusal_of("stats\r\n"), "none");
  EXPECT_EQ(refusal_of("mg k N5\r\n"), "CLIENT_ERROR invalid flag");
  EXPECT_EQ(refusal_of("mg k v v\r\n"), "CLIENT_ERROR duplicate flag");
  EXPECT_EQ(refusal_of("mg k b\r\n"), "CLIENT_ERROR error decoding key");
  EXPECT_EQ(refusal_of("ms k 1 MX\r\n1\r\n"), "CLIENT_ERROR invalid mode for ms M token");
}

// Else the client would take the answer for that to its next command.
TEST(MemcachedCodecTest, WhoWantsNoReplyIsToldOfNoErrorEither) {
  const auto is_silent = [](const std::string& text) {
    Parsed parsed;
    parse(text, &parsed);
    return parsed.ask.is_silent;
  };
  const std::string long_key(251, 'k');
  for (const std::string& line :
       {std::string("incr k -1 noreply"), std::string("decr k x noreply"),
        std::string("touch k x noreply"), std::string("delete k 5 noreply"),
        "delete " + long_key + " noreply", std::string("incr k noreply"),
        std::string("set k x 0 1 noreply\r\n1"), std::string("set k 0 0 1 x noreply\r\n1"),
        std::string("cas k 0 0 1 x noreply\r\n1"), "add " + long_key + " 0 0 1 noreply\r\n1",
        std::string("set k 0 0 1 noreply\r\n123")}) {
    EXPECT_NE(refusal_of(line + "\r\n"), "none") << line;
    EXPECT_TRUE(is_silent(line + "\r\n")) << line;
  }
  EXPECT_TRUE(is_silent("set k 0 0 1 noreply\r\n1\r\n"));
  for (const char* const line : {"delete noreply", "set noreply 0 0 1\r\n1", "delete k noreply 5",
                                 "incr k 1", "get k noreply", "touch noreply 1"}) {
    EXPECT_FALSE(is_silent(std::string(line) + "\r\n")) << line;
  }
}

TEST(MemcachedCodecTest, ATimeInAPacketMayBeADateAfter2038) {
  for (const int64_t sent : {int64_t{0x7fffffff}, int64_t{0x80000000}, int64_t{0xfffffffe}}) {
    std::string extras;
    append_number(static_cast<uint64_t>(sent), 4, &extras);
    const std::string touch = packet(0x1c, extras, "k", "");
    Parsed parsed;
    parse(touch, &parsed);
    EXPECT_EQ(parsed.ask.exptime, sent);
  }
}

// As in memcached: an ADD with a version is no ADD.
TEST(MemcachedCodecTest, APacketWithAVersionMeansARowThatIsThere) {
  for (const uint8_t opcode : {0x01, 0x02, 0x03, 0x11, 0x12, 0x13}) {
    std::string bytes = packet(opcode, std::string(8, '\0'), "k", "v");
    Parsed without, with;
    parse(bytes, &without);
    constexpr size_t kLastOfVersion = 23;
    bytes[kLastOfVersion] = 1;
    parse(bytes, &with);
    EXPECT_FALSE(without.ask.compares);
    EXPECT_TRUE(with.ask.compares);
    EXPECT_EQ(with.ask.verb, Verb::kSet);
  }
}

TEST(MemcachedCodecTest, ACommandIsTheSameInEachForm) {
  Parsed text, meta, binary;
  parse("set k 7 60 3\r\nabc\r\n", &text);
  parse("ms aw== 3 b F7 T60\r\nabc\r\n", &meta);
  std::string extras;
  append_number(7, 4, &extras);
  append_number(60, 4, &extras);
  const std::string bytes = packet(1, extras, "k", "abc");
  parse(bytes, &binary);
  for (const Parsed* one : {&text, &meta, &binary}) {
    EXPECT_EQ(one->ask.verb, Verb::kSet);
    ASSERT_EQ(one->ask.keys.size(), 1U);
    EXPECT_EQ(one->ask.keys[0], "k");
    EXPECT_EQ(one->ask.value, "abc");
    EXPECT_EQ(one->ask.flags, 7U);
    EXPECT_EQ(one->ask.exptime, 60);
  }
}

TEST(MemcachedCodecTest, PacketsThatAreWrongAreRefused) {
  EXPECT_EQ(refusal_of(packet(0x99, "", "", "")), "Unknown command");
  EXPECT_EQ(refusal_of(packet(0x00, "", "", "")), "Invalid arguments");
  EXPECT_EQ(refusal_of(packet(0x00, "", "k", "v")), "Invalid arguments");
  EXPECT_EQ(refusal_of(packet(0x01, "1234", "k", "v")), "Invalid arguments");
  EXPECT_EQ(refusal_of(packet(0x00, "", std::string(251, 'k'), "")), "Invalid arguments");
  std::string longer = packet(0x00, "", "k", "");
  longer[3] = '\x09';  // a key that ends behind the packet
  EXPECT_EQ(refusal_of(longer), "Invalid arguments");
}

TEST(MemcachedCodecTest, SaslPlainHasAUserAndAPassword) {
  Parsed parsed;
  const std::string bytes = packet(0x21, "", "PLAIN", std::string("\0user\0secret", 12));
  parse(bytes, &parsed);
  EXPECT_EQ(parsed.ask.verb, Verb::kLogin);
  EXPECT_TRUE(parsed.ask.is_known_mechanism);
  EXPECT_EQ(parsed.ask.user, "user");
  EXPECT_EQ(parsed.ask.password, "secret");
}

}  // namespace
}  // namespace hs::protocol::memcached
