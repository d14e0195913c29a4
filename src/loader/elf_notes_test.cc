// SPDX-License-Identifier: GPL-2.0-only
#include "loader/elf_notes.h"

#include <gnu/libc-version.h>
#include <gtest/gtest.h>
#include <link.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>

namespace hs::loader {
namespace {

class ElfNotes : public testing::Test {
 protected:
  ElfNotes() : folder_(std::filesystem::path(testing::TempDir()) / "elf_notes_XXXXXX") {
    std::string name = folder_.string();
    EXPECT_NE(::mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  ~ElfNotes() override { std::filesystem::remove_all(folder_); }

  std::string path(const std::string& name) const { return folder_ / name; }
  std::string write(const std::string& bytes) const {
    std::ofstream(path("file"), std::ios::binary) << bytes;
    return path("file");
  }

  std::filesystem::path folder_;
  std::string why_;
};

std::string small_library() {
  std::ifstream file(HS_SMALL_LIBRARY, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST_F(ElfNotes, AreReadFromAFile) {
  const auto notes = Notes::of_file(HS_SMALL_LIBRARY, &why_);
  ASSERT_TRUE(notes) << why_;
  EXPECT_EQ(notes->find("test", 7), "four" + std::string(1, '\0'));
  EXPECT_EQ(notes->find("test", 8), std::nullopt);
  EXPECT_EQ(notes->find("tes", 7), std::nullopt);
  EXPECT_EQ(notes->build_id().size() % 2, 0U);
  EXPECT_GE(notes->build_id().size(), 16U);
}

TEST_F(ElfNotes, OfWhatIsLoadedAreThoseOfItsFile) {
  const auto file = Notes::of_file("/proc/self/exe", &why_);
  const auto loaded = Notes::of_loaded(reinterpret_cast<const void*>(&small_library));
  ASSERT_TRUE(file) << why_;
  ASSERT_TRUE(loaded);
  EXPECT_NE(file->build_id(), "");
  EXPECT_EQ(file->build_id(), loaded->build_id());
  // Another object of this process has others: the C library, by a function that the sanitizers leave to it.
  const auto other = Notes::of_loaded(reinterpret_cast<const void*>(&::gnu_get_libc_version));
  ASSERT_TRUE(other);
  EXPECT_NE(other->build_id(), loaded->build_id());
  int on_the_stack = 0;
  EXPECT_FALSE(Notes::of_loaded(&on_the_stack));
}

TEST_F(ElfNotes, AFileForAnotherArchitectureIsRefusedAsSuch) {
  for (const size_t place :
       {offsetof(ElfW(Ehdr), e_ident) + EI_CLASS, offsetof(ElfW(Ehdr), e_ident) + EI_DATA,
        offsetof(ElfW(Ehdr), e_machine)}) {
    std::string other = small_library();
    other[place] = static_cast<char>(other[place] ^ 3);
    EXPECT_FALSE(Notes::of_file(write(other), &why_));
    EXPECT_EQ(why_, path("file") + " is a library for another architecture") << place;
  }
}

TEST_F(ElfNotes, AFileThatWasCutShortIsRefusedWhereverItWasCut) {
  const std::string whole = small_library();
  ASSERT_TRUE(Notes::of_file(write(whole), &why_)) << why_;
  std::string said;
  for (size_t size = 0; size < whole.size(); size += size < 1024 ? 1 : 97) {
    EXPECT_FALSE(Notes::of_file(write(whole.substr(0, size)), &said)) << size;
    EXPECT_EQ(said, path("file") + " is no complete library") << size;
  }
  EXPECT_FALSE(Notes::of_file(write(whole.substr(0, whole.size() - 1)), &said));
}

TEST_F(ElfNotes, WhateverAFileHasItIsReadOrRefused) {
  const std::string whole = small_library();
  std::mt19937 random(1);
  int refused = 0;
  for (int round = 0; round < 2000; ++round) {
    std::string bytes = whole;
    for (int change = 0; change < 4; ++change)
      bytes[random() % 1024] = static_cast<char>(random() % 256);
    const auto notes = Notes::of_file(write(bytes), &why_);
    if (!notes) ++refused;
    if (notes) (void)notes->build_id();
  }
  EXPECT_GT(refused, 0);
}

TEST_F(ElfNotes, WhatIsNoFileIsRefusedWithoutWaiting) {
  EXPECT_FALSE(Notes::of_file(path("none"), &why_));
  EXPECT_EQ(why_, path("none") + " cannot be read: No such file or directory");
  ASSERT_EQ(::mkfifo(path("fifo").c_str(), 0600), 0);
  EXPECT_FALSE(Notes::of_file(path("fifo"), &why_));
  EXPECT_EQ(why_, path("fifo") + " is no file");
  EXPECT_FALSE(Notes::of_file(folder_, &why_));
  EXPECT_EQ(why_, folder_.string() + " is no file");
  EXPECT_FALSE(Notes::of_file("/dev/zero", &why_));
  EXPECT_EQ(why_, "/dev/zero is no file");
}

TEST_F(ElfNotes, AFileThatMayNotBeReadIsRefused) {
  const std::string file = write(small_library());
  std::filesystem::permissions(file, std::filesystem::perms::none);
  std::filesystem::permissions(folder_, std::filesystem::perms(0755));
  const bool is_root = ::geteuid() == 0;
  ASSERT_EQ(is_root ? ::seteuid(65534) : 0, 0);
  const bool read = Notes::of_file(file, &why_).has_value();
  ASSERT_EQ(is_root ? ::seteuid(0) : 0, 0);
  EXPECT_FALSE(read);
  EXPECT_EQ(why_, file + " cannot be read: Permission denied");
}

}  // namespace
}  // namespace hs::loader
