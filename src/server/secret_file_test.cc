#include "server/secret_file.h"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

namespace hs::server {
namespace {

using namespace std::string_literals;

class SecretFile : public ::testing::Test {
 protected:
  SecretFile() {
    char name[] = "/tmp/hs-secret-XXXXXX";
    directory_ = ::mkdtemp(name);
    path_ = directory_ + "/secret";
  }
  ~SecretFile() override { std::filesystem::remove_all(directory_); }

  void write(const std::string& bytes, mode_t mode = 0640) {
    std::ofstream(path_, std::ios::binary) << bytes;
    ::chmod(path_.c_str(), mode);
  }
  // Whether that secret is read from a file of these bytes.
  bool is_secret_of(const std::string& bytes, const std::string& wanted) {
    write(bytes);
    exec::Secret secret;
    std::string error;
    EXPECT_TRUE(read_secret_file(path_, &secret, &error)) << error;
    return secret.matches(wanted);
  }
  // What the error says of the file, without the words that every error has.
  std::string complaint() {
    exec::Secret secret = "as before";
    std::string error;
    EXPECT_FALSE(read_secret_file(path_, &secret, &error));
    EXPECT_TRUE(secret.matches("as before"));
    const std::string begin = "the file of the secret, " + path_ + ", ";
    EXPECT_EQ(error.substr(0, begin.size()), begin);
    return error.substr(begin.size());
  }

  std::string directory_;
  std::string path_;
};

TEST_F(SecretFile, IsItsFirstLineWithoutTheLineEnd) {
  EXPECT_TRUE(is_secret_of("open sesame\n", "open sesame"));
  EXPECT_TRUE(is_secret_of("open sesame", "open sesame"));
  EXPECT_TRUE(is_secret_of("open sesame\r\n", "open sesame"));
  EXPECT_TRUE(is_secret_of(" a\tb \nsecond line\n", " a\tb "));
  EXPECT_TRUE(is_secret_of("\xc3\xa4\xff\n", "\xc3\xa4\xff"));
}

TEST_F(SecretFile, ThatIsEmptyIsRefused) {
  for (const char* bytes : {"", "\n", "\r\n", "\nsecond line\n"}) {
    write(bytes);
    EXPECT_EQ(complaint(), "has an empty first line");
  }
}

TEST_F(SecretFile, WithNothingToBeSeenIsRefused) {
  for (const char* bytes : {" ", "\t \n", "\r", " \r\n", "\xef\xbb\xbf\n", "\xef\xbb\xbf \r\n"}) {
    write(bytes);
    EXPECT_EQ(complaint(), "has nothing but blanks in its first line");
  }
  EXPECT_TRUE(is_secret_of("\xef\xbb\xbfx\n", "\xef\xbb\xbfx"));
}

TEST_F(SecretFile, WithANulByteIsRefused) {
  write("sec\0ret\n"s);
  EXPECT_EQ(complaint(), "has a NUL byte in its first line");
}

TEST_F(SecretFile, AtTheLimitIsTakenAndOnePastIsRefused) {
  const std::string longest(kMaxSecret, 'x');
  EXPECT_TRUE(is_secret_of(longest, longest));
  EXPECT_TRUE(is_secret_of(longest + "\n", longest));
  EXPECT_TRUE(is_secret_of(longest + "\r\n", longest));
  for (const char* end : {"", "\n", "\r\n", "xxxxxxxxx"}) {
    write(longest + "x" + end);
    EXPECT_EQ(complaint(), "has a first line of more than 4096 bytes");
  }
}

TEST_F(SecretFile, ThatOthersCanReadOrWriteIsRefused) {
  for (const mode_t mode : {0644, 0604, 0602, 0666}) {
    write("secret\n", mode);
    EXPECT_EQ(complaint(), "can be read or written by every user: take that right away (chmod o=)");
  }
  for (const mode_t mode : {0600, 0400, 0640, 0660}) {
    write("secret\n", mode);
    exec::Secret secret;
    std::string error;
    EXPECT_TRUE(read_secret_file(path_, &secret, &error)) << error;
  }
}

TEST_F(SecretFile, ThatIsNotThereOrNoFileIsRefused) {
  EXPECT_EQ(complaint(), "cannot be read: No such file or directory");
  ASSERT_EQ(::mkfifo(path_.c_str(), 0600), 0);
  EXPECT_EQ(complaint(), "is no regular file");
  path_ = directory_;
  EXPECT_EQ(complaint(), "is no regular file");
}

}  // namespace
}  // namespace hs::server
