// What is written can be read again, byte for byte, in every format of files.
#include "format.h"

#include <gtest/gtest.h>

#include "csv.h"
#include "json.h"
#include "tsv.h"

namespace hs::tool {
namespace {

Row awkward() {
  std::string all;
  for (int byte = 0; byte < 256; byte++) all += static_cast<char>(byte);
  return {all,  std::nullopt, "",   "\\N", "NULL", "null", "a,b", "\"",   "\"\"", " x ",
          "\n", "\r\n",       "\t", "\\",  "\\t",  "0",    "-0",  "1.50", "é日",  "\xff"};
}

Columns columns_of(const Row& row, Kind kind) {
  Columns columns;
  for (size_t i = 0; i < row.size(); i++) columns.push_back({"c" + std::to_string(i), kind});
  return columns;
}

TEST(Format, CsvReadsBackWhatItWrites) {
  std::string text;
  append_csv(text, awkward());
  ASSERT_EQ(text.back(), '\n');
  text.pop_back();
  EXPECT_EQ(parse_csv(text), awkward());
  EXPECT_EQ(parse_csv(""), Row{std::nullopt});
  EXPECT_EQ(parse_csv("\"\""), Row{""});
  EXPECT_EQ(parse_csv(",a,"), (Row{std::nullopt, "a", std::nullopt}));
}

TEST(Format, CsvRefusesStrayQuotes) {
  for (const char* record : {"a\"b", "\"a\"b", "\"a", "x,\"", "\"a\" ,b", "\"\"\""}) {
    EXPECT_THROW(parse_csv(record), BadRecord) << record;
  }
}

TEST(Format, ARecordOfCsvEndsOutsideOfQuotesOnly) {
  CsvEnd end;
  EXPECT_TRUE(end.ends("a,b\n"));
  EXPECT_FALSE(end.ends("a,\"b\n"));
  EXPECT_FALSE(end.ends("c\"\"\n"));
  EXPECT_TRUE(end.ends("d\",e\n"));
  EXPECT_TRUE(end.ends("5\" disk\n"));  // a stray quote takes no further line
}

TEST(Format, TsvReadsBackWhatItWrites) {
  std::string text;
  append_tsv(text, awkward());
  text.pop_back();
  EXPECT_EQ(text.find('\n'), std::string::npos);
  EXPECT_EQ(parse_tsv(text), awkward());
  EXPECT_EQ(parse_tsv("\\N"), Row{std::nullopt});
  EXPECT_EQ(parse_tsv("\\\\N\t\\x41"), (Row{"\\N", "A"}));
}

TEST(Format, TsvRefusesABackslashThatStandsForNothing) {
  for (const char* line : {"\\", "a\\q", "\\N2", "\\x4", "\\xzz"}) {
    EXPECT_THROW(parse_tsv(line), BadRecord) << line;
  }
}

TEST(Format, JsonReadsBackWhatItWritesForEveryKindOfColumn) {
  for (const Kind kind : {Kind::text, Kind::number, Kind::decimal, Kind::bytes}) {
    std::string text;
    append_json(text, columns_of(awkward(), kind), awkward());
    Row read;
    for (const Field& field : parse_json(text)) read.push_back(field.value);
    EXPECT_EQ(read, awkward()) << text;
  }
}

TEST(Format, JsonKeepsEveryDigit) {
  const auto value = [](const std::string& text) {
    return parse_json("{\"n\":" + text + "}").at(0).value;
  };
  for (const char* text : {"18446744073709551615", "-9223372036854775808", "1.10", "1e3",
                           "123456789012345678901234567890", "0.1000000000000000055"}) {
    EXPECT_EQ(value(text), text);
  }
  EXPECT_EQ(value("true"), "1");
  EXPECT_EQ(value("null"), std::nullopt);
  std::string written;
  append_json(written, {{"n", Kind::number}}, {"18446744073709551615"});
  EXPECT_EQ(written, "{\"n\":18446744073709551615}");
}

TEST(Format, JsonRefusesWhatIsNoRow) {
  for (const char* text :
       {"", "5", "[]", "{\"a\":[]}", "{\"a\":{}}", "{\"a\":{\"b\":1}}", "{\"a\":1,\"a\":2}",
        "{\"a\":1} x", "{\"a\":{\"base64\":\"?\"}}", "{\"a\":{\"base64\":\"QQ\"}}",
        "{\"a\":{\"base64\":5}}", "{\"a\":{\"base64\":\"\",\"base64\":\"\"}}", "{\"a\":"}) {
    EXPECT_THROW(parse_json(text), BadRecord) << text;
  }
}

TEST(Format, ATableAlignsNumbersAndObeysNoControlCharacter) {
  const Rows rows = {{{"id", Kind::number}, {"name"}},
                     {{"5", "a\x1b[31m\n"}, {"1000", std::nullopt}}};
  EXPECT_EQ(as_text({Format::table, true, false}, rows),
            "  id  name\n"
            "----  -----------\n"
            "   5  a\\x1b[31m\\n\n"
            "1000  NULL\n");
}

TEST(Format, EveryFormatHasAnEmptyForm) {
  const Rows none = {{{"id"}}, {}};
  EXPECT_EQ(as_text({Format::table}, none), "");
  EXPECT_EQ(as_text({Format::vertical}, none), "");
  EXPECT_EQ(as_text({Format::json}, none), "[]\n");
  EXPECT_EQ(as_text({Format::jsonl}, none), "");
  EXPECT_EQ(as_text({Format::csv}, none), "id\n");
  EXPECT_EQ(as_text({Format::tsv, false}, none), "");
}

}  // namespace
}  // namespace hs::tool
