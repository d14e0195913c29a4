// Any bytes as a client of the RESP port may send them, executed on tables in memory, twice: at once,
// and byte by byte. Replies and rows must be the same. Built a second time with HS_FUZZ_CANARY, which
// plants a bug here, to prove that the fuzzer finds bugs.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "mapping/directory.h"
#include "protocol/resp/codec.h"
#include "require.h"
#include "server/batch.h"
#include "testing/fake_engine.h"

namespace {

using namespace hs;
using hs::fuzz::require;

constexpr const char* kTables[] = {
    "d.kv(k text, v text null; PRIMARY(k)) hs: name=kv",
    "d.n(k text, v int null; PRIMARY(k)) hs: name=n value=v",
    "d.two(a int, b int, v text null, w int null; PRIMARY(a, b); unique by_w(w)) hs: name=two",
    "d.s(k text, v text null, e int null expires; PRIMARY(k)) hs: name=s value=v ttl=e",
};

int64_t fixed_ms() { return 1'700'000'000'000; }

// One connection to a database of its own.
class World {
 public:
  World() : session_(fake_.make_session(engine::Mode::kReadWrite, "fuzz")) {
    session_->enter({});
    for (const char* table : kTables) fake_.create_table(table);
    fake_.set_now(fixed_ms() / 1000);
    context_.directory = &directory_;
    context_.wall_ms = fixed_ms;
    batch_ = std::make_unique<server::Batch>(context_, kProtocols, *session_, counters_);
    peer_ = std::make_unique<server::Peer>(pool_, protocol::resp::resp_protocol());
  }

  void receive(std::string_view bytes) {
    if (peer_->ending != server::Peer::Ending::kNone) return;
    peer_->input().append(bytes);
    do {
      batch_->run(*peer_);
      batch_->finish();
      batch_->clear();
      replies_ += peer_->output().view();
      peer_->output().consume(peer_->output().size());
    } while (peer_->may_have_more && peer_->ending == server::Peer::Ending::kNone);
  }

  const std::string& replies() const { return replies_; }
  std::string rows() const {
    std::string all;
    for (const char* table : {"kv", "n", "two", "s"}) {
      for (const std::string& row : fake_.rows("d", table)) all += row + "\n";
    }
    return all;
  }
  bool has_changes() const { return session_->has_uncommitted_changes(); }

 private:
  static inline const protocol::Protocol* const kProtocols[] = {&protocol::resp::resp_protocol()};
  testing::FakeEngine fake_;
  std::unique_ptr<engine::Session> session_;
  mapping::Directory directory_;
  exec::Context context_{engine::Mode::kReadWrite,
                         Limits{.max_request_size = 8192, .max_reply_size = 8192},
                         [] { return int64_t{0}; }};
  server::Counters counters_;
  exec::SpecPool pool_;
  std::unique_ptr<server::Batch> batch_;
  std::unique_ptr<server::Peer> peer_;
  std::string replies_;
};

// Scans tell places by numbers that are never the same.
bool has_scan(std::string_view input) {
  for (size_t at = 0; at + 4 <= input.size(); ++at) {
    const std::string_view word = input.substr(at, 4);
    if ((word[0] | 0x20) == 's' && (word[1] | 0x20) == 'c' && (word[2] | 0x20) == 'a' &&
        (word[3] | 0x20) == 'n') {
      return true;
    }
  }
  return false;
}

// Replies are whole: marks, lengths and ends fit. Returns what is behind the first one.
std::string_view skip_reply(std::string_view rest, int depth) {
  require(depth < 64, "replies are not deep");
  const size_t end = rest.find("\r\n");
  require(!rest.empty() && end != std::string_view::npos, "a reply begins with a line");
  const char mark = rest.front();
  const std::string_view line = rest.substr(1, end - 1);
  rest.remove_prefix(end + 2);
  if (mark == '+' || mark == '-' || mark == ':' || mark == '_' || mark == ',' || mark == '#') {
    require(line.find('\n') == std::string_view::npos, "a line is one line");
    return rest;
  }
  require(mark == '$' || mark == '=' || mark == '*' || mark == '%' || mark == '~', "a known mark");
  if (line == "-1") return rest;
  const size_t size = std::stoul(std::string(line));
  if (mark == '$' || mark == '=') {
    require(rest.size() >= size + 2 && rest.substr(size, 2) == "\r\n", "a bulk has its length");
    return rest.substr(size + 2);
  }
  for (size_t i = 0; i < size * (mark == '%' ? 2 : 1); ++i) rest = skip_reply(rest, depth + 1);
  return rest;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  World at_once;
  at_once.receive(input);
  require(!at_once.has_changes(), "what is answered is committed");
  for (std::string_view rest = at_once.replies(); !rest.empty();) rest = skip_reply(rest, 0);
#ifdef HS_FUZZ_CANARY
  require(at_once.rows().empty(), "the planted bug: no row is ever written");
#endif
  if (has_scan(input)) return 0;
  World bytewise;
  for (size_t i = 0; i < input.size(); ++i) bytewise.receive(input.substr(i, 1));
  require(at_once.replies() == bytewise.replies(), "packets do not matter to replies");
  require(at_once.rows() == bytewise.rows(), "packets do not matter to rows");
  return 0;
}
