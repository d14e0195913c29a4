// The client's half of an authentication, as a client library does it: takes the packets in which
// the server asks for a proof, and answers them with what the client has shown, or is asked for.
// Which proof a method of the server wants is for the adapters to say.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "engine/account.h"

namespace hs::adapter {

class ClientHalf {
 public:
  // `credentials` must outlive it.
  explicit ClientHalf(const engine::Credentials& credentials) : credentials_(credentials) {}
  virtual ~ClientHalf() { forget_answer(); }
  ClientHalf(const ClientHalf&) = delete;
  ClientHalf& operator=(const ClientHalf&) = delete;

  // Bytes that the server sends.
  void write(const unsigned char* bytes, size_t size);
  // Bytes that the server receives: the answer to what it has asked last. 0: there is none.
  size_t read(unsigned char* bytes, size_t size);
  // Set once the client has gone, or the login shall end: its socket and TLS are not to be used any
  // more.
  bool is_over() const { return is_over_; }
  // It ends through no fault of the client's.
  bool is_given_up() const { return is_given_up_; }
  // Of the last proof that was read, which a method that wants the password itself has been given.
  size_t last_proof_size() const { return last_proof_size_; }

 protected:
  // Appends the proof that the plugin wants. False: the client has none of this kind.
  virtual bool answer_to(std::string_view question, std::string* proof) = 0;
  // Has the client itself answer, as for `method`. It is over unless it has answered or cannot.
  engine::Dialogue::Outcome ask_client(std::string_view method, std::string_view question,
                                       std::string* proof);

  const engine::Credentials& credentials() const { return credentials_; }
  // That the server wants the client to use.
  const std::string& plugin() const { return plugin_; }

 private:
  bool answer();
  void forget_answer();

  const engine::Credentials& credentials_;
  std::string received_;
  std::string plugin_;
  std::string answer_;  // a packet
  size_t taken_ = 0;    // bytes of it
  size_t last_proof_size_ = 0;
  int answers_ = 0;
  bool is_over_ = false;
  bool is_given_up_ = false;
};

}  // namespace hs::adapter
