// SPDX-License-Identifier: GPL-2.0-only
// The client's half of an authentication, as a client library does it: takes the packets in which
// the server asks for a proof, and answers them with what the client has shown, or is asked for.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "engine/engine.h"

namespace hs::mysql {

class ClientHalf {
 public:
  // `credentials` must outlive it.
  explicit ClientHalf(const engine::Credentials& credentials) : credentials_(credentials) {}
  ~ClientHalf() { forget_answer(); }
  ClientHalf(const ClientHalf&) = delete;
  ClientHalf& operator=(const ClientHalf&) = delete;

  // Bytes that the server sends.
  void write(const unsigned char* bytes, size_t size);
  // Bytes that the server receives: the answer to what it has asked last. 0: there is none.
  size_t read(unsigned char* bytes, size_t size);
  // Set once the client has gone, or the login shall end: its socket and TLS are not to be used any
  // more.
  bool is_over() const { return is_over_; }

 private:
  bool answer();
  bool answer_to(std::string_view question, std::string* proof);
  bool ask_client(std::string_view question, std::string* proof);
  bool scramble_password(std::string_view nonce, std::string* proof) const;
  bool takes_password() const;
  void forget_answer();

  const engine::Credentials& credentials_;
  std::string received_;
  std::string plugin_;  // that the server wants the client to use
  std::string answer_;  // a packet
  size_t taken_ = 0;    // bytes of it
  int answers_ = 0;
  bool is_over_ = false;
};

}  // namespace hs::mysql
