#include "world.h"

#include <algorithm>
#include <chrono>

#include "protocol/handlersocket/codec.h"
#include "reply_check.h"
#include "require.h"

namespace hs::fuzz {
namespace {

using engine::Mode;
using protocol::handlersocket::line_protocol;
using testing::Call;

const protocol::Protocol* const kProtocols[] = {&line_protocol()};

Limits limits(bool small) {
  Limits limits;
  limits.max_request_size = small ? 200 : 3000;
  limits.max_reply_size = small ? 40 : 4000;
  limits.max_open_indexes = small ? 2 : 64;
  limits.max_changed_rows = small ? 2 : 1000;
  return limits;
}

// No transaction is idle for too long here, however slow the machine is.
server::Settings patient() {
  server::Settings settings;
  settings.transaction_timeout_s = 100'000;
  return settings;
}

}  // namespace

World::Reactor::Reactor(World& world, Mode mode, const Options& options)
    : context{mode, limits(options.small_limits)},
      authentication{options.secret ? "secret" : ""},
      session(world.faulty_.make_session(mode, "fuzz"), mode, options.tables_close, world.watched_),
      transactions("fuzz", mode, world.engine_, world.settings_),
      batch(context, kProtocols, session, counters, nullptr, nullptr, &transactions) {
  session.enter({});
}

World::World(const Options& options, std::string_view requests)
    : faulty_(fake_), engine_(faulty_, options.tables_close, watched_), settings_(patient()) {
  create_tables(fake_, requests);
  watched_.committed = tables();
  // What a transaction has locked is not free before a later request.
  fake_.set_lock_wait_timeout(std::chrono::milliseconds(0));
  const uint64_t nth = options.fault_at / 4 + 1;
  if (options.loses) {
    constexpr Call kCalls[] = {Call::kInsert, Call::kUpdate, Call::kErase, Call::kSeek};
    faulty_.lose_transaction(kCalls[options.fault_at % 4], nth);
  } else if (options.commit_fails) {
    faulty_.fail(Call::kCommit, nth, Error::engine(150));
  }
  for (Mode mode : {Mode::kReadWrite, Mode::kReadOnly}) {
    reactors_.push_back(std::make_unique<Reactor>(*this, mode, options));
    for (size_t i = 0; i < kPeersOfAReactor; ++i) {
      peers_.push_back(std::make_unique<server::Peer>(reactors_.back()->pool, line_protocol(),
                                                      reactors_.back()->authentication));
    }
  }
}

void World::receive(size_t peer, std::string_view bytes) {
  if (!ended(peer)) peers_[peer]->input().append(bytes);
}

void World::run() {
  for (size_t reactor = 0; reactor < reactors_.size(); ++reactor) {
    while (run_batch(reactor)) {
    }
    check();
  }
}

// True when lines are left for a later batch.
bool World::run_batch(size_t reactor) {
  server::Batch& batch = reactors_[reactor]->batch;
  size_t requests[kPeersOfAReactor] = {};
  bool more = false;
  for (size_t i = 0; i < kPeersOfAReactor && !batch.full(); ++i) {
    const size_t number = reactor * kPeersOfAReactor + i;
    server::Peer& peer = *peers_[number];
    if (ended(number) || peer.input().empty()) continue;
    const std::string input(peer.input().view());  // the batch wipes secrets out of it
    batch.run(peer);
    std::string_view used = std::string_view(input).substr(0, peer.used);
    while (!used.empty()) {
      const size_t size = used.find('\n') + 1;
      require(size != 0, "only whole lines are used");
      executed_.push_back({number, std::string(used.substr(0, size))});
      used.remove_prefix(size);
      ++requests[i];
    }
    more |= peer.may_have_more;
    // No time passes here, so it is over at once.
    if (peer.awaits_gtid) peer.client.set_gtid_wait(std::make_unique<exec::GtidWait>(0, 0));
  }
  more |= batch.full();
  batch.finish();
  for (size_t i = 0; i < kPeersOfAReactor; ++i) {
    take_replies(reactor * kPeersOfAReactor + i, requests[i]);
  }
  batch.clear();
  return more;
}

void World::take_replies(size_t number, size_t requests) {
  server::Peer& peer = *peers_[number];
  std::string_view output = peer.output().view();
  require(output.size() <= Limits{}.max_buffered + 2 * 4096, "unsent replies are bounded");
  require(peer.ending != server::Peer::Ending::kFailed, "every request can be answered");
  if (requests == 0 && output.empty()) return;
  size_t replies = 0;
  for (size_t end; (end = output.find('\n')) != std::string_view::npos;) {
    const std::string_view reply = output.substr(0, end + 1);
    output.remove_prefix(end + 1);
    check_reply(reply);
    if (replies++ < requests) {
      replies_[number] += reply;
    } else {
      require(reply == "2\t1\trequest_too_long\n" && ended(number) && output.empty(),
              "only the end of the connection is a reply without a request");
    }
  }
  require(output.empty(), "a reply ends with its line");
  require(replies == requests + (ended(number) ? 1 : 0), "one reply for each request");
  peer.output().consume(peer.output().size());
}

void World::check() const {
  for (const auto& reactor : reactors_) {
    require(watched_.writer != &reactor->session, "a batch leaves no change uncommitted");
  }
  if (watched_.writer == nullptr) {
    require(tables() == watched_.committed, "the tables are what was committed");
  }
  for (const auto& peer : peers_) {
    require(peer->input().capacity() <= 64u << 10, "input is bounded");
    require(peer->client.open_indexes() <= reactors_[0]->context.limits.max_open_indexes,
            "open indexes are bounded");
  }
}

void World::close() {
  peers_.clear();
  for (const auto& reactor : reactors_) reactor->transactions.stop();
  require(tables() == watched_.committed, "what connections leave behind is rolled back");
}

}  // namespace hs::fuzz
