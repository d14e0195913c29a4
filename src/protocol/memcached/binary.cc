#include "protocol/memcached/binary.h"

#include <string>

namespace hs::protocol::memcached {
namespace {

constexpr size_t kHeader = 24;
constexpr char kResponseMagic = static_cast<char>(0x81);
constexpr uint32_t kNoInitial = 0xffffffff;

uint64_t number_at(std::string_view bytes, size_t at, size_t size) {
  uint64_t number = 0;
  for (size_t i = 0; i < size; ++i) number = number << 8 | static_cast<uint8_t>(bytes[at + i]);
  return number;
}

struct Sizes {
  size_t key, extras, body;
};
Sizes sizes_of(std::string_view packet) {
  return {number_at(packet, 2, 2), number_at(packet, 4, 1), number_at(packet, 8, 4)};
}

enum class Key : uint8_t { kNone, kOne, kAny };

// The opcodes: what each is, whether it is quiet, and what it must have.
struct Operation {
  uint8_t opcode;
  Verb verb;
  bool is_quiet;
  size_t extras;
  Key key;
  bool has_value;
};
constexpr Operation kOperations[] = {
    {0x00, Verb::kGet, false, 0, Key::kOne, false},
    {0x01, Verb::kSet, false, 8, Key::kOne, true},
    {0x02, Verb::kAdd, false, 8, Key::kOne, true},
    {0x03, Verb::kReplace, false, 8, Key::kOne, true},
    {0x04, Verb::kDelete, false, 0, Key::kOne, false},
    {0x05, Verb::kCount, false, 20, Key::kOne, false},
    {0x06, Verb::kCount, false, 20, Key::kOne, false},
    {0x07, Verb::kQuit, false, 0, Key::kNone, false},
    {0x08, Verb::kFlush, false, 0, Key::kAny, false},
    {0x09, Verb::kGet, true, 0, Key::kOne, false},
    {0x0a, Verb::kNoop, false, 0, Key::kNone, false},
    {0x0b, Verb::kVersion, false, 0, Key::kNone, false},
    {0x0c, Verb::kGet, false, 0, Key::kOne, false},
    {0x0d, Verb::kGet, true, 0, Key::kOne, false},
    {0x0e, Verb::kAppend, false, 0, Key::kOne, true},
    {0x0f, Verb::kPrepend, false, 0, Key::kOne, true},
    {0x10, Verb::kStats, false, 0, Key::kAny, false},
    {0x11, Verb::kSet, true, 8, Key::kOne, true},
    {0x12, Verb::kAdd, true, 8, Key::kOne, true},
    {0x13, Verb::kReplace, true, 8, Key::kOne, true},
    {0x14, Verb::kDelete, true, 0, Key::kOne, false},
    {0x15, Verb::kCount, true, 20, Key::kOne, false},
    {0x16, Verb::kCount, true, 20, Key::kOne, false},
    {0x17, Verb::kQuit, true, 0, Key::kNone, false},
    {0x18, Verb::kFlush, true, 0, Key::kAny, false},
    {0x19, Verb::kAppend, true, 0, Key::kOne, true},
    {0x1a, Verb::kPrepend, true, 0, Key::kOne, true},
    {0x1b, Verb::kVerbosity, false, 4, Key::kNone, false},
    {0x1c, Verb::kTouch, false, 4, Key::kOne, false},
    {0x1d, Verb::kGet, false, 4, Key::kOne, false},
    {0x1e, Verb::kGet, true, 4, Key::kOne, false},
    {0x20, Verb::kMechanisms, false, 0, Key::kNone, false},
    {0x21, Verb::kLogin, false, 0, Key::kOne, true},
    {0x22, Verb::kLogin, false, 0, Key::kOne, true},
    {0x23, Verb::kGet, false, 4, Key::kOne, false},
    {0x24, Verb::kGet, true, 4, Key::kOne, false},
};

const Operation* find_operation(uint8_t opcode) {
  for (const Operation& one : kOperations)
    if (one.opcode == opcode) return &one;
  return nullptr;
}

class PacketParser {
 public:
  PacketParser(std::string_view packet, Ask& ask) : packet_(packet), ask_(ask) {}

  void parse() {
    ask_.form = Form::kBinary;
    const PacketName name = name_of_packet(packet_);
    ask_.opcode = name.opcode;
    ask_.opaque = name.opaque;
    ask_.cas = number_at(packet_, 16, 8);
    ask_.compares = ask_.cas != 0;
    const Operation* const known = find_operation(ask_.opcode);
    if (known == nullptr) return refuse(Status::kUnknownCommand, "Unknown command");
    const auto [key, extras, body] = sizes_of(packet_);
    const bool may_have_extras = known->verb == Verb::kFlush && extras == 4;
    const bool fits = key + extras <= body && (extras == known->extras || may_have_extras) &&
                      (known->key == Key::kAny || (key != 0) == (known->key == Key::kOne)) &&
                      key <= kMostKeySize && (known->has_value || key + extras == body);
    if (!fits) return refuse(Status::kInvalid, "Invalid arguments");
    ask_.verb = known->verb;
    ask_.is_quiet = known->is_quiet;
    extras_ = packet_.substr(kHeader, extras);
    key_ = packet_.substr(kHeader + extras, key);
    ask_.value = packet_.substr(kHeader + extras + key);
    take();
  }

