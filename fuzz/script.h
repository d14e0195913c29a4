// What an input of fuzz_batch means: options, and the bytes that arrive on four connections.
//
//   byte 0     options, see Options
//   byte 1     the number of the call at which the fault happens
//   the rest   received bytes; these bytes among them are marks and are taken out:
//     f8 f9      what follows comes on the first or second connection of the read-write reactor
//     fa fb      the same of the read-only reactor
//     fd         a packet ends
//     fe         a packet ends, and both reactors run a batch
//
// So a plain file of requests is an input, and deleting or inserting a mark moves an end of a
// packet.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace hs::fuzz {

inline constexpr size_t kPeers = 4;
inline constexpr size_t kPeersOfAReactor = 2;

struct Options {
  bool secret = false;        // clients must authenticate
  bool small_limits = false;  // every limit is small
  bool tables_close = false;  // now and then a table must be opened again first
  bool loses = false;         // a transaction is lost to a deadlock
  bool commit_fails = false;  // a commit fails
  uint8_t fault_at = 0;
};

struct Packet {
  size_t peer = 0;
  std::string_view bytes;  // of the input
  bool ends_batch = false;
};

struct Script {
  Options options;
  std::vector<Packet> packets;
  std::string bytes;  // of all packets

  explicit Script(std::string_view input) {
    if (input.size() < 2) return;
    const auto bits = static_cast<uint8_t>(input[0]);
    options.secret = bits & 1;
    options.small_limits = bits & 2;
    options.tables_close = bits & 4;
    options.loses = bits & 8;
    options.commit_fails = bits & 16;
    options.fault_at = static_cast<uint8_t>(input[1]);
    input.remove_prefix(2);
    read_packets(input);
  }

 private:
  void read_packets(std::string_view input) {
    size_t peer = 0;
    while (!input.empty()) {
      const size_t size = std::min(input.size(), input.find_first_of("\xf8\xf9\xfa\xfb\xfd\xfe"));
      const uint8_t end = size < input.size() ? static_cast<uint8_t>(input[size]) : 0xfe;
      packets.push_back({peer, input.substr(0, size), end == 0xfe});
      bytes += input.substr(0, size);
      if (end < 0xfc) peer = end - 0xf8;
      input.remove_prefix(std::min(input.size(), size + 1));
    }
    if (!packets.empty()) packets.back().ends_batch = true;
  }
};

}  // namespace hs::fuzz
