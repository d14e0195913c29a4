// The age of the settings that a session works with.
//
// A session lives long, but follows SET GLOBAL as new connections do. It takes the settings when it
// begins to use tables, and again when it has used tables without a pause for too long.
#pragma once

#include <cstdint>

namespace hs::adapter {

class SettingsAge {
 public:
  // The settings were taken at `now_s`, in seconds of the server's clock.
  void note_taken(int64_t now_s) { taken_s_ = now_s; }
  bool is_old(int64_t now_s) const { return now_s > taken_s_ + kKeepSeconds; }

 private:
  static constexpr int64_t kKeepSeconds = 1;
  int64_t taken_s_ = 0;
};

}  // namespace hs::adapter
