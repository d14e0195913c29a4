// SPDX-License-Identifier: GPL-2.0-only
#include "loader/values.h"

#include <string.h>

#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <string_view>

namespace hs::loader {

seam::Values values;

namespace {

struct Free {
  void operator()(char* text) const { std::free(text); }
};

// The texts that variables point to since they were changed. Until then they are the server's.
struct Kept {
  char** variable;
  std::unique_ptr<char, Free> text{};
} kept[] = {
#define HS_NUMBER(...)
#define HS_LARGE_NUMBER(...)
#define HS_SECONDS(...)
#define HS_SWITCH(...)
#define HS_TEXT(name, ...) {&values.name},
#define HS_CHOICE(...)
#define HS_ACTION(...)
#include "seam/variables.def"
#include "seam/variables_end.h"
};

char* copy(const char* text) {
  char* const made = ::strdup(text);
  if (made == nullptr) throw std::bad_alloc();
  return made;
}

void overwrite(char*& secret) {
  if (secret != nullptr) ::explicit_bzero(secret, std::strlen(secret));
  std::free(secret);
  secret = nullptr;
}

// Takes a secret out of its variable. A plugin that is installed later gets the same command line, and
// must not take the asterisks for the secret. False: it would; *why is one sentence.
bool hide(char*& variable, std::string_view name, char** secret, std::string* why) {
  overwrite(*secret);
  if (variable == nullptr) return true;
  *secret = copy(variable);
  if (*variable == '\0') return true;
  const bool was_taken = std::strspn(variable, "*") == std::strlen(variable);
  std::memset(variable, '*', std::strlen(variable));
  keep_text(&variable, copy("(hidden)"));
  if (!was_taken) return true;
  *why = "the secret is no longer on the server's command line: set " + std::string(name) +
         " in an option file, or " + std::string(name) + "_file";
  return false;
}

}  // namespace

void keep_text(char** variable, char* text) {
  for (Kept& one : kept) {
    if (one.variable != variable) continue;
    *variable = text;
    one.text.reset(text);
  }
}

bool Secrets::take(std::string* why) {
  const bool read = hide(values.plain_secret, "handlersocket_plain_secret", &read_, why);
  const bool write = hide(values.plain_secret_wr, "handlersocket_plain_secret_wr", &write_, why);
  return read && write;
}

void Secrets::forget() {
  overwrite(read_);
  overwrite(write_);
}

}  // namespace hs::loader
