// Every command that is served.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "protocol/resp/families.h"

namespace hs::protocol::resp {

struct CommandInfo {
  std::string_view name;
  int arity;               // arguments with the name; negative: at least so many
  std::string_view flags;  // of COMMAND INFO, separated by blanks
  int first_key, last_key, step;
  std::string_view group;
  std::string_view summary;
  Made (*make)();
  // Behind MULTI: kept until EXEC, or executed at once, or refused.
  enum class InTransaction : uint8_t { kQueued, kAtOnce, kNot };
  InTransaction in_transaction = InTransaction::kQueued;
  // What the codec itself must know of.
  enum class Kind : uint8_t { kUsual, kAuth, kHello, kExec, kQuit, kHasSubcommands };
  Kind kind = Kind::kUsual;

  bool takes(size_t arguments) const { return resp::takes(arity, arguments); }
};

std::span<const CommandInfo> all_commands();
// In any case. Null: it is not served.
const CommandInfo* find_command(std::string_view name);
// Why a command of Redis is not served; empty: it is not known at all.
std::string_view reason_against(std::string_view name);
// Whether only a Redis that is part of a cluster serves it.
bool is_of_clusters(std::string_view name);

}  // namespace hs::protocol::resp
