// SPDX-License-Identifier: GPL-2.0-only
// The notes of a program or library (ELF): read from a file of which nothing is executed, and of what
// is loaded in this process.
//
// dlopen() of a file that was cut short ends the process (SIGBUS), and of a FIFO it waits for good. So
// a file is looked at by itself first.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace hs::loader {

// What the notes of one file or loaded object say, each note its name, its type and its contents.
class Notes {
 public:
  // Reads the file. Empty: *why says in one sentence what is wrong with it: it cannot be read, is no
  // ordinary file, or no complete ELF file of this machine's word size and byte order.
  static std::optional<Notes> of_file(const std::string& path, std::string* why);
  // Of what has this address in its memory: the program, or a library. Empty: nothing has.
  static std::optional<Notes> of_loaded(const void* address);

  // The contents of a note; empty: there is none.
  std::optional<std::string_view> find(std::string_view name, uint32_t type) const;
  // What the linker made of the contents, in hexadecimal digits; empty: there is none.
  std::string build_id() const;

 private:
  struct Segment {
    std::string bytes;
    size_t alignment;
  };
  void add(std::string bytes, size_t alignment) {
    segments_.push_back({std::move(bytes), alignment == 8 ? size_t{8} : size_t{4}});
  }

  std::vector<Segment> segments_;
};

}  // namespace hs::loader
