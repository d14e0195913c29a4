// SPDX-License-Identifier: GPL-2.0-only
// What the server's program exports, by its name.
#pragma once

#include <dlfcn.h>

namespace hs::loader {

// The function or object; null: this release has none of that name.
template <class Symbol>
Symbol* find(const char* name) {
  return reinterpret_cast<Symbol*>(::dlsym(RTLD_DEFAULT, name));
}

}  // namespace hs::loader
