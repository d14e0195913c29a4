// SPDX-License-Identifier: GPL-2.0-only
// What the loader has to do with its library: opened, started, stopped, and asked. One for the plugin.
#pragma once

#include <mutex>
#include <string>

#include "loader/library_file.h"
#include "loader/values.h"

namespace hs::loader {

class Loading {
 public:
  enum class Outcome {
    kRunning,    // the ports are open, as far as the variables ask for some
    kNoLibrary,  // there is none that fits this server
    kFailed,     // there is one, and it did not start
  };

  // Takes the secrets from the variables. False: *why is one sentence.
  bool take_secrets(std::string* why) { return secrets_.take(why); }
  // Opens the library, unless it is open, and starts it, unless it runs. *why is one sentence where
  // it does not. The caller must not hold LOCK_global_system_variables. Any thread.
  Outcome start(std::string* why);
  // Undoes all of it.
  void stop();
  // There is nothing to be loaded.
  void set_aside(const std::string& state);

  // The library that is open, which stays so until stop(); null: there is none.
  const seam::Library* library();
  // Calls `store`, which sets a variable, if there is no library. Returns the library. Then the
  // variable is the library's, as is every other.
  template <class Store>
  const seam::Library* store_without_library(Store store) {
    const std::lock_guard lock(mutex_);
    if (library_ == nullptr) store();
    return library_;
  }

  // What SHOW STATUS shows.
  struct Shown {
    std::string state;    // one word or two
    std::string message;  // why the ports are closed
    std::string library;  // its path
  };
  Shown shown();

 private:
  Outcome try_start(std::string* why);
  void show(const std::string& state, const std::string& message);

  std::mutex turn_;  // one start or stop after the other
  LibraryFile file_;
  bool runs_ = false;
  Secrets secrets_;

  std::mutex mutex_;  // of what follows
  const seam::Library* library_ = nullptr;
  Shown shown_;
};

Loading& loading();

}  // namespace hs::loader
