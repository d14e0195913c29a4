// The C++ client without a server: values, rows, and what is refused before anything is sent. What it
// does with a server is in clients/acceptance.
#include <gtest/gtest.h>

#include <cmath>
#include <handlersocket2.hpp>

namespace {

std::string sent(const hs::Value& value) {
  hs::detail::Digits digits;
  const hs_value one = hs::detail::encode(value, &digits);
  return one.data != nullptr ? std::string(one.data, one.len) : "NULL";
}

hs::Value read(const char* text, const char* type, bool is_unsigned = false, bool raw = false) {
  return hs::detail::decode(hs_text(text), {"c", hs_kind_of(type), is_unsigned, 1}, raw);
}

TEST(Values, AreSentAsTheirShortestText) {
  EXPECT_EQ(sent({}), "NULL");
  EXPECT_EQ(sent(true), "1");
  EXPECT_EQ(sent(-5), "-5");
  EXPECT_EQ(sent(UINT64_MAX), "18446744073709551615");
  EXPECT_EQ(sent(0.1), "0.1");
  EXPECT_EQ(sent(1.0 / 3), "0.3333333333333333");
  EXPECT_EQ(sent(""), "");
  EXPECT_EQ(sent(hs::Bytes{std::string("\0x", 2)}), std::string("\0x", 2));
  EXPECT_THROW(sent(std::nan("")), hs::ValueError);
  EXPECT_THROW(sent(HUGE_VAL), hs::ValueError);
}

TEST(Values, HaveTheTypeOfTheirColumn) {
  EXPECT_EQ(read("-5", "int(11)"), hs::Value(-5));
  EXPECT_EQ(read("5", "int(10) unsigned", true), hs::Value(std::uint64_t{5}));
  EXPECT_EQ(read("18446744073709551615", "bigint(20) unsigned", true), hs::Value(UINT64_MAX));
  EXPECT_EQ(read("1.5", "double"), hs::Value(1.5));
  EXPECT_EQ(read("1.50", "decimal(5,2)"), hs::Value("1.50"));
  EXPECT_EQ(read("x", "varbinary(3)"), hs::Value(hs::Bytes{"x"}));
  EXPECT_EQ(read("5", "int(11)", false, true), hs::Value(hs::Bytes{"5"}));
  EXPECT_EQ(read(nullptr, "int(11)"), hs::Value());
  EXPECT_THROW(read("x", "int(11)"), hs::ValueError);
  EXPECT_THROW(read("1e", "double"), hs::ValueError);
}

TEST(Values, AreReadAsWhatTheProgramWantsOrNotAtAll) {
  const hs::Row row = {{"i", -5}, {"u", UINT64_MAX}, {"t", "x"}, {"none", {}}};
  EXPECT_EQ(row.get<int>("i"), -5);
  EXPECT_EQ(row.get<std::uint64_t>("u"), UINT64_MAX);
  EXPECT_EQ(row.get<std::string>("t"), "x");
  EXPECT_TRUE(hs::is_null(row.at("none")));
  EXPECT_THROW(row.get<unsigned>("i"), hs::ValueError);
  EXPECT_THROW(row.get<std::int64_t>("u"), hs::ValueError);
  EXPECT_THROW(row.get<std::int8_t>("u"), hs::ValueError);
  EXPECT_THROW(row.get<double>("t"), hs::ValueError);
  EXPECT_THROW(row.get<std::string>("none"), hs::ValueError);
  EXPECT_THROW(row.get<int>("nosuch"), std::out_of_range);
  EXPECT_EQ(row.get<double>("i"), -5.0);
  EXPECT_THROW(row.get<double>("u"), hs::ValueError);  // it would be another number
  EXPECT_THROW(row.get<bool>("i"), hs::ValueError);
  const hs::Row flags = {
      {"no", std::int64_t{0}}, {"yes", std::uint64_t{1}}, {"two", std::int64_t{2}}};
  EXPECT_FALSE(flags.get<bool>("no"));
  EXPECT_TRUE(flags.get<bool>("yes"));
  EXPECT_THROW(flags.get<bool>("two"), hs::ValueError);
}

TEST(Rows, KeepTheirOrderAndAreEqualInAny) {
  hs::Row row = {{"b", 1}, {"a", 2}};
  row["c"] = "x";
  row["b"] = 3;
  std::string names;
  for (const auto& [name, value] : row) names += name;
  EXPECT_EQ(names, "bac");
  EXPECT_EQ(row, (hs::Row{{"a", 2}, {"b", 3}, {"c", "x"}}));
  EXPECT_NE(row, (hs::Row{{"a", 2}, {"b", 3}, {"d", "x"}}));
}

TEST(Client, NamesAWrongOption) {
  EXPECT_THROW(hs::Client("hs://h?no=1"), hs::ConfigurationError);
  EXPECT_THROW(hs::Client(hs::Options{{"no", "1"}}), hs::ConfigurationError);
  EXPECT_THROW(hs::Client(std::string("hs://h\0x", 8)), hs::ValueError);
  EXPECT_NO_THROW(hs::Client(hs::Options{{"host", "::1"}, {"password", "a&b=%"}, {"user", "é"}}));
}

TEST(Errors, TellWhatTheServersTextMeans) {
  hs_error error = {HS_DUPLICATE_KEY, 1, 0, 0, "121"};
  EXPECT_STREQ(hs::Error(error).what(), "121 (code 1): a row with this key is there already");
  error = {HS_CONNECTION, 0, 0, 0, "121"};
  EXPECT_STREQ(hs::Error(error).what(), "121");
}

TEST(Client, RefusesNamesThatCannotBeSent) {
  const hs::Client client("hs://127.0.0.1:1/test");
  EXPECT_THROW(client.table("a\tb", {"c"}), hs::ValueError);
  EXPECT_THROW(client.table("t", {"a,b"}), hs::ValueError);
  EXPECT_THROW(client.table(std::string("t\0u", 3), {"c"}), hs::ValueError);
}

TEST(Pipeline, TellsThatItHasNotRun) {
  const hs::Client client("hs://127.0.0.1:1/test?retries=0");
  const hs::Table table = client.table("t", {"c"}, "PRIMARY", true);
  hs::Pipeline pipeline(client);
  const auto row = pipeline.get(table, {1});
  const auto wrong = pipeline.find(table, {"LIKE", {1}});
  EXPECT_THROW(row.get(), hs::ValueError);
  EXPECT_THROW(pipeline.run(), hs::ConnectionError);
  EXPECT_THROW(row.get(), hs::ConnectionError);
  EXPECT_THROW(wrong.get(), hs::ValueError);
}

TEST(Client, TellsItsHookOfCallsThatFail) {
  hs::Client client("hs://127.0.0.1:1/test?retries=0");
  std::vector<std::string> told;
  client.on_request([&](std::string_view kind, std::string_view table, double, const hs::Error* e) {
    told.push_back(std::string(kind) + " " + std::string(table) + " " + (e ? e->name() : ""));
    throw std::runtime_error("lost");
  });
  EXPECT_THROW(client.table("t", {"c"}, "PRIMARY", true).get({1}), hs::ConnectionError);
  EXPECT_EQ(told, std::vector<std::string>{"get test.t ConnectionError"});
}

}  // namespace
