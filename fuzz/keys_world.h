// One connection of a protocol whose clients know keys, to a database of its own with a few tables
// that have names.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "mapping/directory.h"
#include "server/batch.h"
#include "testing/fake_engine.h"

namespace hs::fuzz {

class KeysWorld {
 public:
  explicit KeysWorld(const protocol::Protocol& protocol)
      : protocols_{&protocol}, session_(fake_.make_session(engine::Mode::kReadWrite, "fuzz")) {
    session_->enter({});
    for (const char* table : kTables) fake_.create_table(table);
    fake_.set_now(fixed_ms() / 1000);
    context_.directory = &directory_;
    context_.wall_ms = fixed_ms;
    batch_ = std::make_unique<server::Batch>(context_, protocols_, *session_, counters_);
    peer_ = std::make_unique<server::Peer>(pool_, protocol);
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
      has_versions_ |= !fake_.rows("d", "x").empty();
    } while (peer_->may_have_more && peer_->ending == server::Peer::Ending::kNone);
  }

  const std::string& replies() const { return replies_; }
  std::string rows() const {
    std::string all;
    for (const char* table : {"kv", "n", "two", "s", "x"}) {
      for (const std::string& row : fake_.rows("d", table)) all += row + "\n";
    }
    return all;
  }
  // Versions are made of the clock: after the same bytes they are others.
  bool has_versions() const { return has_versions_; }
  bool has_changes() const { return session_->has_uncommitted_changes(); }

 private:
  static int64_t fixed_ms() { return 1'700'000'000'000; }

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

  const protocol::Protocol* const protocols_[1];
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
  bool has_versions_ = false;
};

}  // namespace hs::fuzz
