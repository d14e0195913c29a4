// SPDX-License-Identifier: GPL-2.0-only
#include "loader/elf_notes.h"

#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <system_error>

namespace hs::loader {
namespace {

// More are no note of a linker's or ours.
constexpr size_t kMostNoteBytes = size_t{64} * 1024;
constexpr size_t kMostSegments = 1024;

class File {
 public:
  // O_NONBLOCK: to open a FIFO would wait for its other end.
  explicit File(const std::string& path)
      : descriptor_(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)) {}
  ~File() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  bool is_open() const { return descriptor_ >= 0; }
  bool look(struct stat* status) const { return ::fstat(descriptor_, status) == 0; }
  bool read(void* to, size_t size, uint64_t offset) const {
    auto* at = static_cast<char*>(to);
    while (size > 0) {
      const ssize_t got = ::pread(descriptor_, at, size, static_cast<off_t>(offset));
      if (got < 0 && errno == EINTR) continue;
      if (got <= 0) return false;
      at += got;
      offset += static_cast<uint64_t>(got);
      size -= static_cast<size_t>(got);
    }
    return true;
  }

 private:
  int descriptor_;
};

bool lies_within(uint64_t offset, uint64_t size, uint64_t whole) {
  return offset <= whole && size <= whole - offset;
}

constexpr unsigned char kClass = sizeof(void*) == 8 ? ELFCLASS64 : ELFCLASS32;
constexpr unsigned char kOrder =
    __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? ELFDATA2LSB : ELFDATA2MSB;
// Its name for this processor; 0: none is known here.
#if defined(__x86_64__)
constexpr unsigned kMachine = EM_X86_64;
#elif defined(__aarch64__)
constexpr unsigned kMachine = EM_AARCH64;
#else
constexpr unsigned kMachine = 0;
#endif

bool is_elf(const ElfW(Ehdr) & header) { return std::memcmp(header.e_ident, ELFMAG, SELFMAG) == 0; }

bool is_of_this_machine(const ElfW(Ehdr) & header) {
  return header.e_ident[EI_CLASS] == kClass && header.e_ident[EI_DATA] == kOrder &&
         (kMachine == 0 || header.e_machine == kMachine);
}

bool has_segments(const ElfW(Ehdr) & header) {
  return header.e_phentsize == sizeof(ElfW(Phdr)) && header.e_phnum > 0 &&
         header.e_phnum <= kMostSegments;
}

}  // namespace

std::optional<Notes> Notes::of_file(const std::string& path, std::string* why) {
  const File file(path);
  struct stat status {};
  if (!file.is_open() || !file.look(&status)) {
    *why = path + " cannot be read: " + std::generic_category().message(errno);
    return std::nullopt;
  }
  if (!S_ISREG(status.st_mode)) {
    *why = path + " is no file";
    return std::nullopt;
  }
  *why = path + " is no complete library";
  const auto file_bytes = static_cast<uint64_t>(status.st_size);
  ElfW(Ehdr) header;
  if (!file.read(&header, sizeof header, 0) || !is_elf(header)) return std::nullopt;
  if (!is_of_this_machine(header)) {
    *why = path + " is a library for another architecture";
    return std::nullopt;
  }
  if (!has_segments(header)) return std::nullopt;
  std::vector<ElfW(Phdr)> segments(header.e_phnum);
  if (!file.read(segments.data(), segments.size() * sizeof(ElfW(Phdr)), header.e_phoff))
    return std::nullopt;
  Notes notes;
  for (const ElfW(Phdr) & segment : segments) {
    if (!lies_within(segment.p_offset, segment.p_filesz, file_bytes)) return std::nullopt;
    if (segment.p_type != PT_NOTE || segment.p_filesz > kMostNoteBytes) continue;
    std::string bytes(segment.p_filesz, '\0');
    if (!file.read(bytes.data(), bytes.size(), segment.p_offset)) return std::nullopt;
    notes.add(std::move(bytes), segment.p_align);
  }
  // The linker writes the sections' headers behind everything else, so a file that ends before them
  // was cut short.
  const uint64_t headers_bytes = uint64_t{header.e_shnum} * header.e_shentsize;
  const uint64_t place = header.e_shoff;
  if (!lies_within(place, headers_bytes, file_bytes)) return std::nullopt;
  why->clear();
  return notes;
}

std::optional<Notes> Notes::of_loaded(const void* address) {
  struct Search {
    uintptr_t address;
    std::optional<Notes> found;
  } search{reinterpret_cast<uintptr_t>(address), std::nullopt};
  const auto look = [](dl_phdr_info* object, size_t, void* argument) {
    Search& sought = *static_cast<Search*>(argument);
    bool has_it = false;
    for (unsigned i = 0; i < object->dlpi_phnum && !has_it; ++i) {
      const ElfW(Phdr)& segment = object->dlpi_phdr[i];
      const uintptr_t start = object->dlpi_addr + segment.p_vaddr;
      has_it = segment.p_type == PT_LOAD && sought.address >= start &&
               sought.address - start < segment.p_memsz;
    }
    if (!has_it) return 0;
    sought.found.emplace();
    for (unsigned i = 0; i < object->dlpi_phnum; ++i) {
      const ElfW(Phdr)& segment = object->dlpi_phdr[i];
      if (segment.p_type != PT_NOTE || segment.p_filesz > kMostNoteBytes) continue;
      // NOLINTNEXTLINE(performance-no-int-to-ptr): the system's linker gives the address as a number
      const auto* bytes = reinterpret_cast<const char*>(object->dlpi_addr + segment.p_vaddr);
      sought.found->add(std::string(bytes, segment.p_filesz), segment.p_align);
    }
    return 1;
  };
  ::dl_iterate_phdr(look, &search);
  return std::move(search.found);
}

std::optional<std::string_view> Notes::find(std::string_view name, uint32_t type) const {
  for (const Segment& segment : segments_) {
    const std::string_view bytes = segment.bytes;
    const auto aligned = [&](size_t place) {
      return (place + segment.alignment - 1) & ~(segment.alignment - 1);
    };
    for (size_t at = 0; bytes.size() - at >= sizeof(ElfW(Nhdr));) {
      ElfW(Nhdr) header;
      std::memcpy(&header, bytes.data() + at, sizeof header);
      const size_t name_at = at + sizeof header;
      if (!lies_within(name_at, header.n_namesz, bytes.size())) break;
      const size_t contents_at = aligned(name_at + header.n_namesz);
      if (!lies_within(contents_at, header.n_descsz, bytes.size())) break;
      std::string_view its_name = bytes.substr(name_at, header.n_namesz);
      if (its_name.ends_with('\0')) its_name.remove_suffix(1);
      if (its_name == name && header.n_type == type)
        return bytes.substr(contents_at, header.n_descsz);
      at = aligned(contents_at + header.n_descsz);
      if (at > bytes.size()) break;
    }
  }
  return std::nullopt;
}

std::string Notes::build_id() const {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string digits;
  for (const char byte : find("GNU", NT_GNU_BUILD_ID).value_or("")) {
    digits += kDigits[static_cast<unsigned char>(byte) >> 4];
    digits += kDigits[static_cast<unsigned char>(byte) & 15];
  }
  return digits;
}

}  // namespace hs::loader
