// SPDX-License-Identifier: GPL-2.0-only
#include "loader/library_file.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>

namespace hs::loader {
namespace {

// The small library says that it is of this server (small_library.cc).
const Server kServer = {"MariaDB", "a restart", "a restart", 999918, "ab12"};
constexpr char kName[] = "handlersocket2-99.99.18.so";

class LibraryFiles : public testing::Test {
 protected:
  LibraryFiles() {
    std::string name = std::filesystem::path(testing::TempDir()) / "library_file_XXXXXX";
    EXPECT_NE(::mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  ~LibraryFiles() override {
    file_.close();
    std::filesystem::remove_all(folder_);
  }

  // Puts the small library there, with another note.
  void put(const std::function<void(seam::Note*)>& change, const char* name = kName) {
    std::ifstream from(HS_SMALL_LIBRARY, std::ios::binary);
    std::string bytes{std::istreambuf_iterator<char>(from), {}};
    const size_t place = bytes.find(std::string_view(seam::kNoteName, sizeof seam::kNoteName));
    ASSERT_NE(place, std::string::npos);
    change(reinterpret_cast<seam::Note*>(bytes.data() + place + sizeof seam::kNoteName));
    std::filesystem::remove(folder_ / name);
    std::ofstream(folder_ / name, std::ios::binary) << bytes;
  }
  // Why it is refused, without the folder.
  std::string refusal(const Server& server = kServer) {
    std::string why;
    EXPECT_FALSE(file_.open(folder_, server, &why));
    EXPECT_EQ(file_.get(), nullptr);
    const std::string prefix = folder_.string() + "/";
    for (size_t at; (at = why.find(prefix)) != std::string::npos;) why.erase(at, prefix.size());
    return why;
  }

  std::filesystem::path folder_;
  LibraryFile file_;
};

void as_it_is(seam::Note*) {}

TEST_F(LibraryFiles, ThatOfTheServerIsOpened) {
  put(as_it_is);
  std::string why;
  ASSERT_TRUE(file_.open(folder_, kServer, &why)) << why;
  ASSERT_NE(file_.get(), nullptr);
  EXPECT_EQ(file_.get()->status(seam::Status::requests), 42U);
  EXPECT_EQ(file_.path(), (folder_ / kName).string());
}

TEST_F(LibraryFiles, AMissingOneIsNamedAndThoseThatAreThere) {
  const std::string missing =
      "there is no " + std::string(kName) + " in " + folder_.string() + " for this server";
  EXPECT_EQ(refusal(), missing);
  put(as_it_is, "handlersocket2-99.99.9.so");
  put(as_it_is, "handlersocket2-99.99.17.so");
  EXPECT_EQ(refusal(),
            missing + " (there is handlersocket2-99.99.17.so, handlersocket2-99.99.9.so)");
}

TEST_F(LibraryFiles, ALinkThatLeadsNowhereIsNotMissing) {
  std::filesystem::create_symlink("nothing", folder_ / kName);
  EXPECT_EQ(refusal(), std::string(kName) + " cannot be read: No such file or directory");
}

TEST_F(LibraryFiles, OneThatMayNotBeReadNeedsAnotherMode) {
  put(as_it_is);
  std::filesystem::permissions(folder_, std::filesystem::perms(0755));
  std::filesystem::permissions(folder_ / kName, std::filesystem::perms::none);
  const bool is_root = ::getuid() == 0;
  ASSERT_EQ(is_root ? ::setresuid(65534, 65534, 0) : 0, 0);
  const std::string why = refusal();
  ASSERT_EQ(is_root ? ::setresuid(0, 0, 0) : 0, 0);
  EXPECT_EQ(why, std::string(kName) + " cannot be read: Permission denied");
  EXPECT_EQ(file_.remedy(), LibraryFile::Remedy::kLetRead);
  std::filesystem::permissions(folder_ / kName, std::filesystem::perms(0644));
  std::string ignored;
  EXPECT_TRUE(file_.open(folder_, kServer, &ignored));
}

TEST_F(LibraryFiles, OneForAnotherServerIsRefused) {
  put([](seam::Note* note) { note->server_version = 999917; });
  EXPECT_EQ(refusal(), std::string(kName) +
                           " was built for MariaDB 99.99.17, this server is MariaDB 99.99.18");
  put([](seam::Note* note) { note->server_build_id[0] = 'c'; });
  EXPECT_EQ(refusal(), std::string(kName) +
                           " was built for another build of MariaDB 99.99.18 (build ID cb12, the "
                           "server's is ab12)");
  put(as_it_is);
  EXPECT_EQ(refusal({"MariaDB", "a restart", "a restart", kServer.version, ""}),
            "this server's program has no build ID, so that " + std::string(kName) +
                " may be for another one");
}

TEST_F(LibraryFiles, OneOfAnotherReleaseIsRefused) {
  const std::string other = ", and not of the same build as this plugin, HandlerSocket " HS_VERSION;
  put([](seam::Note* note) { ++note->seam; });
  EXPECT_EQ(refusal(), kName + std::string(" is of HandlerSocket " HS_VERSION) + other);
  put([](seam::Note* note) { note->release[0] = '9'; });
  EXPECT_EQ(refusal().substr(0, 50), kName + std::string(" is of HandlerSocket 9.0"));
}

TEST_F(LibraryFiles, OneWithoutANoteIsRefused) {
  std::filesystem::copy_file("/proc/self/exe", folder_ / kName);
  EXPECT_EQ(refusal(), std::string(kName) + " is no library of HandlerSocket 2");
}

TEST_F(LibraryFiles, OneThatWasReplacedWhileItWasLoadedIsNotTakenForTheNewOne) {
  put(as_it_is);
  LibraryFile before;
  std::string why;
  ASSERT_TRUE(before.open(folder_, kServer, &why)) << why;
  std::filesystem::remove(folder_ / kName);
  std::filesystem::copy_file(HS_OTHER_SMALL_LIBRARY, folder_ / kName);
  EXPECT_EQ(refusal(),
            std::string(kName) + " has changed, and the server still has the one before");
  EXPECT_EQ(file_.remedy(), LibraryFile::Remedy::kLetGo);
  before.close();
  EXPECT_TRUE(file_.open(folder_, kServer, &why)) << why;
  EXPECT_EQ(file_.remedy(), LibraryFile::Remedy::kMakeOne);
}

}  // namespace
}  // namespace hs::loader
