#include "server/config.h"

#include <gtest/gtest.h>

namespace hs::server {
namespace {

// The addresses, separated by bars, or the error.
std::string split(std::string_view list) {
  std::vector<std::string> addresses;
  std::string error;
  if (!split_addresses(list, &addresses, &error)) return "error: " + error;
  std::string text;
  for (const std::string& address : addresses) text += (text.empty() ? "" : "|") + address;
  return text;
}

TEST(Addresses, AreSeparatedByCommasWithOrWithoutBlanks) {
  EXPECT_EQ(split("127.0.0.1"), "127.0.0.1");
  EXPECT_EQ(split("127.0.0.1,::1"), "127.0.0.1|::1");
  EXPECT_EQ(split(" 127.0.0.1 ,\tlocalhost , 10.0.0.7"), "127.0.0.1|localhost|10.0.0.7");
}

TEST(Addresses, NoneAndTheSlashStandAlone) {
  EXPECT_EQ(split(""), "");
  EXPECT_EQ(split("/"), "/");
  EXPECT_EQ(split("/,::1"),
            "error: the list of addresses '/,::1' has '/', which can only stand alone");
  EXPECT_EQ(split("::1,/"),
            "error: the list of addresses '::1,/' has '/', which can only stand alone");
  EXPECT_EQ(split("::1,"), "error: the list of addresses '::1,' has an empty one");
  EXPECT_EQ(split(",::1"), "error: the list of addresses ',::1' has an empty one");
}

TEST(WriteThreads, AreOneForEachEightCoresByDefault) {
  EXPECT_EQ(default_write_threads(0), 1u);  // not known
  EXPECT_EQ(default_write_threads(2), 1u);
  EXPECT_EQ(default_write_threads(15), 1u);
  EXPECT_EQ(default_write_threads(16), 2u);
  EXPECT_EQ(default_write_threads(128), 4u);
}

TEST(Addresses, AreListedOnce) {
  EXPECT_EQ(split("::1, ::1"), "error: the list of addresses '::1, ::1' has ::1 twice");
}

}  // namespace
}  // namespace hs::server
