// HELLO: which version is spoken, and with AUTH in it a login.
#pragma once

#include <algorithm>
#include <optional>
#include <string_view>

#include "protocol/resp/command.h"

namespace hs::protocol::resp {

// The version of Redis whose commands, answers and errors these are. Clients go by it, whether HELLO
// or INFO tells it.
inline constexpr std::string_view kRedisVersion = "7.0.15";
inline constexpr size_t kMostNameSize = 256;
// Nothing of a name may break the lines that list connections.
inline bool is_clean(std::string_view name) {
  return std::ranges::all_of(name, [](char c) { return c >= '!' && c <= '~'; });
}

class Hello final : public RespCommand {
 public:
  // What stands behind AUTH; none: there is no AUTH.
  const std::optional<std::string_view>& user() const { return user_; }
  const std::optional<std::string_view>& secret() const { return secret_; }
  bool is_alone() const override { return true; }

 protected:
  void take() override;
  void reply() override;

 private:
  int version_ = 2;
  std::optional<std::string_view> user_, secret_, name_;
};

}  // namespace hs::protocol::resp
