#include "settings.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>

#include "option_file.h"
#include "rows.h"

namespace hs::tool {
namespace {

// A home of its own, without the environment's options.
class SettingsTest : public testing::Test {
 protected:
  SettingsTest() {
    std::string name = testing::TempDir() + "hs-XXXXXX";
    home_ = ::mkdtemp(name.data());
    for (const char* variable : {"HS_URL", "HS_PASSWORD", "HS_SECRET", "HS_OPTION_FILE"}) {
      ::unsetenv(variable);
    }
    ::setenv("HOME", home_.c_str(), 1);
  }
  ~SettingsTest() override { std::filesystem::remove_all(home_); }

  std::string file(const std::string& name, const std::string& text) {
    std::filesystem::create_directories(std::filesystem::path(home_ + "/" + name).parent_path());
    std::ofstream(home_ + "/" + name) << text;
    return home_ + "/" + name;
  }

  std::string home_;
};

TEST_F(SettingsTest, TheServersFilesIncludeOthers) {
  file("d/b.cnf", "[hs]\nport = 7\n");
  file("d/a.cnf", "[hs]\nport = 6\nwrite-port=8\n");
  file("d/c.txt", "[hs]\nport = 9\n");
  const std::string one = file("one.cnf", "[hs]\nhost='a#b' # x\npassword = \"q\\\"\\s\\\\\"\n");
  const std::string root = file("root.cnf", "# x\n; y\n[mysqld]\nport=1\n!include " + one +
                                                "\n!includedir " + home_ + "/d\n");
  const Settings settings = settings_of({}, {root, false});
  EXPECT_EQ(settings.options,
            (Options{{"host", "a#b"}, {"password", "q\" \\"}, {"port", "7"}, {"write_port", "8"}}));
}

TEST_F(SettingsTest, WhatIsWrongInAFileIsRefusedWithItsLine) {
  const auto refused = [this](const std::string& text, Rules rules) {
    try {
      (void)read_option_file(file("wrong.cnf", text), rules, true);
    } catch (const UsageError& error) {
      return std::string(error.what()).substr(home_.size());
    }
    return std::string();
  };
  for (const Rules rules : {Rules::server, Rules::client}) {
    EXPECT_EQ(refused("# x\n[hs]\nhost\n", rules), "/wrong.cnf, line 3: option host has no value");
    for (const char* before : {"host = a\n", "\xef\xbb\xbf[hs]\nhost = a\n"})
      EXPECT_EQ(refused(before, rules), "/wrong.cnf, line 1: a line stands before the first group");
    EXPECT_EQ(refused("[hs\nhost = a\n", rules), "/wrong.cnf, line 1: the group has no end");
    EXPECT_EQ(refused("[mysqld]\nskip-name-resolve\n", rules), "");
    EXPECT_THROW((void)read_option_file(home_, rules, true), FileError);
  }
  // Of the server's options the last one holds.
  EXPECT_EQ(refused("[hs]\nhost = a\nhost = b\n", Rules::client),
            "/wrong.cnf, line 3: option host is given twice");
  EXPECT_EQ(refused("[hs]\nhost = a\nhost = b\n", Rules::server), "");
}

TEST_F(SettingsTest, OfTheGroupForAllClientsThePortIsSqls) {
  const std::string path = file("x.cnf", "[client]\nuser=u\npassword=p\nport=3306\nsocket=/s\n");
  const Settings settings = settings_of({}, {path, false});
  EXPECT_EQ(settings.options, (Options{{"password", "p"}, {"user", "u"}}));
  EXPECT_EQ(settings.sql.at("port"), "3306");
}

// As for MariaDB's programs. What is empty elsewhere goes to the client, which refuses it.
TEST_F(SettingsTest, WhatIsEmptyInTheGroupForAllClientsIsAsNone) {
  const std::string path =
      file("x.cnf", "[client]\nuser=u\nhost=h\nssl_ca=\nuser=\n[hs]\ndatabase=\n");
  const Settings settings = settings_of({{"name", ""}}, {path, false});
  EXPECT_EQ(settings.options, (Options{{"database", ""}, {"host", "h"}, {"name", ""}}));
  EXPECT_EQ(url_of({{"host", ""}, {"user", ""}}), "hs://?host=&user=");
}

TEST_F(SettingsTest, WhatIsNearerWins) {
  file(".my.cnf", "[hs]\nhost=a\nport=1\nuser=a\ndatabase=a\n");
  file(".hs.cnf", "[hs]\nport = 2\nuser = b\ndatabase = b\npassword = \"x\"#\n");
  EXPECT_EQ(settings_of({}, {}).options.at("password"), "\"x\"#");
  ::setenv("HS_PASSWORD", "c", 1);
  ::setenv("HS_URL", "hs://c@/c", 1);
  EXPECT_EQ(settings_of({{"database", "d"}}, {}).options,
            (Options{{"database", "d"}, {"password", "c"}, {"user", "c"}}));
  ::unsetenv("HS_URL");
  EXPECT_EQ(
      settings_of({{"database", "d"}}, {}).options,
      (Options{{"database", "d"}, {"host", "a"}, {"password", "c"}, {"port", "2"}, {"user", "b"}}));
  ::setenv("HS_URL", "hs://c@/c", 1);
  EXPECT_EQ(settings_of({}, {"", true}).options,
            (Options{{"database", "c"}, {"password", "c"}, {"user", "c"}}));
}

TEST_F(SettingsTest, AUrlNamesTheWholePlaceAsForTheClients) {
  file(".my.cnf", "[client]\nhost=a\n[hs]\nport=1\nwrite_port=2\nsocket=/s\nwrite_socket=/w\n");
  EXPECT_EQ(settings_of({{"url", "hs://b"}}, {}).options, (Options{{"host", "b"}}));
  EXPECT_EQ(settings_of({{"url", "hs://"}, {"port", "3"}}, {}).options, (Options{{"port", "3"}}));
}

TEST_F(SettingsTest, TheClientsFileHasNamesAndValuesAsTheyStandThere) {
  const auto options = [this](const std::string& text) {
    file(".hs.cnf", text);
    return settings_of({}, {}).options;
  };
  EXPECT_EQ(options("[client]\nuser=u\n!include /nosuch\n[hs]\nhost = a\n"),
            (Options{{"host", "a"}}));
  EXPECT_THROW(options("[hs]\nwrite-port = 5\n"), UsageError);
  EXPECT_THROW(options("[hs]\n!include /nosuch\n"), UsageError);
  EXPECT_THROW(options("[hs] # x\nhost = a\n"), UsageError);
}

// As my_print_defaults of MariaDB reads them.
TEST_F(SettingsTest, TheServersFilesAreReadAsItsProgramsDo) {
  const auto host = [this](const std::string& text) {
    const auto options = settings_of({}, {file("x.cnf", text), false}).options;
    return options.count("host") > 0 ? options.at("host") : "";
  };
  EXPECT_EQ(host("[client \t]\nhost=a\n"), "a");
  EXPECT_EQ(host("[client] # x\nhost=a\n"), "a");
  EXPECT_EQ(host("[client]\nhost=a\n!include " + home_ + "/nosuch.cnf\n"), "a");
  EXPECT_EQ(host("! include " + file("e.cnf", "[client]\nhost=e\n") + "\n"), "e");
  file("folder/x.cnf/y", "");
  EXPECT_EQ(host("[client]\nhost=a\n!includedir " + home_ + "/folder\n"), "a");
  EXPECT_THROW(host("[client]\nhost=a\n!include\n"), UsageError);
  const std::string open = file("open.cnf", "[client]\nhost=b\n");
  EXPECT_EQ(host("[client]\nhost=a\n!include " + open + "\n"), "b");
  std::filesystem::permissions(open, std::filesystem::perms(0666));
  EXPECT_EQ(host("[client]\nhost=a\n!include " + open + "\n"), "a");
}

TEST_F(SettingsTest, MistakesInFilesAreTold) {
  EXPECT_THROW(settings_of({}, {home_ + "/none.cnf", false}), FileError);
  EXPECT_THROW(settings_of({}, {file("a.cnf", "[hs]\nprot=1\n"), false}), UsageError);
  EXPECT_THROW(settings_of({}, {file("b.cnf", "!frob x\n"), false}), UsageError);
  const std::string itself = file("c.cnf", "!include " + home_ + "/c.cnf\n");
  EXPECT_THROW(settings_of({}, {itself, false}), UsageError);
}

TEST_F(SettingsTest, AUrlSaysTheSameAsItsOptions) {
  const std::string url = "hs://a%40b:p%2F@[::1]:5/my%20db?write_port=6&tls=verify";
  const Options options = parse_url(url);
  EXPECT_EQ(options, (Options{{"database", "my db"},
                              {"host", "::1"},
                              {"password", "p/"},
                              {"port", "5"},
                              {"tls", "verify"},
                              {"user", "a@b"},
                              {"write_port", "6"}}));
  EXPECT_EQ(parse_url(url_of(options)), options);
  const Options socket = parse_url("hs+unix:///run/a%20b?write_socket=/c");
  EXPECT_EQ(socket, (Options{{"socket", "/run/a b"}, {"write_socket", "/c"}}));
  EXPECT_EQ(parse_url(url_of(socket)), socket);
  for (const char* wrong : {"http://x", "hs://x?frob=1", "hs://x?port=1&port=2", "hs://[::1",
                            "hs://x?tls", "hs://%zz", "hs+unix://x"}) {
    EXPECT_THROW(parse_url(wrong), UsageError) << wrong;
  }
}

}  // namespace
}  // namespace hs::tool
