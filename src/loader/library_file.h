// SPDX-License-Identifier: GPL-2.0-only
// The library of one server version: its file, found beside the loader's and looked at before any of
// its code runs.
#pragma once

#include <string>

#include "loader/elf_notes.h"
#include "seam/library.h"

namespace hs::loader {

// The server that a library must have been built for.
struct Server {
  std::string product;    // "MariaDB"
  std::string lets_go;    // what a user does for it to forget a library that it has loaded
  std::string takes_new;  // what a user does for it to take the plugin's new file
  unsigned version = 0;   // MYSQL_VERSION_ID
  std::string build_id;   // of its program, in hexadecimal digits; empty: it has none

  std::string version_text() const;
};

// A library. It stays open until close(): a process that ends without that may still have its threads.
class LibraryFile {
 public:
  LibraryFile() = default;
  // Opens that of the server in the folder. Where that fails nothing of it was executed, unless the
  // system's linker refuses it; *why is one sentence.
  bool open(const std::string& folder, const Server& server, std::string* why);
  void close();
  // What helps where the last open() failed.
  enum class Remedy {
    kMakeOne,
    kLetRead,        // it is there, and its mode keeps the server's user from it
    kLetGo,          // the process still has a library that was in that place before
    kTakeNewPlugin,  // the library is of another release, and the plugin's own file has changed, too
  };
  Remedy remedy() const { return remedy_; }

  // null: it is not open.
  const seam::Library* get() const { return library_; }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
  void* handle_ = nullptr;
  const seam::Library* library_ = nullptr;
  Remedy remedy_ = Remedy::kMakeOne;
};

// The folder of the file that this code is in, as the server found it: links are not followed.
std::string own_folder();

}  // namespace hs::loader
