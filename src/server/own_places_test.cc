#include "server/own_places.h"

#include <gtest/gtest.h>

#include <filesystem>

namespace hs::server {
namespace {

const OwnPlaces kPlaces{.addresses = "127.0.0.1, ::1",
                        .port = 3306,
                        .second_port = 3307,
                        .second_setting = "extra_port",
                        .socket = "/run/mysqld/mysqld.sock"};

// What is said of an endpoint; empty: it has a place of its own.
std::string complaint(const OwnPlaces& places, std::string_view address, std::string_view port) {
  Config config;
  EndpointConfig endpoint;
  endpoint.address = address;
  endpoint.port = port;
  endpoint.port_variable = "handlersocket_port";
  config.endpoints.push_back(endpoint);
  std::string error;
  const bool done = leaves(places, config, &error);
  EXPECT_EQ(done, error.empty());
  return error;
}

TEST(OwnPlaces, APortOfTheDatabaseIsRefusedWhereItListens) {
  EXPECT_EQ(complaint(kPlaces, "127.0.0.1", "3306"),
            "handlersocket_port is the server's own port, 3306: choose another one");
  EXPECT_EQ(complaint(kPlaces, "localhost", "3307"),
            "handlersocket_port is the server's own extra_port, 3307: choose another one");
  for (const char* every : {"", "*", "::", "0.0.0.0"})
    EXPECT_NE(complaint(kPlaces, every, "3306"), "") << every;
  EXPECT_EQ(complaint(kPlaces, "10.0.0.1", "3306"), "");
  EXPECT_EQ(complaint(kPlaces, "127.0.0.1", "9998"), "");
}

TEST(OwnPlaces, ADatabaseThatListensEverywhereOrNowhere) {
  OwnPlaces places = kPlaces;
  places.addresses = "";
  EXPECT_NE(complaint(places, "10.0.0.1", "3306"), "");
  places.addresses = "10.0.0.1,,";  // which it cannot use
  EXPECT_NE(complaint(places, "10.0.0.2", "3306"), "");
  places.port = places.second_port = 0;
  EXPECT_EQ(complaint(places, "10.0.0.1", "3306"), "");
  EXPECT_EQ(complaint(places, "10.0.0.1", "0"), "") << "0 closes an endpoint";
}

TEST(OwnPlaces, ASocketIsTheSameFileByAnotherName) {
  const std::filesystem::path folder =
      std::filesystem::path(::testing::TempDir()) / "hs_own_places";
  std::filesystem::create_directories(folder / "run");
  std::filesystem::remove(folder / "link");
  std::filesystem::create_directory_symlink(folder / "run", folder / "link");
  OwnPlaces places = kPlaces;
  const std::string socket = folder / "run/mysqld.sock";
  places.socket = socket;
  EXPECT_NE(complaint(places, kUnixSocket, (folder / "link/../link/mysqld.sock").string()), "");
  EXPECT_EQ(complaint(places, kUnixSocket, (folder / "run/other.sock").string()), "");
  places.socket = "";
  EXPECT_EQ(complaint(places, kUnixSocket, socket), "");
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace hs::server
