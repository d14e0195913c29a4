// On what terms an endpoint serves: what it is called, what is spoken there, and what it asks of
// clients. A connection keeps the terms that it came on when its endpoint changes or goes.
#pragma once

#include <memory>
#include <string>

#include "exec/client.h"
#include "protocol/codec.h"

namespace hs::server {

struct Terms {
  std::string place;      // what the operator calls the endpoint: "127.0.0.1:9998", "/run/hs.sock"
  bool is_local = false;  // a Unix socket
  const protocol::Protocol* protocol = nullptr;
  exec::Authentication authentication;
};
using TermsPtr = std::shared_ptr<const Terms>;

}  // namespace hs::server
