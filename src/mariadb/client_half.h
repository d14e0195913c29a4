// SPDX-License-Identifier: GPL-2.0-only
// The proofs that this server's methods want of a client.
#pragma once

#include "adapter/client_half.h"

namespace hs::mariadb {

class MariaClientHalf final : public adapter::ClientHalf {
 public:
  using ClientHalf::ClientHalf;

 private:
  bool answer_to(std::string_view question, std::string* proof) override;
  bool ask(std::string_view question, std::string* proof);
  bool takes_password() const;
};

}  // namespace hs::mariadb
