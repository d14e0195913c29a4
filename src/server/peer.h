// One connection: its bytes, its protocol, and what the server knows of the client.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "base/intrusive_list.h"
#include "exec/client.h"
#include "net/connection.h"
#include "protocol/codec.h"
#include "server/commit_pace.h"
#include "server/connections.h"
#include "server/terms.h"
#include "server/transactions.h"

namespace hs::server {

struct QueueTag {};

struct Peer final : net::Connection, ListHook<QueueTag> {
  // By `terms`, which the peer keeps.
  Peer(exec::SpecPool& pool, TermsPtr kept) : Peer(pool, *kept->protocol, kept->authentication) {
    terms = std::move(kept);
  }
  // Counts its memory where the pool counts. All arguments must outlive the peer.
  Peer(exec::SpecPool& pool, const protocol::Protocol& spoken,
       const exec::Authentication& authentication = exec::kNoAuthentication)
      : net::Connection(pool.memory()),
        protocol(spoken),
        conversation(spoken.begin()),
        client(pool, authentication) {
    conversation->count_in(pool.memory());
  }

  ~Peer() override { tell_account({}); }

  // Adds the work, and what was received and sent since the last time, to the statistics of the
  // client's account.
  void tell_account(engine::AccountWork work) {
    const engine::Account* const account = client.account().get();
    if (account == nullptr) return;
    const auto since = [](const Counter& counter, uint64_t& told) {
      const uint64_t now = counter.get();
      return now - std::exchange(told, now);
    };
    work.bytes_received = since(traffic().received, told_received);
    work.bytes_sent = since(traffic().sent, told_sent);
    account->note(work);
  }

  TermsPtr terms;                  // null: the protocol and the authentication are not the peer's
  ConnectionRecord record{*this};  // what the operator sees of the connection
  const protocol::Protocol& protocol;
  const std::unique_ptr<protocol::Conversation> conversation;
  exec::Client client;
  // What the client has begun and not ended; null nearly always. Behind `client`, whose account it
  // acts for.
  std::unique_ptr<Transaction> transaction;

  // Nothing more is executed. The connection closes after this error is sent.
  void end_with(ErrorCode error) {
    ending = Ending::kLastWords;
    last_words = error;
  }

  // The client's, as bounds are shared among hosts. Clients whose address cannot be told are of one
  // host, but not of that of the Unix socket. May throw std::bad_alloc.
  std::string host() const {
    return transport().is_local() ? "a Unix socket" : transport().remote_host();
  }

  // Whether the next message may be executed by the present batch.
  bool takes_requests() const {
    return ending == Ending::kNone && !parked && !logs_in && !awaits_commit && !awaits_gtid &&
           !record.is_killed();
  }

  // A message of input() that a batch has taken, and that is to be executed again.
  bool is_set_aside(std::string_view message) {
    return !std::less<>()(message.data(), input().data() + used);
  }

  void on_insecure() override { end_with(ErrorCode::kInsecureTransport); }

  uint64_t told_received = 0;  // bytes that tell_account() has counted
  uint64_t told_sent = 0;

  // Set by Batch:
  size_t used = 0;             // bytes at the front of input() that belong to requests of the batch
  bool may_have_more = false;  // complete messages are left for a later batch
  bool unfinished = false;     // its replies are not final, so split() leaves it in the batch
  bool logs_in = false;        // its next request waits for the end of client.login()
  bool awaits_commit = false;  // its next request waits for the commit of those before it
  bool awaits_gtid = false;    // its next request waits as client.gtid_wait() says
  bool parked = false;         // its next request must wait for a lock, outside of any thread
  bool apart = false;          // its next transaction is executed on a session of its own
  int64_t waits_since_ms = 0;  // when the parked request began to wait, in monotonic_ms(); 0: none
  bool has_shown_proof = false;  // a request had a secret or a password
  bool is_slow = false;          // the client did not take all that was last streamed to it
  enum class Ending : uint8_t {
    kNone,
    kLastWords,  // after the error `last_words`
    kForeign,    // the client speaks another protocol
    kQuit,       // the client has asked for it
    kFailed,     // a request could not be answered at all
    kAbandoned,  // what was done is not known: closes at once, without the replies
  };
  Ending ending = Ending::kNone;  // if set: nothing more is executed, and the peer closes
  ErrorCode last_words = ErrorCode::kCommand;

  // Set by Reactor:
  bool shows_tls = false;   // `record` tells of the client's TLS
  bool shows_user = false;  // `record` tells as which user the client has logged in
  CommitPace::Mark answered = 0;
  // ... while parked, or while a GTID is awaited:
  int64_t try_at_ms = 0;  // when the request is due to be tried again
  unsigned tries = 0;     // how often the request was tried so far
};

using Queue = IntrusiveList<Peer, QueueTag>;

}  // namespace hs::server
