// The places where the database server itself listens.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "server/config.h"

namespace hs::server {

struct OwnPlaces {
  std::string addresses;     // bind_address; empty: every address
  uint32_t port = 0;         // 0: it does not listen
  uint32_t second_port = 0;  // extra_port, admin_port; 0: there is none
  std::string_view second_setting;
  std::string socket;  // a file; empty: there is none
};

// Whether no endpoint has one of them. The plugin binds first when the server loads it at start, and
// the server would end then. False: *error is one sentence.
bool leaves(const OwnPlaces& places, const Config& config, std::string* error);

}  // namespace hs::server