 private:
  void refuse(Status status, std::string_view text) {
    ask_.verb = Verb::kWrong;
    ask_.refusal = {status, text};
  }

  void take() {
    switch (ask_.verb) {
      case Verb::kQuit:
        ask_.ends_connection = true;
        return;
      case Verb::kStats:
        ask_.value = key_;
        return;
      case Verb::kLogin:
        return take_login();
      case Verb::kSet:
      case Verb::kAdd:
      case Verb::kReplace:
        ask_.flags = static_cast<uint32_t>(number_at(extras_, 0, 4));
        ask_.exptime = exptime(4);
        // Whatever the opcode, a version is that of a row that is there.
        if (ask_.compares) ask_.verb = Verb::kSet;
        break;
      case Verb::kCount:
        take_count();
        break;
      case Verb::kGet:
        ask_.wants_key = ask_.opcode == 0x0c || ask_.opcode == 0x0d || ask_.opcode >= 0x23;
        ask_.touches = !extras_.empty();
        if (ask_.touches) ask_.exptime = exptime(0);
        break;
      case Verb::kTouch:
        ask_.exptime = exptime(0);
        break;
      default:
        break;
    }
    if (!key_.empty()) ask_.keys.push_back(key_);
  }

  // It has no sign, as it must hold dates until 2106.
  int64_t exptime(size_t at) const { return static_cast<int64_t>(number_at(extras_, at, 4)); }

  void take_count() {
    ask_.subtracts = ask_.opcode == 0x06 || ask_.opcode == 0x16;
    ask_.delta = number_at(extras_, 0, 8);
    if (number_at(extras_, 16, 4) == kNoInitial) return;
    ask_.initial_exptime = exptime(16);
    // Eight bytes; whoever answers makes text of them.
    ask_.initial = extras_.substr(8, 8);
  }

  // The user for whom the client asks, the user, and the password, with NULs between them.
  void take_login() {
    ask_.is_known_mechanism = key_ == "PLAIN" && ask_.opcode == 0x21;
    std::string_view rest = ask_.value;
    const size_t first = rest.find('\0');
    if (first == std::string_view::npos) return;
    rest.remove_prefix(first + 1);
    const size_t second = rest.find('\0');
    if (second == std::string_view::npos) return;
    ask_.user = rest.substr(0, second);
    ask_.password = rest.substr(second + 1);
  }

  const std::string_view packet_;
  Ask& ask_;
  std::string_view extras_, key_;
};

void append_big_endian(uint64_t number, size_t bytes, Buffer& output) {
  while (bytes-- > 0) output.append(static_cast<char>(number >> (8 * bytes) & 0xff));
}

}  // namespace

PacketName name_of_packet(std::string_view packet) {
  return {static_cast<uint8_t>(packet[1]), static_cast<uint32_t>(number_at(packet, 12, 4))};
}

Extent next_packet(std::string_view unread, size_t longest) {
  if (unread.size() < kHeader) return {};
  const size_t size = kHeader + sizes_of(unread).body;
  if (size > longest + kHeader) return {Extent::State::kTooLong, 0};
  if (size > unread.size()) return {};
  return {Extent::State::kWhole, size};
}

void parse_packet(std::string_view packet, Ask* ask) {
  ask->clear();
  PacketParser(packet, *ask).parse();
}

void write_packet(const Packet& packet, Buffer& output) {
  output.append(kResponseMagic);
  output.append(static_cast<char>(packet.opcode));
  append_big_endian(packet.key.size(), 2, output);
  append_big_endian(packet.extras.size(), 1, output);
  append_big_endian(0, 1, output);
  append_big_endian(static_cast<uint16_t>(packet.status), 2, output);
  append_big_endian(packet.extras.size() + packet.key.size() + packet.value.size(), 4, output);
  append_big_endian(packet.opaque, 4, output);
  append_big_endian(packet.cas, 8, output);
  output.append(packet.extras);
  output.append(packet.key);
  output.append(packet.value);
}

void append_number(uint64_t number, size_t bytes, std::string* to) {
  while (bytes-- > 0) to->push_back(static_cast<char>(number >> (8 * bytes) & 0xff));
}

}  // namespace hs::protocol::memcached
