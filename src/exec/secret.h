// A secret that the clients of an endpoint must prove to know. Only its digest (SHA-256) is kept, so
// the secret can be read neither from the memory of the server nor from a core file. The text that
// it is made of belongs to the caller, who overwrites it.
#pragma once

#include <array>
#include <string_view>

namespace hs::exec {

class Secret {
 public:
  // None is asked for.
  Secret() = default;
  // An empty text is no secret: none is asked for. May throw std::bad_alloc.
  explicit Secret(std::string_view text);
  // NOLINTNEXTLINE(google-explicit-constructor): a literal is a secret written down
  Secret(const char* text) : Secret(std::string_view(text)) {}

  bool is_set() const { return is_set_; }
  // Whether `given` is the secret; without one, whether it is empty. The time that it takes tells
  // nothing of where the two differ. May throw std::bad_alloc.
  bool matches(std::string_view given) const;

 private:
  bool is_set_ = false;
  std::array<unsigned char, 32> digest_{};
};

}  // namespace hs::exec
