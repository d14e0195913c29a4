// The binary protocol: packets with a header of 24 bytes, in network order.
//
//   magic opcode key-size(2) extras-size data-type reserved(2)  body-size(4) opaque(4) cas(8)
//   extras  key  value
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/buffer.h"
#include "protocol/memcached/ask.h"
#include "protocol/memcached/status.h"
#include "protocol/memcached/text.h"

namespace hs::protocol::memcached {

inline constexpr char kRequestMagic = static_cast<char>(0x80);

// How a client finds the answer to its packet.
struct PacketName {
  uint8_t opcode = 0;
  uint32_t opaque = 0;
};
// `packet` has its header at least.
PacketName name_of_packet(std::string_view packet);
// A packet at the front of `unread`, which is not empty.
Extent next_packet(std::string_view unread, size_t longest);
// `packet` is what next_packet() has found, and must outlive the Ask.
void parse_packet(std::string_view packet, Ask* ask);

// Writes the answer to a packet.
struct Packet {
  uint8_t opcode = 0;
  uint32_t opaque = 0;
  Status status = Status::kOk;
  uint64_t cas = 0;
  std::string_view extras, key, value;
};
void write_packet(const Packet& packet, Buffer& output);

// A number of four or eight bytes, as extras have them.
void append_number(uint64_t number, size_t bytes, std::string* to);

}  // namespace hs::protocol::memcached
