// Where a message ends in a client's bytes, and what its arguments are.
//
//   *2\r\n$3\r\nGET\r\n$6\r\nuser:1\r\n      arguments with their lengths
//   GET user:1\r\n                            one line, as people type it ("inline")
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace hs::protocol::resp {

// What is known of a message whose end is not there yet, so that no byte is looked at twice.
struct Progress {
  size_t parsed = 0;    // bytes of whole arguments, the count included
  uint64_t left = 0;    // arguments that are still to come; only if `parsed` is not 0
  size_t needed = 0;    // so many bytes must be there before it is worth looking again
  size_t searched = 0;  // bytes in which no end of a line is
};

struct Frame {
  enum class State : uint8_t {
    kWhole,       // `size` bytes; no arguments: nothing is to be answered
    kIncomplete,  // more must be read first
    kTooLong,
    kWrong,  // `error` is the last answer: nothing behind it can be understood
  };
  State state = State::kIncomplete;
  size_t size = 0;
  std::string error;
};

// The bounds that Redis has, for a client that has logged in.
inline constexpr uint64_t kMostArguments = 1u << 20;
inline constexpr uint64_t kLongestArgument = 512u << 20;

// The message at the front of `unread`. Its arguments are appended to `arguments` as far as they
// are behind `progress.parsed`: all of them when the message was there at the first look. They are
// views of `unread`. `longest`: bytes of one message.
Frame next_frame(std::string_view unread, size_t longest, Progress& progress,
                 std::vector<std::string_view>& arguments);

// A number as the protocol has it: an optional minus and digits, no zeros in front. False: it is
// none, or is beyond 64 bits.
bool parse_integer(std::string_view text, int64_t* number);

}  // namespace hs::protocol::resp
