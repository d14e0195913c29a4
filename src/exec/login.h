// A client's login to an account of the database.
//
//   A 2  answer() gives the client a challenge
//   A 3, A 4   begin() -> the request is set aside, and a login thread calls carry_out()
//              -> the request is executed again, and answer() tells the client
//
// The login belongs to its Client. Between begin() and the end of carry_out() only the login thread
// may touch it.
#pragma once

#include <cstdint>
#include <optional>

#include "base/result.h"
#include "engine/engine.h"
#include "exec/client.h"
#include "protocol/reply.h"
#include "protocol/request.h"

namespace hs::exec {

// What the client's connection allows.
struct Channel {
  int socket = -1;          // the client's
  void* tls = nullptr;      // its SSL; null: none
  bool is_private = false;  // none can listen to it: TLS, or a Unix socket
  bool knows_peer = false;  // the system knows the user at its other end: a Unix socket
};

struct Login {
  enum class State : uint8_t {
    kChallenged,  // the client has to answer the challenge in `credentials`
    kWanted,      // to be carried out
    kDone,        // `result` is there
  };
  State state = State::kWanted;
  engine::Credentials credentials;
  Result<engine::AccountPtr> result = ErrorCode::kUnauthorized;

  // Asks the engine. Does not throw.
  void carry_out(engine::Engine& engine);
  // Instead of carry_out().
  void refuse(ErrorCode error);
  // Whether a client that guesses should wait for its answer.
  bool has_failed() const {
    return state == State::kDone && !result && result.error().code == ErrorCode::kUnauthorized;
  }
};

// Whether the request must wait for a login. True: the client's login() is kWanted, and the request
// is to be executed when it is kDone. Only for a request with Verb::kAuth.
bool begin_login(const protocol::Request& request, const Channel& channel, Client& client);

// Answers a request with Verb::kAuth on an endpoint that asks for an account, after begin_login()
// has returned false. On success the reply is written.
Result<void> answer_login(const protocol::Request& request, Client& client,
                          protocol::ReplyWriter& reply);

}  // namespace hs::exec
