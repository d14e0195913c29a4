// Why a command is not carried out: a line for clients that speak text, and a number beside it for
// those that speak packets.
#pragma once

#include <cstdint>
#include <string_view>

namespace hs::protocol::memcached {

// Of the answer to a packet.
enum class Status : uint16_t {
  kOk = 0x00,
  kKeyNotFound = 0x01,
  kKeyExists = 0x02,
  kTooLarge = 0x03,
  kInvalid = 0x04,
  kNotStored = 0x05,
  kNotANumber = 0x06,
  kAuthError = 0x20,
  kUnknownCommand = 0x81,
  kNotSupported = 0x83,
  kInternal = 0x84,
};

struct Refusal {
  Status status = Status::kOk;
  std::string_view line;  // without its end; empty: nothing is refused
};

}  // namespace hs::protocol::memcached
