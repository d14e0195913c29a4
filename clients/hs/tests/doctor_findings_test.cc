#include "doctor_findings.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace hs::tool {
namespace {

// A server with the settings of the package, on which nothing is wrong.
Sight healthy() {
  Sight sight;
  sight.version = "10.11.18-MariaDB-0+deb12u1-log";
  sight.variables = {{"handlersocket_address", "127.0.0.1"},
                     {"handlersocket_port", "9998"},
                     {"handlersocket_port_wr", "9999"},
                     {"handlersocket_resp_port", "0"},
                     {"handlersocket_memcached_port", "0"},
                     {"handlersocket_authentication", "account"},
                     {"handlersocket_authentication_wr", "auto"},
                     {"handlersocket_max_connections", "20000"},
                     {"handlersocket_threads", "16"},
                     {"handlersocket_threads_wr", "0"},
                     {"socket", "/run/mysqld/mysqld.sock"},
                     {"datadir", "/var/lib/mysql/"},
                     {"open_files_limit", "65536"},
                     {"max_connections", "151"},
                     {"extra_max_connections", "1"},
                     {"table_open_cache", "2000"},
                     {"innodb_adaptive_hash_index", "ON"},
                     {"innodb_buffer_pool_size", "1073741824"},
                     {"log_bin", "ON"},
                     {"sync_binlog", "1"},
                     {"innodb_flush_log_at_trx_commit", "1"},
                     {"innodb_log_file_buffering", "ON"},
                     {"old_mode", "UTF8_IS_UTF8MB3,LOCK_ALTER_TABLE_COPY"}};
  sight.plugin = {"handlersocket2.so", "ACTIVE", "2.0.0"};
  sight.open_accounts.emplace();
  sight.installed = "1:10.11.18-0+deb12u1";
  sight.candidate = "1:10.11.18-0+deb12u1";
  sight.built_for = {"1:10.11.18-0+deb12u1"};
  return sight;
}

// What is not good, as "health area: text" without the numbers of the place.
std::vector<std::string> complaints(const Sight& sight) {
  std::vector<std::string> told;
  for (const Finding& finding : findings(sight)) {
    EXPECT_EQ(finding.remedy.empty(), finding.health == Health::good) << finding.text;
    if (finding.health == Health::good) continue;
    told.push_back((finding.health == Health::wrong ? "wrong " : "advice ") + finding.area);
  }
  return told;
}

using Told = std::vector<std::string>;

TEST(Doctor, AServerOnWhichNothingIsWrongIsGood) {
  EXPECT_EQ(complaints(healthy()), Told());
  EXPECT_EQ(findings(healthy()).size(), 9U);
}

TEST(Doctor, APluginThatIsMissingOrTheOriginalIsWrong) {
  Sight sight = healthy();
  sight.plugin->library = "handlersocket.so";
  EXPECT_EQ(complaints(sight), Told{"wrong plugin"});
  sight.plugin = {"handlersocket2.so", "DISABLED", "2.0.0"};
  EXPECT_EQ(complaints(sight), Told{"wrong plugin"});
  sight.plugin.reset();
  EXPECT_EQ(complaints(sight), Told{"wrong plugin"});
}

TEST(Doctor, ThePackagesPluginIsLoadedByThePackage) {
  Sight sight = healthy();
  sight.has_package = true;
  sight.plugin->library = "handlersocket.so";
  EXPECT_EQ(findings(sight)[0].remedy,
            "UNINSTALL SONAME 'handlersocket.so', then as root /usr/libexec/handlersocket2/plugin "
            "load /run/mysqld/mysqld.sock");
  sight.plugin.reset();
  EXPECT_EQ(complaints(sight), Told{"wrong plugin"});
}

TEST(Doctor, APluginWithoutItsTablesIsAdvice) {
  Sight sight = healthy();
  sight.has_tables = false;
  EXPECT_EQ(complaints(sight), Told{"advice plugin"});
  EXPECT_EQ(findings(sight)[1].remedy, "INSTALL SONAME 'handlersocket2_tables.so'");
  sight.is_mysql = true;
  EXPECT_EQ(findings(sight)[1].remedy, "INSTALL PLUGIN for each of them, as docs/servers.md tells");
  sight.has_package = true;
  EXPECT_EQ(findings(sight)[1].remedy,
            "as root, /usr/libexec/handlersocket2/plugin load /run/mysqld/mysqld.sock");
}

TEST(Doctor, OfSeveralServersOnAMachineItsRemediesAreForTheOneThatItLooksAt) {
  Sight sight = healthy();
  sight.has_package = true;
  sight.plugin.reset();
  sight.variables["socket"] = "/run/mysqld/second.sock";
  EXPECT_EQ(findings(sight)[0].remedy,
            "as root, /usr/libexec/handlersocket2/plugin load /run/mysqld/second.sock, which says "
            "what is in the way");
  sight.variables["socket"] = "it's.sock";
  EXPECT_NE(findings(sight)[0].remedy.find(" load '/var/lib/mysql/it'\\''s.sock', which"),
            std::string::npos);
  sight = healthy();
  sight.service = "mariadb@second.service";
  sight.variables["open_files_limit"] = "32768";
  const auto edits = [](const Finding& finding) {
    return finding.remedy.find("`systemctl edit mariadb@second.service`") != std::string::npos;
  };
  const std::vector<Finding> told = findings(sight);
  EXPECT_EQ(std::count_if(told.begin(), told.end(), edits), 1);
}

TEST(Doctor, AServerThatIsReadOnlyIsAdviceWhereAPortTakesChanges) {
  Sight sight = healthy();
  for (const char* off : {"OFF", "0"}) {
    sight.variables["read_only"] = off;
    EXPECT_EQ(complaints(sight), Told()) << off;
  }
  const auto told = [&]() -> std::string {
    for (const Finding& finding : findings(sight))
      if (finding.area == "read_only") return finding.text;
    return "";
  };
  for (const char* on : {"ON", "1", "NO_LOCK"}) {
    sight.variables["read_only"] = on;
    EXPECT_EQ(complaints(sight), Told{"advice read_only"}) << on;
  }
  EXPECT_EQ(told(),
            "read_only is on: each change of an account without READ ONLY ADMIN by a port that "
            "takes changes (write) is refused");
  sight.variables["handlersocket_authentication_wr"] = "none";
  sight.variables["handlersocket_resp_port"] = "6380";
  EXPECT_EQ(told(),
            "read_only is on: every change by a port that takes changes (write, Redis) is refused");
  sight.variables["handlersocket_resp_port"] = "0";
  sight.variables["handlersocket_port_wr"] = "";
  EXPECT_EQ(complaints(sight), Told()) << "as on a replica";
  sight.variables["handlersocket_socket_wr"] = "/run/hs_wr.sock";
  sight.is_mysql = true;
  sight.variables["handlersocket_authentication_wr"] = "account";
  EXPECT_NE(told().find("without CONNECTION_ADMIN"), std::string::npos);
  sight.variables["super_read_only"] = "ON";
  EXPECT_EQ(told(),
            "super_read_only is on: every change by a port that takes changes (write) is "
            "refused");
}

TEST(Doctor, APluginThatIsNotThereForTheServersVersionIsToBeBuilt) {
  Sight sight = healthy();
  sight.plugin.reset();
  EXPECT_EQ(findings(sight)[0].remedy.rfind("INSTALL SONAME", 0), 0U);
  sight.built_for = {"1:10.11.17-0+deb12u1"};
  EXPECT_NE(findings(sight)[0].remedy.find("build it"), std::string::npos);
}

// As Debian's package installs it: no name of a library in the server, and no variable that is MariaDB's.
TEST(Doctor, OfMysqlWhatMendsItIsSaidInItsOwnWords) {
  Sight sight = healthy();
  sight.is_mysql = true;
  sight.version = "9.7.4-2";
  sight.variables.erase("extra_max_connections");
  sight.variables.erase("innodb_log_file_buffering");
  sight.plugin = {"handlersocket2.so", "ACTIVE", "2.0"};
  sight.installed = sight.candidate = "9.7.4-2";
  sight.built_for = {"9.7.4"};
  EXPECT_EQ(complaints(sight), Told());
  EXPECT_EQ(findings(sight)[0].text, "HandlerSocket 2.0 runs in the server MySQL 9.7.4-2");
  sight.candidate = "9.7.5-1";
  EXPECT_EQ(complaints(sight), Told{"wrong upgrade"});
  EXPECT_EQ(findings(sight).back().remedy.rfind("before you upgrade build it", 0), 0U);
  sight.has_package = true;
  EXPECT_EQ(findings(sight).back().remedy, "as root, handlersocket2-build --mysql 9.7.5");
  sight.variables["open_files_limit"] = "10000";
  EXPECT_EQ(complaints(sight), (Told{"advice descriptors", "wrong upgrade"}));
}

TEST(Doctor, APluginThatMysqlHasRefusedIsToBeBuiltOrLoadedAtAStart) {
  Sight sight = healthy();
  sight.is_mysql = true;
  sight.version = "9.7.5-1";
  sight.plugin.reset();
  sight.built_for = {"9.7.4"};
  EXPECT_EQ(
      findings(sight)[0].remedy,
      "its library is not here for this version: build it, as docs/operations.md tells; then start "
      "the server again");
  sight.built_for->push_back("9.7.5");
  EXPECT_EQ(findings(sight)[0].remedy.rfind("start the server again", 0), 0U);
}

TEST(Doctor, APluginWithoutAnOpenPortSaysWhyAndWhatMendsIt) {
  Sight sight = healthy();
  const std::string opens = ", and then SET GLOBAL handlersocket_reload = 1 opens the ports";
  const std::string mends = "as root, handlersocket2-build makes one" + opens;
  sight.status["handlersocket_message"] = "no port is open: there is no library; " + mends;
  EXPECT_EQ(complaints(sight), Told{"wrong plugin"});
  EXPECT_EQ(findings(sight)[0].text,
            "in the server 10.11.18-MariaDB-0+deb12u1-log no port is open: there is no library");
  EXPECT_EQ(findings(sight)[0].remedy, mends);
  const std::string restarts = "a restart takes the new one, and that opens the ports";
  sight.status["handlersocket_message"] = "no port is open: the file has changed; " + restarts;
  EXPECT_EQ(findings(sight)[0].remedy, restarts);
  sight.status["handlersocket_message"] = "port 9998 on 127.0.0.1 is in use";
  EXPECT_EQ(complaints(sight), Told{"wrong plugin"});
  EXPECT_NE(findings(sight)[0].remedy.find("handlersocket_reload = 1"), std::string::npos);
}

TEST(Doctor, APortThatAsksForNothingIsAdviceOnThisMachineAndWrongBeyondIt) {
  Sight sight = healthy();
  sight.variables["handlersocket_authentication"] = "auto";
  EXPECT_EQ(complaints(sight), (Told{"advice exposure", "advice exposure"}));
  sight.variables["handlersocket_address"] = "127.0.0.1, 10.0.0.5";
  sight.variables["require_secure_transport"] = "ON";
  EXPECT_EQ(complaints(sight), (Told{"wrong exposure", "wrong exposure"}));
  sight.variables["handlersocket_address"] = "";
  EXPECT_EQ(complaints(sight), (Told{"wrong exposure", "wrong exposure"}));
  sight.variables["handlersocket_address"] = "/";
  sight.variables["handlersocket_port"] = "/run/hs.sock";
  sight.variables["handlersocket_port_wr"] = "";
  EXPECT_EQ(complaints(sight), Told{"advice exposure"});
}

TEST(Doctor, PortsOfOtherProtocolsAreExposedOnTheTermsOfTheWritePort) {
  Sight sight = healthy();
  sight.variables["handlersocket_resp_port"] = "6380";
  sight.variables["handlersocket_memcached_port"] = "11311";
  EXPECT_EQ(complaints(sight), Told());
  EXPECT_EQ(findings(sight)[3].text, "the Redis port (127.0.0.1:6380) asks for accounts");
  sight.variables["handlersocket_port_wr"] = "";
  sight.variables["handlersocket_authentication_wr"] = "none";
  EXPECT_EQ(complaints(sight), (Told{"advice exposure", "advice exposure"}));
  sight.variables["handlersocket_address"] = "";
  sight.variables["require_secure_transport"] = "ON";
  EXPECT_EQ(complaints(sight), (Told{"wrong exposure", "wrong exposure"}));
}

TEST(Doctor, APluginWhosePortsAreAllSwitchedOffIsAdvice) {
  Sight sight = healthy();
  sight.variables["handlersocket_port"] = "";
  sight.variables["handlersocket_port_wr"] = "";
  EXPECT_EQ(complaints(sight), Told{"advice plugin"});
  sight.variables["handlersocket_memcached_port"] = "11311";
  EXPECT_EQ(complaints(sight), Told());
}

TEST(Doctor, ASecretForOtherMachinesIsAdvice) {
  Sight sight = healthy();
  sight.variables["handlersocket_authentication"] = "auto";
  sight.variables["handlersocket_plain_secret_file"] = "/etc/mysql/secret";
  sight.variables["handlersocket_plain_secret_wr"] = "(hidden)";
  EXPECT_EQ(complaints(sight), Told());
  sight.variables["handlersocket_address"] = "0.0.0.0";
  sight.variables["require_secure_transport"] = "ON";
  EXPECT_EQ(complaints(sight), (Told{"advice exposure", "advice exposure"}));
}

TEST(Doctor, AWritePortWhoseSecretMayBeEmptyIsAdvice) {
  Sight sight = healthy();
  sight.variables["handlersocket_authentication"] = "auto";
  sight.variables["handlersocket_plain_secret"] = "(hidden)";
  EXPECT_EQ(complaints(sight), Told{"advice exposure"});
  sight.variables["handlersocket_authentication_wr"] = "secret";
  EXPECT_EQ(complaints(sight), Told());
}

TEST(Doctor, ValuesThatMayCrossTheNetworkInClearAreAdvice) {
  Sight sight = healthy();
  sight.variables["handlersocket_address"] = "10.0.0.5";
  sight.variables["require_secure_transport"] = "OFF";
  sight.variables["handlersocket_port_wr"] = "";
  EXPECT_EQ(complaints(sight), Told{"advice exposure"});
}

TEST(Doctor, WhatIsServedByAUnixSocketAloneIsTold) {
  Sight sight = healthy();
  sight.variables["handlersocket_port"] = "";
  sight.variables["handlersocket_socket"] = "/run/hs.sock";
  EXPECT_EQ(findings(sight)[1].text, "the read port (/run/hs.sock) asks for accounts");
  sight.variables["handlersocket_port"] = "9998";
  EXPECT_EQ(findings(sight)[1].text,
            "the read port (127.0.0.1:9998 and /run/hs.sock) asks for accounts");
}

TEST(Doctor, AnAccountWithoutAPasswordIsWrongWhereAccountsAreAskedFor) {
  Sight sight = healthy();
  sight.open_accounts = {{"'app'@'%'", "''@'localhost'"}};
  EXPECT_EQ(complaints(sight), (Told{"wrong accounts", "wrong accounts"}));
  sight.open_accounts.reset();
  EXPECT_EQ(complaints(sight), Told{"advice accounts"});
}

TEST(Doctor, TooFewDescriptorsAreAdvice) {
  Sight sight = healthy();
  sight.variables["open_files_limit"] = "32768";
  EXPECT_EQ(complaints(sight), Told{"advice descriptors"});
  sight.variables["handlersocket_port_wr"] = "";
  EXPECT_EQ(complaints(sight), Told());
  sight.variables["handlersocket_resp_port"] = "6380";
  EXPECT_EQ(complaints(sight), Told{"advice descriptors"});
  sight.variables["handlersocket_port"] = "";
  EXPECT_EQ(complaints(sight), Told()) << "ports that write share their connections";
  sight.variables["handlersocket_port"] = "9998";
  sight.variables["handlersocket_resp_port"] = "0";
  sight.status["handlersocket_connections_refused"] = "3";
  EXPECT_EQ(complaints(sight), Told{"advice descriptors"});
}

TEST(Doctor, SpeedIsTheHashIndexAndWhatIsNotInMemory) {
  Sight sight = healthy();
  sight.variables["innodb_adaptive_hash_index"] = "OFF";
  sight.status = {{"innodb_buffer_pool_read_requests", "1000000"},
                  {"innodb_buffer_pool_reads", "20000"}};
  EXPECT_EQ(complaints(sight), (Told{"advice speed", "advice speed"}));
  sight.status["innodb_buffer_pool_reads"] = "10000";
  EXPECT_EQ(complaints(sight), Told{"advice speed"});
}

TEST(Doctor, LogsThatAreNotSyncedAreAdvice) {
  Sight sight = healthy();
  sight.variables["sync_binlog"] = "0";
  EXPECT_EQ(complaints(sight), Told{"advice durability"});
  sight.variables["log_bin"] = "OFF";
  EXPECT_EQ(complaints(sight), Told());
  sight.variables["innodb_flush_log_at_trx_commit"] = "2";
  EXPECT_EQ(complaints(sight), Told{"advice durability"});
}

TEST(Doctor, AFaultOfTheServersRecoveryIsTold) {
  Sight sight = healthy();
  sight.variables["innodb_log_file_buffering"] = "OFF";
  EXPECT_EQ(complaints(sight), Told{"advice durability"});
  sight.candidate.reset();
  for (const char* version : {"10.11.17-MariaDB", "11.8.6-MariaDB", "9.7.0"}) {
    sight.version = version;
    EXPECT_EQ(complaints(sight), Told()) << version;
  }
  sight.version = "10.11.18-MariaDB";
  sight.variables.erase("innodb_log_file_buffering");
  EXPECT_EQ(complaints(sight), Told());
}

TEST(Doctor, AFaultOfTheServersAlterIsTold) {
  Sight sight = healthy();
  sight.variables["old_mode"] = "UTF8_IS_UTF8MB3";
  EXPECT_EQ(complaints(sight), Told());
  sight.version = "11.8.6-MariaDB";
  sight.candidate.reset();
  EXPECT_EQ(complaints(sight), Told{"advice durability"});
  sight.variables["log_bin"] = "OFF";
  EXPECT_EQ(complaints(sight), Told());
}

TEST(Doctor, AnUpgradeOfTheServerWithoutItsPluginIsWrong) {
  Sight sight = healthy();
  sight.candidate = "1:10.11.19-0+deb12u1";
  EXPECT_EQ(complaints(sight), Told{"wrong upgrade"});
  sight.built_for->push_back("1:10.11.19-0+deb12u1");
  EXPECT_EQ(complaints(sight), Told());
  sight.candidate = "1:10.11.9-0+deb12u1";
  EXPECT_EQ(complaints(sight), Told()) << "apt takes no older version";
  EXPECT_EQ(upstream_of("1:10.11.18-0+deb12u1"), "10.11.18");
  EXPECT_EQ(upstream_of("10.11.18-MariaDB-log"), "10.11.18");
  EXPECT_EQ(upstream_of("10.11.18"), "10.11.18");
  EXPECT_EQ(upstream_of("1:11.8.9+ds-0+deb13u1"), "11.8.9");
}

TEST(Doctor, AnotherBuildOfTheSameVersionIsToBeBuiltBehindTheUpgrade) {
  Sight sight = healthy();
  sight.candidate = "1:10.11.18-0+deb12u2";
  EXPECT_EQ(complaints(sight), Told{"advice upgrade"});
  EXPECT_EQ(findings(sight).back().remedy,
            "build it behind the upgrade, as docs/operations.md tells");
  sight.has_package = true;
  EXPECT_NE(findings(sight).back().remedy.find("ninja-build xz-utils, with which"),
            std::string::npos);
  sight.installed.reset();
  EXPECT_EQ(complaints(sight), Told()) << "the server is none of apt's";
}

}  // namespace
}  // namespace hs::tool
