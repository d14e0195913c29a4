// SPDX-License-Identifier: GPL-2.0-only
// The values of the system variables, and the texts that they point to.
#pragma once

#include <string>

#include "seam/library.h"

namespace hs::loader {

extern seam::Values values;

// Host::keep_text
void keep_text(char** variable, char* text);

// The secrets, once they are hidden: what the variables show is "(hidden)", and where they were there
// are asterisks. That may be the server's command line. They are kept until a library has taken them.
class Secrets {
 public:
  Secrets() = default;
  ~Secrets() { forget(); }
  Secrets(const Secrets&) = delete;
  Secrets& operator=(const Secrets&) = delete;

  // Takes them out of the variables. False: one was taken before; *why is one sentence.
  bool take(std::string* why);
  // Overwrites them.
  void forget();

  // null: the variable was unset.
  const char* read() const { return read_; }
  const char* write() const { return write_; }

 private:
  char* read_ = nullptr;
  char* write_ = nullptr;
};

}  // namespace hs::loader
