#include "server/worker.h"

#include <exception>
#include <new>

namespace hs::server {
namespace {

// Requests rarely come further apart than this while a client is at work. Whoever waits for our
// tables waits that long at most, and only when we cannot see him (see Session::after_batch).
constexpr int kHoldTablesMs = 10;

// A complaint that every client could cause is made this often at most.
constexpr int64_t kComplaintEveryMs = 60'000;

}  // namespace

std::unique_ptr<Worker> Worker::create(Options options, engine::Engine& engine, const Log& log) {
  std::unique_ptr<Worker> worker(new Worker(std::move(options), engine, log));
  net::EventLoop::Options loop;
  loop.read_size = worker->options_.read_size;
  loop.idle_timeout_ms = int64_t{worker->options_.idle_timeout_s} * 1000;
  loop.make_connection = [&pool = worker->pool_] { return std::make_unique<Peer>(pool); };
  worker->loop_ = net::EventLoop::create(std::move(loop));
  if (worker->loop_ == nullptr) return nullptr;
  return worker;
}

Worker::Worker(Options options, engine::Engine& engine, const Log& log)
    : options_(std::move(options)), engine_(engine), log_(log) {
  ready_.reserve(net::EventLoop::kMaxEvents);
}

void Worker::request_stop() {
  stop_.store(true, std::memory_order_relaxed);
  loop_->wake();
}

void Worker::run() {
  try {
    if (engine_.wait_until_ready() && !stop_.load(std::memory_order_relaxed)) {
      const engine::Engine::Wake wake{
          [](void* loop) { static_cast<net::EventLoop*>(loop)->wake(); }, loop_.get()};
      const std::unique_ptr<engine::Session> session =
          engine_.make_session(options_.context.mode, options_.name, wake);
      if (session != nullptr) {
        serve(*session);
      } else {
        report("cannot serve: the database made no session for it");
      }
    }
  } catch (const std::exception& error) {
    report(error.what());
  } catch (...) {
    report("ends after an unknown failure");
  }
  loop_->shut();
}

void Worker::serve(engine::Session& session) {
  Batch batch(options_.context, session, counters_);
  bool holds_tables = false;
  while (!stop_.load(std::memory_order_relaxed) && !session.should_stop()) {
    int timeout_ms = net::EventLoop::kForever;
    if (holds_tables) timeout_ms = kHoldTablesMs;
    if (!queue_.empty()) timeout_ms = 0;
    ready_.clear();
    const bool happened = loop_->wait(timeout_ms, ready_);
    for (net::Connection* connection : ready_) queue_.push_back(static_cast<Peer&>(*connection));

    if (happened || !queue_.empty()) {
      run_batch(batch, session);
      holds_tables = session.after_batch();
    } else if (holds_tables) {
      session.release();
      holds_tables = false;
    }
  }
}

void Worker::run_batch(Batch& batch, engine::Session& session) {
  try {
    while (!queue_.empty() && !batch.full()) {
      Peer& peer = queue_.pop_front();
      if (!peer.closed()) batch.run(peer);
    }
    batch.finish();
    for (Peer* peer : batch.peers()) settle(*peer);
    batch.clear();
  } catch (...) {
    abandon(batch, session);
  }
}

// Sends what the batch has answered, and decides what is next for the peer.
void Worker::settle(Peer& peer) {
  loop_->send(peer);
  if (peer.closed()) return;
  if (peer.ending != Peer::Ending::kNone) {
    if (peer.ending == Peer::Ending::kFailed) complain("out of memory, a connection was closed");
    loop_->finish(peer);
  } else if (peer.may_have_more) {
    peer.hold_input(true);
    // Else wait() says when the client has read enough of it.
    if (!peer.over_high_water()) queue_.push_back(peer);
  } else {
    peer.hold_input(false);
    if (peer.end_of_input()) loop_->finish(peer);
  }
}

// Nobody knows how far the batch came, so nobody gets an answer that might be wrong.
void Worker::abandon(Batch& batch, engine::Session& session) {
  session.rollback();
  for (Peer* peer : batch.peers()) loop_->close(*peer);
  batch.clear();
  complain("a batch failed, its connections were closed");
}

void Worker::complain(std::string_view what) {
  const int64_t now_ms = net::monotonic_ms();
  if (last_complaint_ms_ != 0 && now_ms - last_complaint_ms_ < kComplaintEveryMs) return;
  last_complaint_ms_ = now_ms;
  report(what);
}

void Worker::report(std::string_view what) const {
  try {
    log_.error(options_.name + ": " + std::string(what));
  } catch (const std::bad_alloc&) {
    log_.error(what);
  }
}

void Worker::add_to(Statistics& sum) const {
  sum.connections_open += loop_->connections();
  sum.connections_timed_out += loop_->counters().timed_out.get();
  sum.requests += counters_.requests.get();
  sum.errors += counters_.errors.get();
  sum.batches += counters_.batches.get();
  sum.commits += counters_.commits.get();
  sum.retries += counters_.retries.get();
  sum.bytes_received += loop_->counters().bytes_received.get();
  sum.bytes_sent += loop_->counters().bytes_sent.get();
}

}  // namespace hs::server
