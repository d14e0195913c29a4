// A client's login to an account of the database.
//
//   A 2  answer() gives the client a challenge
//   A 3, A 4   begin() -> the request is set aside, and a login thread calls carry_out()
//              -> the request is executed again, and answer() tells the client
//
// Where the account's method may draw its challenge itself, the login is under way while the client
// finds its answer:
//
//   A 2  begin() -> carry_out(), in which the database puts a question -> the request is executed
//        again, and answer() tells the client the question
//   A 3  begin() -> the login's thread goes on with what the client has answered
//        -> the request is executed again; there is a further question, or the end
//
// The login belongs to its Client, and to the thread that carries it out. Between begin() and the
// time when the request is executed again only the login thread may touch it, and while a question
// is open only the client's.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "engine/engine.h"
#include "exec/client.h"
#include "exec/exchange.h"
#include "protocol/reply.h"
#include "protocol/request.h"

namespace hs::exec {

// How a client can prove, without a secure channel, to know the password: separated by commas.
inline constexpr std::string_view kOpenMethods = "mysql_native_password,ed25519";

// What the client's connection allows.
struct Channel {
  int socket = -1;          // the client's
  void* tls = nullptr;      // its SSL; null: none
  bool is_private = false;  // none can listen to it: TLS, or a Unix socket
  bool knows_peer = false;  // the system knows the user at its other end: a Unix socket
};

struct Login {
  enum class State : uint8_t {
    kChallenged,  // the client has to answer a challenge, or the open question
    kWanted,      // to be carried out, or to go on
    kAsks,        // the client is to be told `question`
    kDone,        // `result` is there
  };
  State state = State::kWanted;
  engine::Credentials credentials;
  Result<engine::AccountPtr> result = ErrorCode::kUnauthorized;

  // The rest is for a login that puts questions (Proof::kDialogue).
  std::string methods;      // that the client can do
  bool is_private = false;  // the channel
  bool has_asked = false;
  // What the client was given to answer is no question of the database's. Whatever it answers, it
  // is refused.
  bool is_decoy = false;
  std::string method, question;
  Exchange exchange;

  // Asks the engine, which puts questions to `client` if they are wanted (Proof::kDialogue). Does not
  // throw. False: the login was given up meanwhile, and belongs to its client alone.
  bool carry_out(engine::Engine& engine, engine::Dialogue* client);
  // Instead of carry_out().
  void refuse(ErrorCode error);

  // Whether a login thread waits, or has waited, for the client's answer.
  bool is_under_way() const { return has_asked && !is_decoy; }
  // Whether the client may be asked in this way.
  bool takes(std::string_view asked_method) const;
  // The client is to be asked. May throw std::bad_alloc.
  void ask(std::string_view asked_method, std::string_view what);

  // Whether `result` is what the client is told.
  bool is_over() const { return state == State::kDone && !wants_decoy(); }
  // Whether a client that guesses should wait for its answer.
  bool has_failed() const { return is_over() && is_refused(); }
  // The login has failed before the client was asked for anything. To say so would tell what kind
  // of account it is.
  bool wants_decoy() const {
    return state == State::kDone && is_refused() && !has_asked &&
           credentials.proof == engine::Credentials::Proof::kDialogue;
  }

 private:
  bool is_refused() const { return !result && result.error().code == ErrorCode::kUnauthorized; }
};

// Whether the request must wait for a login. True: the client's login() is kWanted, and the request
// is to be executed when it is kAsks or kDone. Only for a request with Verb::kAuth.
bool begin_login(const protocol::Request& request, const Channel& channel, Client& client);

// Answers a request with Verb::kAuth on an endpoint that asks for an account, after begin_login()
// has returned false. On success the reply is written.
Result<void> answer_login(const protocol::Request& request, Client& client,
                          protocol::ReplyWriter& reply);

}  // namespace hs::exec
