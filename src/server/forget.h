// Secrets do not stay in memory longer than they are needed.
#pragma once

#include <string.h>

#include <functional>
#include <string_view>

#include "protocol/request.h"

namespace hs::server {

inline void overwrite(std::string_view bytes) {
  ::explicit_bzero(const_cast<char*>(bytes.data()), bytes.size());
}

// Overwrites what a client has shown of itself where the codec keeps it, which decoded it from
// `text`. The text stays as it is.
inline void forget_decoded(std::string_view text, const protocol::Request& request) {
  const std::less<> before;
  for (const Value& value : {request.auth_user, request.auth_key}) {
    const bool is_in_text =
        !before(value.data, text.data()) && before(value.data, text.data() + text.size());
    if (!value.is_null() && !is_in_text) overwrite(value.text());
  }
}

}  // namespace hs::server
