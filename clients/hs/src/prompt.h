// The prompt: commands by lines, over one session.
#ifndef HS_CLIENTS_HS_PROMPT_H_
#define HS_CLIENTS_HS_PROMPT_H_

#include "session.h"
#include "status.h"

namespace hs::tool {

// Reads lines until the end of the input: from a terminal with history and completion, else as a
// script, which ends at its first error.
Status run_prompt(Session& session, Common common);

}  // namespace hs::tool

#endif  // HS_CLIENTS_HS_PROMPT_H_
