// SPDX-License-Identifier: GPL-2.0-only
#include "loader/loading.h"

#include <unistd.h>

#include <filesystem>
#include <system_error>

#include "loader/host_server.h"

namespace hs::loader {
namespace {

// Whether the command of Debian's package makes libraries for this folder: it does for the system's.
bool has_command() {
  std::error_code error;
  return ::access("/usr/sbin/handlersocket2-build", F_OK) == 0 &&
         std::filesystem::equivalent("/usr/lib/mysql/plugin", own_folder(), error);
}

// What "opens the ports".
std::string remedy(const LibraryFile& file, const Server& server) {
  const std::string reload = ", and then SET GLOBAL handlersocket_reload = 1";
  switch (file.remedy()) {
    case LibraryFile::Remedy::kTakeNewPlugin:
      return server.takes_new + " takes the new one, and that";
    case LibraryFile::Remedy::kLetGo:
      return server.lets_go + " lets it go" + reload;
    case LibraryFile::Remedy::kLetRead:
      return "as root, chmod 644 " + own_folder() + "/handlersocket2*.so lets the server read it" +
             reload;
    case LibraryFile::Remedy::kMakeOne:
      break;
  }
  if (!has_command())
    return "build one for this server, as docs/operations.md tells, and put it there" + reload;
  // The command makes one for that program.
  if (has_other_program(server)) return "a restart of the server, whose program is another by now,";
  return "as root, handlersocket2-build makes one" + reload;
}

}  // namespace

Loading& loading() {
  static Loading one;
  return one;
}

const seam::Library* Loading::library() {
  const std::lock_guard lock(mutex_);
  return library_;
}

Loading::Shown Loading::shown() {
  const std::lock_guard lock(mutex_);
  return shown_;
}

void Loading::show(const std::string& state, const std::string& message) {
  const std::lock_guard lock(mutex_);
  shown_ = {state, message, file_.path()};
}

void Loading::set_aside(const std::string& state) { show(state, ""); }

Loading::Outcome Loading::start(std::string* why) {
  const std::lock_guard turn(turn_);
  if (runs_) return Outcome::kRunning;
  const Outcome outcome = try_start(why);
  runs_ = outcome == Outcome::kRunning;
  switch (outcome) {
    case Outcome::kRunning:
      show("running", "");
      break;
    case Outcome::kNoLibrary:
      show("no library", *why);
      break;
    case Outcome::kFailed:
      show("failed", *why);
      break;
  }
  return outcome;
}

Loading::Outcome Loading::try_start(std::string* why) {
  seam::Why reason;
  if (file_.get() == nullptr) {
    const Server server = host_server();
    if (!file_.open(own_folder(), server, why)) {
      // hs doctor takes what is behind the last semicolon, and ends so, for what mends it.
      *why = "no port is open: " + *why + "; " + remedy(file_, server) + " opens the ports";
      return Outcome::kNoLibrary;
    }
    const seam::Host host = {&values, keep_text, secrets_.read(), secrets_.write()};
    if (!file_.get()->open(&host, &reason)) {
      *why = reason.text;
      file_.get()->stop();
      file_.close();
      return Outcome::kFailed;
    }
    secrets_.forget();
    const std::lock_guard lock(mutex_);
    library_ = file_.get();
  }
  if (file_.get()->start(&reason)) return Outcome::kRunning;
  *why = reason.text;
  return Outcome::kFailed;
}

void Loading::stop() {
  const std::lock_guard turn(turn_);
  const seam::Library* const library = file_.get();
  {
    const std::lock_guard lock(mutex_);
    library_ = nullptr;
  }
  if (library != nullptr) library->stop();
  file_.close();
  secrets_.forget();
  runs_ = false;
  show("stopped", "");
}

}  // namespace hs::loader
