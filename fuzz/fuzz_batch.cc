// Bytes on four connections, all the way: cut into lines, parsed, executed in batches on tables in
// memory, answered. script.h says what an input means.
//
// Every input is played twice. The first time as it says. The second time its lines come in the
// same order, each in one piece and in a batch of its own. The results must not depend on how bytes
// are cut into packets and batches.
//
// The planted bug is in watched_session.h.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "require.h"
#include "script.h"
#include "world.h"

namespace {

using namespace hs::fuzz;

// The lines in what was received, found by the plain rule: everything up to an LF, until a line is
// too long.
std::string lines_of(std::string_view received, size_t max_size, bool* ends) {
  std::string lines;
  for (;;) {
    const size_t size = received.find('\n');
    *ends = std::min(size, received.size()) > max_size;
    if (*ends || size == std::string_view::npos) return lines;
    lines += received.substr(0, size + 1);
    received.remove_prefix(size + 1);
  }
}

void check_lines(const Script& script, const World& world) {
  std::string received[kPeers];
  std::string executed[kPeers];
  for (const Packet& packet : script.packets) received[packet.peer] += packet.bytes;
  for (const Executed& request : world.executed()) executed[request.peer] += request.line;
  for (size_t peer = 0; peer < kPeers; ++peer) {
    bool ends = false;
    const std::string lines = lines_of(received[peer], world.max_request_size(), &ends);
    require(ends == world.ended(peer), "only a line that is too long ends a connection");
    require(lines == executed[peer], "packets do not matter to lines");
  }
}

// Executes one request in a batch of its own. An error changes nothing, and neither does the read
// port.
void execute_alone(World& world, const Executed& request) {
  const Snapshot before = world.tables();
  const size_t answered = world.replies(request.peer).size();
  world.receive(request.peer, request.line);
  world.run();
  const bool failed = world.replies(request.peer)[answered] != '0';
  if (failed) require(world.tables() == before, "an error changes nothing");
  if (request.peer >= kPeersOfAReactor) {
    require(world.tables() == before, "the read port changes nothing");
  }
}

// A generated id is not used again, even if a deadlock undoes its request.
bool may_skip_ids(const Script& script) {
  return script.options.loses && script.bytes.find("generated") != std::string::npos;
}

// The client must begin a lost transaction again.
bool loses_transactions(const Script& script) {
  return script.options.loses && script.bytes.find("T\tB") != std::string::npos;
}

void check_order(const Script& script, const World& world) {
  if (script.options.commit_fails || may_skip_ids(script) || loses_transactions(script)) return;
  Options plain = script.options;
  plain.loses = plain.tables_close = false;
  World alone(plain, script.bytes);
  for (const Executed& request : world.executed()) execute_alone(alone, request);
  for (size_t peer = 0; peer < kPeers; ++peer) {
    require(alone.replies(peer) == world.replies(peer), "batches do not matter to replies");
  }
  require(alone.tables() == world.tables(), "batches do not matter to tables");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const Script script({reinterpret_cast<const char*>(data), size});
  World world(script.options, script.bytes);
  for (const Packet& packet : script.packets) {
    world.receive(packet.peer, packet.bytes);
    if (packet.ends_batch) world.run();
  }
  check_lines(script, world);
  check_order(script, world);
  world.close();
  return 0;
}
