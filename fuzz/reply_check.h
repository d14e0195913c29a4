// Checks that a reply has a form that clients can read.
#pragma once

#include <string_view>

namespace hs::fuzz {

// Takes one line with its LF. Aborts when the line is neither of
//
//   0 TAB columns { TAB value }   as many values as make whole rows, each as the encoder writes it
//   1|2|3 TAB 1 TAB text
void check_reply(std::string_view line);

}  // namespace hs::fuzz
