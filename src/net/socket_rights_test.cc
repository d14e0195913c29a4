#include "net/socket_rights.h"

#include <grp.h>
#include <gtest/gtest.h>
#include <unistd.h>

namespace hs::net {
namespace {

TEST(SocketRights, AModeIsOneToFourOctalDigits) {
  const std::pair<const char*, mode_t> modes[] = {{"0660", 0660}, {"660", 0660}, {"0600", 0600},
                                                  {"0777", 0777}, {"2", 02},     {"0020", 020},
                                                  {"622", 0622},  {"0200", 0200}};
  for (const auto& [text, expected] : modes) {
    mode_t mode = 0;
    std::string error;
    EXPECT_TRUE(parse_socket_mode(text, &mode, &error)) << text << ": " << error;
    EXPECT_EQ(mode, expected) << text;
  }
}

TEST(SocketRights, WhatIsNoModeIsRefused) {
  for (const std::string text : {"", "0", "0888", "00660", "1777", "1660", "4755", "-660", "+660",
                                 " 660", "660 ", "0x1b0", "u=rw", "432x", "77777777777777777777"}) {
    mode_t mode = 0123;
    std::string error;
    EXPECT_FALSE(parse_socket_mode(text, &mode, &error)) << text;
    EXPECT_EQ(mode, 0123u);
    if (text != "0") {
      EXPECT_EQ(error,
                "'" + text + "' is no mode of a socket, which is an octal number up to 0777");
    }
  }
}

TEST(SocketRights, AModeThatLetsNoClientConnectIsRefused) {
  for (const std::string text : {"0", "0000", "0444", "555"}) {
    mode_t mode = 0;
    std::string error;
    EXPECT_FALSE(parse_socket_mode(text, &mode, &error)) << text;
    EXPECT_EQ(error,
              "with the mode " + text + " no client could connect, which takes the right to write");
  }
}

TEST(SocketRights, AGroupIsANumberOrAName) {
  gid_t number = 0;
  std::string error;
  EXPECT_TRUE(find_group("54321", &number, &error));
  EXPECT_EQ(number, 54321u);
  EXPECT_TRUE(find_group("4294967294", &number, &error));
  EXPECT_EQ(number, 4294967294u);
  const group* const root = ::getgrgid(0);
  if (root == nullptr) GTEST_SKIP() << "no group has the number 0";
  number = 1;
  EXPECT_TRUE(find_group(root->gr_name, &number, &error)) << error;
  EXPECT_EQ(number, 0u);
}

TEST(SocketRights, AGroupThatIsNotThereIsRefused) {
  gid_t number = 7;
  std::string error;
  EXPECT_FALSE(find_group("no such group", &number, &error));
  EXPECT_EQ(error, "there is no group 'no such group'");
  for (const std::string large : {"4294967295", "4294967296", "99999999999999999999999"}) {
    EXPECT_FALSE(find_group(large, &number, &error));
    EXPECT_EQ(error, "the group " + large + " is larger than the number of any group");
  }
  EXPECT_FALSE(find_group("-1", &number, &error));
  EXPECT_EQ(error, "there is no group '-1'");
  EXPECT_EQ(number, 7u);
}

}  // namespace
}  // namespace hs::net
