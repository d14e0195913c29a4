#include "server/port_settings.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace hs::server {
namespace {

TEST(PortSecret, ComesFromTheVariableOrTheFileAndNeverFromBoth) {
  const std::filesystem::path file = std::filesystem::path(::testing::TempDir()) / "hs_port_secret";
  std::ofstream(file) << "of the file\n";
  std::filesystem::permissions(file, std::filesystem::perms::owner_read);
  PortSecret secret("handlersocket_plain_secret");
  std::string error;
  EXPECT_FALSE(secret.is_set() || secret.get().is_set());
  ASSERT_TRUE(secret.set(exec::Secret("of the variable"), &error)) << error;
  EXPECT_TRUE(secret.is_set());
  EXPECT_FALSE(secret.read(file, &error));
  EXPECT_EQ(error,
            "handlersocket_plain_secret and handlersocket_plain_secret_file are both set: only one "
            "of them can be");
  EXPECT_TRUE(secret.get().matches("of the variable"));
  ASSERT_TRUE(secret.set(std::nullopt, &error));
  ASSERT_TRUE(secret.read(file, &error)) << error;
  EXPECT_TRUE(secret.get().matches("of the file"));
  EXPECT_FALSE(secret.set(exec::Secret("again"), &error));
  EXPECT_FALSE(secret.read(file.string() + ".none", &error));
  EXPECT_NE(error.find("(handlersocket_plain_secret_file)"), std::string::npos) << error;
  EXPECT_TRUE(secret.get().matches("of the file")) << "a file that is no good changes nothing";
  secret.forget();
  EXPECT_FALSE(secret.is_set());
  std::filesystem::remove(file);
}

// The complaint; empty: there is none.
std::string complaint(Asks asks, const exec::Secret& secret) {
  exec::Authentication authentication;
  std::string error;
  const bool done =
      read_authentication("handlersocket_authentication", asks, secret, &authentication, &error);
  EXPECT_EQ(done, error.empty());
  EXPECT_EQ(authentication.account, asks == Asks::kAccount);
  return error;
}

TEST(Asks, ASecretIsSetExactlyWhereOneIsAskedFor) {
  const exec::Secret none, some("s");
  for (const Asks asks : {Asks::kAuto, Asks::kNone, Asks::kAccount})
    EXPECT_EQ(complaint(asks, none), "");
  for (const Asks asks : {Asks::kAuto, Asks::kSecret}) EXPECT_EQ(complaint(asks, some), "");
  EXPECT_EQ(complaint(Asks::kSecret, none),
            "handlersocket_authentication is secret, but no secret is set");
  EXPECT_EQ(complaint(Asks::kNone, some),
            "handlersocket_authentication is none, but a secret is set");
  EXPECT_EQ(complaint(Asks::kAccount, some),
            "handlersocket_authentication is account, but a secret is set");
}

TEST(SocketRights, AreThoseOfTheSettings) {
  net::SocketRights rights;
  std::string error;
  ASSERT_TRUE(read_socket_rights("0660", "0", &rights, &error)) << error;
  EXPECT_EQ(rights.mode, 0660U);
  EXPECT_EQ(rights.group, gid_t{0});
  EXPECT_FALSE(read_socket_rights("rw", "", &rights, &error));
  EXPECT_NE(error.find("(handlersocket_socket_mode)"), std::string::npos) << error;
  EXPECT_FALSE(read_socket_rights("0600", "no such group", &rights, &error));
  EXPECT_NE(error.find("(handlersocket_socket_group)"), std::string::npos) << error;
}

}  // namespace
}  // namespace hs::server
