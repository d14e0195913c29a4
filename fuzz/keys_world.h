// One connection of a protocol whose clients know keys, to a database of its own with a few tables
// that have names.
#pragma once

#include <string>
#include <string_view>

#include "testing/fixtures/keyed_batch.h"

namespace hs::fuzz {

class KeysWorld : private server::KeyedBatch {
 public:
  explicit KeysWorld(const protocol::Protocol& protocol)
      : KeyedBatch(protocol, kTables, {.max_request_size = 8192, .max_reply_size = 8192}) {}

  void receive(std::string_view bytes) {
    if (first_.ending != server::Peer::Ending::kNone) return;
    send_bytes(first_, bytes);
    do {
      run({&first_});
      replies_ += take(first_);
      has_versions_ |= !KeyedBatch::rows("x").empty();
    } while (first_.may_have_more && first_.ending == server::Peer::Ending::kNone);
  }

  const std::string& replies() const { return replies_; }
  std::string rows() const {
    std::string all;
    for (const char* table : {"kv", "n", "two", "s", "x"}) {
      for (const std::string& row : KeyedBatch::rows(table)) all += row + "\n";
    }
    return all;
  }
  // Versions are made of the clock: after the same bytes they are others.
  bool has_versions() const { return has_versions_; }
  bool has_changes() const { return session_->has_uncommitted_changes(); }

 private:
  static constexpr const char* kTableWithVersions =
      "d.x(k text, v text null, f int null, c big null, e int null expires; PRIMARY(k)) "
      "hs: name=x value=v flags=f cas=c ttl=e";
  static constexpr const char* kTables[] = {
      "d.kv(k text, v text null; PRIMARY(k)) hs: name=kv",
      "d.n(k text, v int null; PRIMARY(k)) hs: name=n value=v",
      "d.two(a int, b int, v text null, w int null; PRIMARY(a, b); unique by_w(w)) hs: name=two",
      "d.s(k text, v text null, e int null expires; PRIMARY(k)) hs: name=s value=v ttl=e",
      kTableWithVersions,
  };

  std::string replies_;
  bool has_versions_ = false;
};

}  // namespace hs::fuzz
