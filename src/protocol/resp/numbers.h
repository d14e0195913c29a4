// Numbers with a point, as Redis reads and writes them.
#pragma once

#include <string>
#include <string_view>

namespace hs::protocol::resp {

bool parse_real(std::string_view text, long double* number);
std::string write_real(long double number);

}  // namespace hs::protocol::resp
