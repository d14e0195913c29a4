// One value on its way between the wire and a row: a run of bytes, or NULL.
//
// Escaping is not done here but in protocol/; conversion to a column's type is done by the engine
// adapters.
#pragma once

#include <cstddef>
#include <string_view>

namespace hs {

// A value or SQL NULL. Owns nothing: `data` points into a request line, a scratch buffer or a row.
// The function that returns the Value says how long it lives. NULL is distinct from the empty
// string.
struct Value {
  const char* data = nullptr;  // null pointer = SQL NULL
  size_t size = 0;

  static Value null() { return Value{}; }
  static Value of(std::string_view text) {
    return Value{text.data() ? text.data() : "", text.size()};
  }

  bool is_null() const { return data == nullptr; }
  std::string_view text() const { return {data, size}; }  // of a NULL: empty
};

}  // namespace hs
