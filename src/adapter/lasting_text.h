// Texts that outlive what they are about. SHOW PROCESSLIST takes the pointer to a session's State, and
// prints what it points to when the session may have ended.
#pragma once

#include <string>

namespace hs::adapter {

// Any thread. The same text for the same words; it is never freed, so it is for few different ones.
const char* lasting_text(const std::string& words);

}  // namespace hs::adapter
