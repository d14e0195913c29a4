// The answer to the challenge of an account with mysql_native_password.
#ifndef HS_TOOLS_BENCH_NATIVE_LOGIN_H_
#define HS_TOOLS_BENCH_NATIVE_LOGIN_H_

#include <string>
#include <string_view>

namespace hs::bench {

// `challenge` and the result are in hexadecimal. The result is empty when the password is. Throws
// Failure when the challenge is not twenty bytes.
std::string native_response(std::string_view challenge, std::string_view password);

}  // namespace hs::bench

#endif  // HS_TOOLS_BENCH_NATIVE_LOGIN_H_
