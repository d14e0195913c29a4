// SPDX-License-Identifier: GPL-2.0-only
// The proofs that this server's methods want of a client.
#pragma once

#include "adapter/client_half.h"

namespace hs::mysql {

class MysqlClientHalf final : public adapter::ClientHalf {
 public:
  using ClientHalf::ClientHalf;

 private:
  bool answer_to(std::string_view question, std::string* proof) override;
  bool ask(std::string_view question, std::string* proof);
  bool scramble_password(std::string_view nonce, std::string* proof) const;
  bool takes_password() const;
};

}  // namespace hs::mysql
