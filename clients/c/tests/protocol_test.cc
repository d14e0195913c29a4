// The protocol without sockets: what is encoded, and a reader that takes bytes in any pieces.
#include <gtest/gtest.h>

#include <clocale>
#include <cstring>
#include <string>
#include <vector>

extern "C" {
#include "protocol.h"
}

using namespace std::string_literals;

namespace {

std::string text_of(hs_buf* buf) {
  std::string result(buf->data, buf->len);
  hs_buf_free(buf);
  return result;
}

struct Reader : hs_reader {
  Reader() : hs_reader{} {}
  ~Reader() { hs_reader_free(this); }
  Reader(const Reader&) = delete;
  int feed(const std::string& data, hs_error* error = nullptr) {
    EXPECT_EQ(hs_buf_reserve(&bytes, data.size() + 1), 0);
    memcpy(bytes.data + bytes.len, data.data(), data.size());
    return hs_reader_took(this, data.size(), SIZE_MAX, error);
  }
  std::string all() const {
    std::string result;
    for (size_t i = 0; i < answer_count; i++) {
      result += std::to_string(answers[i].code) + "/" + std::to_string(answers[i].columns);
      for (size_t v = 0; v < answers[i].count; v++) {
        hs_value value = hs_reader_value(this, answers[i].first + v);
        result += value.data ? "[" + std::string(value.data, value.len) + "]" : "[NULL]";
      }
    }
    return result;
  }
};

const std::string stream = "0\t2\ta\x01I\t\0\n1\t1\t121\n0\t1\n0\t2\t\t\x01@x\n"s;

TEST(Reader, GivesTheSameForEveryCutOfTheBytes) {
  Reader whole;
  ASSERT_EQ(whole.feed(stream), 0);
  ASSERT_EQ(whole.answer_count, 4u);
  EXPECT_EQ(whole.all(), "0/2[a\t][NULL]1/1[121]0/10/2[][\0x]"s);
  for (size_t cut = 0; cut <= stream.size(); cut++) {
    Reader two;
    ASSERT_EQ(two.feed(stream.substr(0, cut)), 0);
    ASSERT_EQ(two.feed(stream.substr(cut)), 0);
    EXPECT_EQ(two.all(), whole.all()) << cut;
  }
  Reader single;
  for (char byte : stream) ASSERT_EQ(single.feed(std::string(1, byte)), 0);
  EXPECT_EQ(single.all(), whole.all());
}

TEST(Reader, RefusesWhatIsNoReply) {
  for (const char* bad :
       {"\n", "0\n", "x\t1\n", "0\t\n", "0\tx\n", "0\t2\ta\n", "0\t0\ta\n", "1\t2\ta\tb\n",
        "1\t1\n", "0\t1\t\x01\n", "0\t1\t\x01P\n", "-1\t1\n", "0 \t1\n"}) {
    Reader reader;
    hs_error error;
    EXPECT_EQ(reader.feed(bad, &error), -1) << bad;
    EXPECT_EQ(error.kind, HS_PROTOCOL);
  }
}

TEST(Reader, HasABoundForOneReply) {
  Reader reader;
  reader.max_reply = 11;  // with the LF
  EXPECT_EQ(reader.feed("0\t1\t123456"), 0);
  EXPECT_EQ(reader.feed("789"), -1);
}

TEST(Values, EveryByteComesBack) {
  std::string every;
  for (int i = 0; i < 256; i++) every += static_cast<char>(i);
  hs_buf buf = {};
  hs_buf_value(&buf, hs_bytes(every.data(), every.size()));
  Reader reader;
  ASSERT_EQ(reader.feed("0\t1" + text_of(&buf) + "\n"), 0);
  hs_value value = hs_reader_value(&reader, 0);
  EXPECT_EQ(std::string(value.data, value.len), every);
}

TEST(Values, NumbersAreReadWholeOrNotAtAll) {
  int64_t number = 0;
  uint64_t natural = 0;
  EXPECT_EQ(hs_value_int64(hs_text("-9223372036854775808"), &number), 0);
  EXPECT_EQ(number, INT64_MIN);
  EXPECT_EQ(hs_value_uint64(hs_text("18446744073709551615"), &natural), 0);
  EXPECT_EQ(natural, UINT64_MAX);
  for (const char* bad : {"", " 1", "1x", "9223372036854775808"})
    EXPECT_EQ(hs_value_int64(hs_text(bad), &number), -1) << bad;
  EXPECT_EQ(hs_value_int64(hs_null(), &number), -1);
  EXPECT_EQ(hs_value_uint64(hs_text("-1"), &natural), -1);
}

TEST(Values, NumbersAreTheirShortestText) {
  char buffer[HS_NUMBER];
  const std::pair<double, const char*> texts[] = {
      {0.1, "0.1"}, {1.0 / 3, "0.3333333333333333"}, {-2.5, "-2.5"}, {1e300, "1e+300"}, {5, "5"}};
  for (const auto& [number, text] : texts) {
    hs_value value = hs_double(number, buffer);
    EXPECT_EQ(std::string(value.data, value.len), text);
  }
  hs_value largest = hs_uint64(UINT64_MAX, buffer);
  EXPECT_EQ(std::string(largest.data, largest.len), "18446744073709551615");
}

TEST(Values, HaveNoInfinities) {
  double number = 0;
  EXPECT_EQ(hs_value_double(hs_text("-1.7976931348623157e308"), &number), 0);
  for (const char* none : {"inf", "-Infinity", "nan", "1e999", "0x1", " 1", "1 ", "", "-"})
    EXPECT_EQ(hs_value_double(hs_text(none), &number), -1) << none;
}

TEST(Values, DoNotDependOnTheLocale) {
  char buffer[HS_NUMBER];
  double number = 0;
  setlocale(LC_ALL, "de_DE.UTF-8");  // where the machine has it
  EXPECT_EQ(hs_value_double(hs_text("1.5"), &number), 0);
  EXPECT_EQ(number, 1.5);
  hs_value value = hs_double(1.5, buffer);
  EXPECT_EQ(std::string(value.data, value.len), "1.5");
  setlocale(LC_ALL, "C");
}

TEST(Errors, HaveTheClassOfTheirText) {
  hs_error error;
  hs_server_error(&error, 1, hs_text("access_denied 1142"));
  EXPECT_STREQ(hs_error_name(error.kind), "AccessDeniedError");
  EXPECT_EQ(error.number, 1142);
  hs_server_error(&error, 1, hs_text("sql_1264 Out of range"));
  EXPECT_EQ(error.kind, HS_CONSTRAINT);
  EXPECT_EQ(error.number, 1264);
  hs_server_error(&error, 2, hs_text("too_many_rows"));
  EXPECT_EQ(error.kind, HS_OVERLOADED);
  hs_server_error(&error, 2, hs_text("1210"));
  EXPECT_EQ(error.kind, HS_SERVER);
}

}  // namespace
