// The note of a library or the loader (Note) as the linker wants it: each has one in a section of its own.
#pragma once

#include <cstddef>
#include <cstdint>

#include "seam/library.h"

namespace hs::seam {

struct ElfNote {
  uint32_t name_size = sizeof kNoteName;
  uint32_t size = sizeof(Note);
  uint32_t type = kNoteType;
  char name[sizeof kNoteName] = {};
  Note note = {};
};
static_assert(sizeof kNoteName % 4 == 0);

// Each text must fit its place with a NUL behind it.
template <size_t kRelease, size_t kBuildId>
constexpr ElfNote elf_note(const char (&release)[kRelease], uint32_t server_version,
                           const char (&build_id)[kBuildId]) {
  ElfNote made;
  static_assert(kRelease <= sizeof made.note.release);
  static_assert(kBuildId <= sizeof made.note.server_build_id);
  for (size_t i = 0; i < sizeof made.name; ++i) made.name[i] = kNoteName[i];
  for (size_t i = 0; i < kRelease; ++i) made.note.release[i] = release[i];
  made.note.seam = seam_number();
  made.note.server_version = server_version;
  for (size_t i = 0; i < kBuildId; ++i) made.note.server_build_id[i] = build_id[i];
  return made;
}

template <size_t kRelease>
constexpr ElfNote loader_elf_note(const char (&release)[kRelease]) {
  ElfNote made = elf_note(release, 0, "");
  made.type = kLoaderNoteType;
  return made;
}

}  // namespace hs::seam
