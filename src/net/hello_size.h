// How long the hellos are that a TLS client announces.
//
// The library makes room for a whole message as soon as its header is there: up to 128 KiB for 9
// bytes of a client that then falls silent. No client needs that much for its hello.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace hs::net {

class HelloSize {
 public:
  static constexpr uint32_t kMost = 16u << 10;  // bytes of one hello

  // Looks at what the client sends, in pieces of any size, until a message is no hello. False: a
  // hello is too long. Not to be called any more then.
  bool take(std::string_view bytes) {
    for (const char byte : bytes) {
      if (other_message_) return true;
      if (!take(static_cast<unsigned char>(byte))) return false;
    }
    return true;
  }

 private:
  static constexpr uint32_t kRecordHeader = 5;
  static constexpr uint32_t kMessageHeader = 4;
  static constexpr unsigned char kHandshake = 22;
  static constexpr uint32_t kClientHello = 1;

  bool take(unsigned char byte) {
    if (header_bytes_ < kRecordHeader) {
      if (header_bytes_ == 0) is_handshake_ = byte == kHandshake;
      record_left_ = (record_left_ << 8 | byte) & 0xffff;
      ++header_bytes_;
    } else {
      --record_left_;
      if (is_handshake_ && !take_of_message(byte)) return false;
    }
    if (header_bytes_ == kRecordHeader && record_left_ == 0) header_bytes_ = 0;
    return true;
  }

  bool take_of_message(unsigned char byte) {
    if (message_left_ != 0) {
      --message_left_;
      return true;
    }
    message_header_ = message_header_ << 8 | byte;
    if (++message_bytes_ < kMessageHeader) return true;
    message_bytes_ = 0;
    message_left_ = message_header_ & 0xffffff;
    other_message_ = message_header_ >> 24 != kClientHello;
    return other_message_ || message_left_ <= kMost;
  }

  uint32_t header_bytes_ = 0;  // of the record's header that were seen
  uint32_t record_left_ = 0;
  bool is_handshake_ = false;
  uint32_t message_bytes_ = 0;  // of the message's header that were seen
  uint32_t message_header_ = 0;
  uint32_t message_left_ = 0;
  bool other_message_ = false;
};

}  // namespace hs::net
