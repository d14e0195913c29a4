// Commands that name rows by keys: what they work on is found here, and their requests are carried
// out.
#pragma once

#include "exec/execute.h"

namespace hs::exec {

// The plan of a request with Verb::kCommand, which binds it to what the client knows.
Plan plan_command(const Context& context, const protocol::Request& request, Client& client);

// What a command may tell its client.
protocol::Facts facts_of(const Context& context, const Client& client);

// Carries out the command. With nothing uncommitted it also looks up what the client does not know
// yet. Throws what execute() catches.
Outcome run_command(const Context& context, const Plan& plan, const protocol::Request& request,
                    Client& client, engine::Session& session, Scratch& scratch,
                    protocol::ReplyWriter& reply);

}  // namespace hs::exec
