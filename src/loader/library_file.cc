// SPDX-License-Identifier: GPL-2.0-only
#include "loader/library_file.h"

#include <dirent.h>
#include <dlfcn.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>
#include <string_view>
#include <vector>

namespace hs::loader {
namespace {

// Beside the loader, not in a folder of its own: profiles of AppArmor let the server map plugin/*.so.
constexpr std::string_view kPrefix = "handlersocket2-";
constexpr std::string_view kEnding = ".so";

std::string text_of(unsigned version) {
  return std::to_string(version / 10000) + "." + std::to_string(version / 100 % 100) + "." +
         std::to_string(version % 100);
}

template <size_t kSize>
std::string_view text_of(const char (&field)[kSize]) {
  return {field, ::strnlen(field, kSize)};
}

// The libraries in the folder, for the operator: "there is handlersocket2-10.11.18.so", or nothing.
std::string what_is_there(const std::string& folder) {
  const std::unique_ptr<DIR, int (*)(DIR*)> directory(::opendir(folder.c_str()), ::closedir);
  if (directory == nullptr) return "";
  std::vector<std::string> names;
  // NOLINTNEXTLINE(concurrency-mt-unsafe): no other thread reads this directory
  while (const dirent* const entry = ::readdir(directory.get())) {
    const std::string_view name = entry->d_name;
    if (name.starts_with(kPrefix) && name.ends_with(kEnding)) names.emplace_back(name);
  }
  std::sort(names.begin(), names.end());
  std::string list;
  for (const std::string& name : names) list += (list.empty() ? " (there is " : ", ") + name;
  return list.empty() ? "" : list + ")";
}

// The file that this code is in; empty: that is not known.
std::string own_path() {
  Dl_info own{};
  const bool found = ::dladdr(reinterpret_cast<const void*>(&own_folder), &own) != 0;
  return found && own.dli_fname != nullptr ? own.dli_fname : "";
}

// Whether it is another by now than the one that is loaded, as after an upgrade.
bool own_file_has_changed() {
  std::string why;
  const auto file = Notes::of_file(own_path(), &why);
  const auto loaded = Notes::of_loaded(reinterpret_cast<const void*>(&own_folder));
  return file && loaded && file->build_id() != loaded->build_id();
}

bool is_of_this_release(const seam::Note& note) {
  return text_of(note.release) == HS_VERSION && note.seam == seam::seam_number();
}

// Whether what the note says is what this loader and the server want. False: *why is one sentence.
bool fits(const seam::Note& note, const std::string& path, const Server& server, std::string* why) {
  if (!is_of_this_release(note)) {
    *why = path + " is of HandlerSocket " + std::string(text_of(note.release)) +
           ", and not of the same build as this plugin, HandlerSocket " HS_VERSION;
    return false;
  }
  if (note.server_version != server.version) {
    *why = path + " was built for " + server.product + " " + text_of(note.server_version) +
           ", this server is " + server.product + " " + server.version_text();
    return false;
  }
  if (server.build_id.empty()) {
    *why = "this server's program has no build ID, so that " + path + " may be for another one";
    return false;
  }
  if (text_of(note.server_build_id) != server.build_id) {
    *why = path + " was built for another build of " + server.product + " " +
           server.version_text() + " (build ID " + std::string(text_of(note.server_build_id)) +
           ", the server's is " + server.build_id + ")";
    return false;
  }
  return true;
}

}  // namespace

std::string Server::version_text() const { return text_of(version); }

bool LibraryFile::open(const std::string& folder, const Server& server, std::string* why) {
  const std::string name = std::string(kPrefix) + server.version_text() + std::string(kEnding);
  const std::string path = folder + "/" + name;
  remedy_ = Remedy::kMakeOne;
  struct stat status {};
  // A link that leads nowhere is there, and cannot be read.
  if (::lstat(path.c_str(), &status) != 0 && errno == ENOENT) {
    *why = "there is no " + name + " in " + folder + " for this server" + what_is_there(folder);
    return false;
  }
  const std::optional<Notes> notes = Notes::of_file(path, why);
  if (!notes) {
    if (::access(path.c_str(), R_OK) != 0 && errno == EACCES) remedy_ = Remedy::kLetRead;
    return false;
  }
  const auto contents = notes->find(seam::kNoteName, seam::kNoteType);
  if (!contents || contents->size() < sizeof(seam::Note)) {
    *why = path + " is no library of HandlerSocket 2";
    return false;
  }
  seam::Note note;
  std::memcpy(&note, contents->data(), sizeof note);
  if (!fits(note, path, server, why)) {
    if (!is_of_this_release(note) && own_file_has_changed()) {
      *why += ", whose file has changed since it was loaded";
      remedy_ = Remedy::kTakeNewPlugin;
    }
    return false;
  }
  void* const handle = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    *why = ::dlerror();  // NOLINT(concurrency-mt-unsafe): glibc has one for each thread
    return false;
  }
  const void* const symbol = ::dlsym(handle, seam::kLibrarySymbol);
  // What was loaded from this path before is given again, even when the file is another by now.
  const auto loaded = symbol != nullptr ? Notes::of_loaded(symbol) : std::nullopt;
  if (!loaded || loaded->build_id().empty() || loaded->build_id() != notes->build_id()) {
    ::dlclose(handle);
    *why = path + " has changed, and the server still has the one before";
    remedy_ = Remedy::kLetGo;
    return false;
  }
  path_ = path;
  handle_ = handle;
  library_ = static_cast<const seam::Library*>(symbol);
  return true;
}

void LibraryFile::close() {
  if (handle_ != nullptr) ::dlclose(handle_);
  handle_ = nullptr;
  library_ = nullptr;
  path_.clear();
}

std::string own_folder() {
  const std::string path = own_path();
  const size_t slash = path.rfind('/');
  return slash == std::string::npos ? "." : path.substr(0, slash);
}

}  // namespace hs::loader
