// The C++ client: values without a server, and tables against one where HS_TEST_READ_PORT names it.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <handlersocket2.hpp>

namespace {

using Int = std::int64_t;

std::string sent(const hs::Value& value) {
  hs::Encoded encoded({value});
  hs_value one = encoded.data()[0];
  return one.data != nullptr ? std::string(one.data, one.len) : "NULL";
}

TEST(Values, AreSentAsTheirShortestText) {
  EXPECT_EQ(sent({}), "NULL");
  EXPECT_EQ(sent(true), "1");
  EXPECT_EQ(sent(Int{-5}), "-5");
  EXPECT_EQ(sent(0.1), "0.1");
  EXPECT_EQ(sent(1.0 / 3), "0.3333333333333333");
  EXPECT_EQ(sent(std::string()), "");
  EXPECT_THROW(sent(std::nan("")), hs::ValueError);
  EXPECT_THROW(sent(HUGE_VAL), hs::ValueError);
}

TEST(Values, HaveTheTypeOfTheirColumn) {
  EXPECT_EQ(hs::decode(hs_text("5"), "int(11) unsigned"), hs::Value(Int{5}));
  EXPECT_EQ(hs::decode(hs_text("18446744073709551615"), "bigint(20) unsigned"),
            hs::Value(UINT64_MAX));
  EXPECT_EQ(hs::decode(hs_text("1.5"), "double"), hs::Value(1.5));
  EXPECT_EQ(hs::decode(hs_text("1.50"), "decimal(5,2)"), hs::Value("1.50"));
  EXPECT_EQ(hs::decode(hs_text("x"), "varbinary(3)"), hs::Value(hs::Bytes{"x"}));
  EXPECT_EQ(hs::decode(hs_null(), "int(11)"), hs::Value());
}

TEST(Client, NamesAWrongOption) { EXPECT_THROW(hs::Client("hs://h?no=1"), hs::ConfigurationError); }

std::string url() {
  const char *read = std::getenv("HS_TEST_READ_PORT"), *write = std::getenv("HS_TEST_WRITE_PORT");
  return read != nullptr && write != nullptr
             ? std::string("hs://127.0.0.1:") + read + "?write_port=" + write
             : "";
}

TEST(Server, RowsAreWrittenReadAndChanged) {
  if (url().empty()) GTEST_SKIP() << "no server";
  hs::Client client(url());
  client.ping();
  EXPECT_NE(client.features().find("count"), std::string::npos);
  hs::Table user = client.table("test.user", {"user_id", "user_name"});
  const hs::Key key{Int{900}}, other{Int{901}};
  user.erase(key);
  user.insert({{"user_id", Int{900}}, {"user_name", "a\tb"}});
  EXPECT_EQ(user.get(key)->at("user_name"), hs::Value("a\tb"));
  EXPECT_THROW(user.insert({{"user_id", Int{900}}}), hs::DuplicateKeyError);
  EXPECT_FALSE(user.insert_ignore({{"user_id", Int{900}}}));
  EXPECT_EQ(user.upsert({{"user_id", Int{900}}, {"user_name", "c"}}), "updated");
  EXPECT_TRUE(user.compare_and_set(key, {{"user_name", "c"}}, {{"user_name", "d"}}));
  EXPECT_FALSE(user.compare_and_set(key, {{"user_name", "c"}}, {{"user_name", "e"}}));
  EXPECT_EQ(user.replace({{"user_id", Int{900}}, {"user_name", {}}}), 1u);
  EXPECT_TRUE(user.exists(key));
  auto many = user.get_many({key, other, key});
  EXPECT_TRUE(many[0] && !many[1] && many[2]);
  EXPECT_EQ(client.table("test.user").get(key)->size(), 4u);
  {
    hs::Transaction transaction(client);
    EXPECT_EQ(transaction.in(user).erase(key), 1u);
  }
  EXPECT_TRUE(user.exists(key));
  hs::Transaction transaction(client);
  EXPECT_EQ(transaction.in(user).erase(key), 1u);
  transaction.commit();
  EXPECT_FALSE(user.exists(key));
  EXPECT_THROW(client.table("test.nosuch", {"x"}).get(key), hs::NotFoundError);
}

}  // namespace
