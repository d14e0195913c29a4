// The grammar, line by line: a line, and the Request that it is taken for (see request_text.h).
#include "protocol/handlersocket/parser.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/limits.h"
#include "testing/fixtures/guard_pages.h"
#include "testing/fixtures/request_text.h"

namespace hs::protocol::handlersocket {
namespace {

using namespace std::string_literals;

struct Case {
  std::string line;
  std::string request;
};

void expect(const std::vector<Case>& cases) {
  Parser parser;
  testing::GuardPages pages(1000);
  for (const Case& c : cases) {
    EXPECT_EQ(to_text(parser.parse(c.line)), c.request) << c.line;
    EXPECT_EQ(to_text(parser.parse(c.line)), c.request) << "a second time: " << c.line;
    testing::for_every_cut(pages, c.line, [&](std::string_view cut) {
      EXPECT_EQ(to_text(parser.parse(cut)), to_text(parser.parse(std::string(cut)))) << cut;
    });
  }
}

std::string repeated(std::string_view token, size_t times) {
  std::string line;
  line.reserve(token.size() * times);
  for (size_t i = 0; i < times; ++i) line += token;
  return line;
}

TEST(Parser, TakesNoOtherCommands) {
  for (const std::string line : {"", "\t", "\t1\t=", "X", "Q", "/", "p\t1", "PP\t1", "P1", "AA",
                                 "-1", "+1\t=\t1\tk", " 1\t=\t1\tk", "\r", "=", "\x01", "\0"}) {
    Parser parser;
    EXPECT_EQ(to_text(parser.parse(line)), "invalid error cmd at index id") << line;
  }
}

TEST(Parser, Open) {
  expect({
      {"P\t0\tdb\ttbl\tidx\ta,b", "open 0 'db' 'tbl' 'idx' 'a,b' ''"},
      {"P\t1\tdb\ttbl\tidx\ta\tb,c", "open 1 'db' 'tbl' 'idx' 'a' 'b,c'"},
      {"P\t1\tdb\ttbl\tidx\ta\tb\tmore\t\t", "open 1 'db' 'tbl' 'idx' 'a' 'b'"},
      {"P\t4294967295\tdb\ttbl\t\t", "open 4294967295 'db' 'tbl' '' '' ''"},
      {"P\t007\tdb\ttbl", "open 7 'db' 'tbl' '' '' ''"},
      {"P\t\tdb\ttbl", "open 0 'db' 'tbl' '' '' ''"},
      {"P", "open 0 '' '' '' '' ''"},
      {"P\t1", "open 1 '' '' '' '' ''"},
      {"P\t1\td\x01Ib\tt\x01\ti", "open 1 'd\\x01Ib' 't\\x01' 'i' '' ''"},
      {"P\t4294967296\td\tt", "open 0 'd' 't' '' '' '' error number at index id"},
      {"P\t-1\td\tt", "open 0 'd' 't' '' '' '' error number at index id"},
      {"P\t1 \td\tt", "open 0 'd' 't' '' '' '' error number at index id"},
  });
}

TEST(ParserTest, TransactionsHaveSteps) {
  expect({
      {"T\tB", "transaction begin"},
      {"T\tB\t", "transaction begin"},
      {"T\tB\tRU", "transaction begin RU"},
      {"T\tB\tRC", "transaction begin RC"},
      {"T\tB\tRR\tRO", "transaction begin RR RO"},
      {"T\tB\tSR\tRO\t", "transaction begin SR RO"},
      {"T\tB\tRO", "transaction begin RO"},
      {"T\tC", "transaction commit"},
      {"T\tR\t", "transaction rollback"},
      {"T\tS\ta b", "transaction savepoint 'a b'"},
      {"T\tU\ta\x01Ib\t", "transaction rollback to 'a\\x09b'"},
      {"T\tB\tRO\tRR", "transaction begin RO error fldnum at contents"},
      {"T\tB\tXX", "transaction begin error fldnum at contents"},
      {"T\tB\t\tRO", "transaction begin error fldnum at contents"},
      {"T\tC\tx", "transaction commit error fldnum at contents"},
      {"T\tS", "transaction savepoint '' error missing_value at contents"},
      {"T\tU\t", "transaction rollback to '' error missing_value at contents"},
      {"T\tS\ta\tb", "transaction savepoint 'a' error fldnum at contents"},
      {"T\tS\ta\x01P", "transaction savepoint '' error escape at contents"},
      {"T", "invalid error cmd at index id"},
      {"T\tX", "invalid error cmd at index id"},
      {"T\tBB", "invalid error cmd at index id"},
  });
}

TEST(ParserTest, DescribeNamesADatabaseATableOrItsIndexes) {
  expect({
      {"D", "describe '' ''"},
      {"D\t", "describe '' ''"},
      {"D\tdb", "describe 'db' ''"},
      {"D\tdb\t", "describe 'db' ''"},
      {"D\tdb\tt", "describe 'db' 't'"},
      {"D\tdb\tt\t", "describe 'db' 't'"},
      {"D\tdb\tt\tI", "describe 'db' 't' indexes"},
      {"D\tdb\tt\tI\t", "describe 'db' 't' indexes"},
      {"D\ta\x01Ib\tt\x01J", "describe 'a\\x09b' 't\\x0a'"},
      {"D\t\tt", "describe '' 't' error missing_value at contents"},
      {"D\tdb\t\tI", "describe 'db' '' indexes error missing_value at contents"},
      {"D\tdb\tt\tX", "describe 'db' 't' error fldnum at contents"},
      {"D\tdb\tt\tI\tX", "describe 'db' 't' indexes error fldnum at contents"},
      {"D\tdb\tt\t\tI", "describe 'db' 't' error fldnum at contents"},
      {"D\td\x01", "describe '' '' error escape at contents"},
      {"D?", "invalid error cmd at index id"},
  });
}

TEST(ParserTest, GtidIsAskedForOrAwaited) {
  expect({
      {"G\tL", "last gtid"},
      {"G\tL\t", "last gtid"},
      {"G\tL\tx", "last gtid error fldnum at contents"},
      {"G\tW\t0-1-7\t100", "await gtid '0-1-7' for 100"},
      {"G\tW\t0-1-7,1-2-3\t\t", "await gtid '0-1-7,1-2-3' for 0"},
      {"G\tW\t\x01I\t4294967295", "await gtid '\\x09' for 4294967295"},
      {std::string("G\tW\t\0\t1", 7), "await gtid NULL for 1"},
      {"G\tW\t0-1-7", "await gtid '0-1-7' for 0 error missing_value at contents"},
      {"G\tW", "await gtid '' for 0 error missing_value at contents"},
      {"G\tW\t0-1-7\t-1", "await gtid '0-1-7' for 0 error number at contents"},
      {"G\tW\t0-1-7\t1\tx", "await gtid '0-1-7' for 1 error fldnum at contents"},
      {"G", "last gtid error op at contents"},
      {"G\tl", "last gtid error op at contents"},
      {"GL", "invalid error cmd at index id"},
  });
}

TEST(Parser, Auth) {
  expect({
      {"A\t1\tsecret", "auth secret 'secret'"},
      {"A\t1\ts\x01@x\tmore", "auth secret 's\\x00x'"},
      {"A\t1\t", "auth secret ''"},
      {"A\t1", "auth secret ''"},
      {"H\t2", "hello ''"},
      {"H\t2\tphp 8.2", "hello 'php 8.2'"},
      {"H", "hello ''"},
      {"H\tx", "hello '' error number at contents"},
      {"A\t2\tada", "auth challenge ada ''"},
      {"A\t2\tada\tunix_socket", "auth challenge ada 'unix_socket'"},
      {"A\t3\t00ff", "auth response '00ff'"},
      {"A\t4\tada\tpass word", "auth password ada 'pass word'"},
      {"A\t4\tada", "auth password ada ''"},
      {"A\t5\tkey", "auth unknown 'key'"},
      {"A", "auth unknown ''"},
      {"A\t1\t\0"s, "auth secret '\\x00'"},
      {"A\t1\tx\x01", "auth secret '' error escape at contents"},
  });
}

TEST(Parser, FindOperators) {
  expect({
      {"0\t=\t1\tk", "find 0 = ['k'] limit 1 offset 0"},
      {"1\t>\t1\tk", "find 1 > ['k'] limit 1 offset 0"},
      {"2\t>=\t1\tk", "find 2 >= ['k'] limit 1 offset 0"},
      {"3\t<\t1\tk", "find 3 < ['k'] limit 1 offset 0"},
      {"4294967295\t<=\t1\tk", "find 4294967295 <= ['k'] limit 1 offset 0"},
      {"1\t=<\t1\tk", "find 1 =< ['k'] limit 1 offset 0"},
  });
  for (const std::string op : {"", "==", "!=", "=>", "=<=", "<=>", "=<\x01", "!", "<>", ">>", "<<",
                               "===", ">==", "U", "s", "SS", "++", "-", "P"}) {
    Parser parser;
    const Request request = parser.parse("1\t" + op + "\t1\tk");
    EXPECT_EQ(request.error, ErrorCode::kOperator) << op;
    EXPECT_EQ(request.error_stage, ErrorStage::kOperation) << op;
    EXPECT_EQ(request.index_id, 1u);
  }
  expect({{"1", "find 1 = [] limit 1 offset 0 error op at operation"},
          {"1\t", "find 1 = [] limit 1 offset 0 error op at operation"}});
}

TEST(Parser, FindKeys) {
  expect({
      {"1\t=\t3\ta\t\tc", "find 1 = ['a','','c'] limit 1 offset 0"},
      {"1\t=\t1\t", "find 1 = [''] limit 1 offset 0"},
      {"1\t=\t2\t\0\t\x01@"s, "find 1 = [NULL,'\\x00'] limit 1 offset 0"},
      {"1\t=\t2\t\0\0\t\0x"s, "find 1 = ['\\x00\\x00','\\x00x'] limit 1 offset 0"},
      {"1\t=\t2\ta\x01Ib\t\x01J\x01O", "find 1 = ['a\\x09b','\\x0a\\x0f'] limit 1 offset 0"},
      {"1\t=\t1\tk\r", "find 1 = ['k\\x0d'] limit 1 offset 0"},
      {"1\t=\t001\tk", "find 1 = ['k'] limit 1 offset 0"},
      {"1\t=\t1\t\xe3\x82\xb8", "find 1 = ['\\xe3\\x82\\xb8'] limit 1 offset 0"},
  });
}

TEST(Parser, FindLimitAndOffset) {
  expect({
      {"1\t=\t1\tk\t5", "find 1 = ['k'] limit 5 offset 0"},
      {"1\t=\t1\tk\t5\t2", "find 1 = ['k'] limit 5 offset 2"},
      {"1\t=\t1\tk\t0", "find 1 = ['k'] limit 1 offset 0"},
      {"1\t=\t1\tk\t0\t0", "find 1 = ['k'] limit 1 offset 0"},
      {"1\t=\t1\tk\t", "find 1 = ['k'] limit 1 offset 0"},
      {"1\t=\t1\tk\t5\t", "find 1 = ['k'] limit 5 offset 0"},
      {"1\t=\t1\tk\t\t3", "find 1 = ['k'] limit 1 offset 3"},
      {"1\t=\t1\tk\t5\t2\t", "find 1 = ['k'] limit 5 offset 2"},
      {"1\t=\t1\tk\t5\t2\t\tU\tx", "find 1 = ['k'] limit 5 offset 2"},
      {"1\t=\t1\tk\t4294967295\t4294967295", "find 1 = ['k'] limit 4294967295 offset 4294967295"},
  });
}

TEST(Parser, In) {
  expect({
      {"1\t=\t1\t\t9\t0\t@\t0\t3\ta\t\0\ta"s, "find 1 = [''] limit 9 offset 0 in 0 ['a',NULL,'a']"},
      {"1\t=\t2\ta\tb\t9\t0\t@\t1\t1\tx\t", "find 1 = ['a','b'] limit 9 offset 0 in 1 ['x']"},
      {"1\t=\t1\t\t9\t0\t@x\t7\t1\t\x01J", "find 1 = [''] limit 9 offset 0 in 7 ['\\x0a']"},
      {"1\t=\t1\t\t9\t0\t@@\t\t1\tx", "find 1 = [''] limit 9 offset 0 in 0 ['x']"},
      {"1\t=\t1\t\t9\t0\t@\t4294967295\t1\tx",
       "find 1 = [''] limit 9 offset 0 in 4294967295 ['x']"},
      {"1\t=\t1\t\t9\t0\t@\t0\t1\t", "find 1 = [''] limit 9 offset 0 in 0 ['']"},
  });
}

TEST(Parser, OptionsAreRecognisedOnlyBehindLimitAndOffset) {
  expect({
      {"1\t=\t1\tk\t@\t0\t1\tx",
       "modify 1 = ['k'] limit 1 offset 0 update [] error modop at modification"},
      {"1\t=\t1\tk\t1\tD", "find 1 = ['k'] limit 1 offset 0 error number at contents"},
  });
}

TEST(Parser, Filters) {
  const std::string find = "find 1 = ['k'] limit 9 offset 0 ";
  expect({
      {"1\t=\t1\tk\t9\t0\tF\t=\t0\tv", find + "F 0 = 'v'"},
      {"1\t=\t1\tk\t9\t0\tW\t!=\t1\tv\t", find + "W 1 != 'v'"},
      {"1\t=\t1\tk\t9\t0\tF\t>\t2\tv", find + "F 2 > 'v'"},
      {"1\t=\t1\tk\t9\t0\tF\t>=\t\tv", find + "F 0 >= 'v'"},
      {"1\t=\t1\tk\t9\t0\tF\t<\t4294967295\tv", find + "F 4294967295 < 'v'"},
      {"1\t=\t1\tk\t9\t0\tF\t<=\t0\t\0"s, find + "F 0 <= NULL"},
      {"1\t=\t1\tk\t9\t0\tF\t=\t0\t", find + "F 0 = ''"},
      {"1\t=\t1\tk\t9\t0\tF\t=\t0\t\x01I", find + "F 0 = '\\x09'"},
      {"1\t=\t1\tk\t9\t0\tF\t=\t0\ta\tW\t>\t1\tb\tF\t<\t2\tc",
       find + "F 0 = 'a' W 1 > 'b' F 2 < 'c'"},
      {"1\t=\t1\tk\t9\t0\t@\t0\t2\ta\tb\tF\t=\t0\tv", find + "in 0 ['a','b'] F 0 = 'v'"},
  });
}

TEST(Parser, AllOfAnIn) {
  expect({
      {"1\t=\t1\t\t9\t0\t&\t0\t2\ta\tb", "find 1 = [''] limit 9 offset 0 all in 0 ['a','b']"},
      {"1\t=\t1\t\t9\t0\t&\t0\t1\ta\tF\t=\t0\tf\tD",
       "modify 1 = [''] limit 9 offset 0 all in 0 ['a'] F 0 = 'f' delete []"},
      {"1\t=\t1\t\t9\t0\t&\t0\t0",
       "find 1 = [''] limit 9 offset 0 all in 0 [] error invalueslen at counts"},
      // Only the one character: what begins so is no form of the original.
      {"1\t=\t1\t\t9\t0\t&x\t0\t1\ta",
       "modify 1 = [''] limit 9 offset 0 update [] error modop at modification"},
      {"1\t=\t1\t\t9\t0\t@\t0\t1\ta\t&\t0\t1\ta",
       "modify 1 = [''] limit 9 offset 0 in 0 ['a'] update [] error modop at modification"},
      // Behind a row it has no meaning, as ever.
      {"1\t+\t1\tv\t9\t0\t&\t0\t0", "insert 1 ['v']"},
  });
}

TEST(Parser, Count) {
  const std::string count = "count 1 = ['k'] limit ";
  expect({
      {"1\t=\t1\tk\t1\t0\tC", count + "1 offset 0"},
      {"1\t=\t1\tk\t0\t0\tC", count + "0 offset 0"},
      {"1\t=\t1\tk\t\t\tC\t", count + "0 offset 0"},
      {"1\t=\t1\tk\t5\t7\tC", count + "5 offset 7"},
      {"1\t=\t1\tk\t0\t0\t&\t0\t1\ti\tW\t<\t0\tf\tC",
       count + "0 offset 0 all in 0 ['i'] W 0 < 'f'"},
      {"1\t=\t1\tk\t0\t0\tC\tx", count + "0 offset 0 error fldnum at contents"},
      {"1\t=\t1\tk\t0\t0\tC\t\t", count + "0 offset 0 error fldnum at contents"},
      {"1\t=\t1\tk\t0\tC", "find 1 = ['k'] limit 1 offset 0 error number at contents"},
      {"1\t=\t1\tk\t1\t0\tC?",
       "modify 1 = ['k'] limit 1 offset 0 update [] error modop at modification"},
      {"1\t+\t1\tv\t1\t0\tC", "insert 1 ['v']"},
  });
}

TEST(Parser, Modify) {
  const std::string modify = "modify 1 = ['k'] limit 1 offset 0 ";
  expect({
      {"1\t=\t1\tk\t1\t0\tU\ta\tb", modify + "update ['a','b']"},
      {"1\t=\t1\tk\t1\t0\tU", modify + "update []"},
      {"1\t=\t1\tk\t1\t0\tU\t", modify + "update ['']?"},
      {"1\t=\t1\tk\t1\t0\tU\ta\t", modify + "update ['a','']?"},
      {"1\t=\t1\tk\t1\t0\tU\t\0\t\x01@"s, modify + "update [NULL,'\\x00']"},
      {"1\t=\t1\tk\t1\t0\tD", modify + "delete []"},
      {"1\t=\t1\tk\t1\t0\tD\tx\t\x01", modify + "delete []"},
      {"1\t=\t1\tk\t1\t0\t+\t5\t-3", modify + "increment ['5','-3']"},
      {"1\t=\t1\tk\t1\t0\t-\t5", modify + "decrement ['5']"},
      {"1\t=\t1\tk\t1\t0\tU?\ta", modify + "update? ['a']"},
      {"1\t=\t1\tk\t1\t0\tD?", modify + "delete? []"},
      {"1\t=\t1\tk\t1\t0\t+?\t1", modify + "increment? ['1']"},
      {"1\t=\t1\tk\t1\t0\t-?\t1", modify + "decrement? ['1']"},
      {"1\t=\t1\tk\t1\t0\tUx\ta", modify + "update ['a']"},
      {"1\t=\t1\tk\t1\t0\tU??\ta", modify + "update? ['a']"},
      {"1\t=\t1\tk\t1\t0\tDD", modify + "delete []"},
      {"1\t>\t1\tk\t2\t3\t@\t0\t1\ti\tF\t=\t0\tf\tU?\tm",
       "modify 1 > ['k'] limit 2 offset 3 in 0 ['i'] F 0 = 'f' update? ['m']"},
  });
}

TEST(Parser, AnUnknownModificationIsAModifyWithAnError) {
  const std::string modify = "modify 1 = ['k'] limit 1 offset 0 ";
  for (const std::string& mop : {"X"s, "u"s, "d"s, "?"s, "*"s, "="s, "1"s, "\x01"s, "\0x"s}) {
    expect(
        {{"1\t=\t1\tk\t1\t0\t" + mop + "\ta", modify + "update [] error modop at modification"}});
  }
  // IN and filters in the wrong order are taken for an unknown modification, too.
  expect({{"1\t=\t1\tk\t1\t0\tF\t=\t0\tv\t@\t0\t1\tx",
           modify + "F 0 = 'v' update [] error modop at modification"},
          {"1\t=\t1\tk\t1\t0\t@\t0\t1\tx\t@\t0\t1\tx",
           modify + "in 0 ['x'] update [] error modop at modification"}});
}

TEST(Parser, Insert) {
  expect({
      {"1\t+\t2\ta\tb", "insert 1 ['a','b']"},
      {"1\t+\t1\t", "insert 1 ['']"},
      {"1\t+\t3\t\0\t\x01J\t"s, "insert 1 [NULL,'\\x0a','']"},
      {"1\t+\t1\ta\t", "insert 1 ['a']"},
      {"1\t+\t1\ta\t1\t0", "insert 1 ['a']"},
      {"1\t+\t1\ta\t1\t0\tU\tx\t\x01", "insert 1 ['a']"},
      {"1\t+\t1\ta\t1\t0\t@\t0\t0", "insert 1 ['a'] in 0 [] error invalueslen at counts"},
      {"1\t+\t1\ta\tb", "insert 1 ['a'] error number at contents"},
      {"1\t+\t0", "insert 1 [] error klen at operation"},
      {"1\t+", "insert 1 [] error klen at operation"},
      {"1\t+\t2\ta", "insert 1 ['a'] error missing_value at contents"},
  });
}

TEST(Parser, InsertOfRowsThatMayBeThereAlready) {
  expect({
      {"1\t+I\t2\ta\tb", "insert 1 ignore ['a','b']"},
      {"1\t+R\t1\ta", "insert 1 replace ['a']"},
      {"1\t+U\t2\ta\tb", "insert 1 update ['a','b']"},
      {"1\t+U\t2\ta\tb\t1\tc", "insert 1 update ['a','b'] with ['c']"},
      {"1\t+U\t1\ta\t2\t\0\t\x01J"s, "insert 1 update ['a'] with [NULL,'\\x0a']"},
      {"1\t+U\t1\ta\t0", "insert 1 update ['a'] with []"},
      {"1\t+U\t0", "insert 1 update [] error klen at operation"},
      {"1\t+U\t2\ta", "insert 1 update ['a'] error missing_value at contents"},
      {"1\t+U\t1\ta\t2\tb", "insert 1 update ['a'] with ['b'] error missing_value at contents"},
      {"1\t+U\t1\ta\tx", "insert 1 update ['a'] with [] error number at contents"},
      {"1\t+U\t1\ta\t-1\tb", "insert 1 update ['a'] with [] error number at contents"},
  });
}

TEST(Parser, OneEmptyTokenEndsAnInsertOfSuchRows) {
  expect({
      {"1\t+I\t1\ta\t", "insert 1 ignore ['a']"},
      {"1\t+I\t1\ta\t\t", "insert 1 ignore ['a'] error fldnum at contents"},
      {"1\t+R\t1\ta\tb", "insert 1 replace ['a'] error fldnum at contents"},
      {"1\t+R\t1\ta\t1\t0", "insert 1 replace ['a'] error fldnum at contents"},
      {"1\t+U\t1\ta\t", "insert 1 update ['a']"},
      {"1\t+U\t1\ta\t\t", "insert 1 update ['a'] with []"},
      {"1\t+U\t1\ta\t1\tb\t", "insert 1 update ['a'] with ['b']"},
      {"1\t+U\t1\ta\t1\tb\tc", "insert 1 update ['a'] with ['b'] error fldnum at contents"},
      {"1\t+U\t1\ta\t1\tb\t\t", "insert 1 update ['a'] with ['b'] error fldnum at contents"},
  });
}

TEST(Parser, TheRowsBeforeAndAfterAChange) {
  expect({
      {"1\t+!\t1\ta", "insert 1! ['a']"},
      {"1\t+I!\t1\ta", "insert 1 ignore! ['a']"},
      {"1\t+U!\t1\ta", "insert 1 update! ['a']"},
      {"1\t+R!\t1\ta", "insert 1 replace! ['a']"},
      {"1\t+I?\t1\ta", "insert 1 ignore? ['a']"},
      {"1\t+U?\t1\ta", "insert 1 update? ['a']"},
      {"1\t+R?\t1\ta", "insert 1 replace? ['a']"},
      {"1\t=\t1\tk\t1\t0\tU!\tx", "modify 1 = ['k'] limit 1 offset 0 update! ['x']"},
      {"1\t=\t1\tk\t1\t0\t+!\t1", "modify 1 = ['k'] limit 1 offset 0 increment! ['1']"},
      {"1\t=\t1\tk\t1\t0\t-!\t1", "modify 1 = ['k'] limit 1 offset 0 decrement! ['1']"},
      {"1\t=\t1\tk\t1\t0\tD!", "modify 1 = ['k'] limit 1 offset 0 delete []"},
  });
}

TEST(Parser, NoOtherFormIsAnInsert) {
  for (const std::string op : {"+?", "+i", "+u", "+II", "+IU", "+U?!", "+U??", "+!!", "+U!U", "+ ",
                               "+X", "I+", "U", "I", "R", "U!", "+\x01"}) {
    Parser parser;
    const std::string line = "1\t" + op + "\t1\ta";
    EXPECT_EQ(parser.parse(line).error, ErrorCode::kOperator) << op;
  }
}

TEST(Parser, TheKeyCount) {
  for (const std::string count :
       {"", "0", "00", "abc", "-3", " 1", "1 ", "2x", "+1", "1.5", "0x1"}) {
    Parser parser;
    const Request request = parser.parse("1\t=\t" + count + "\t");
    EXPECT_EQ(request.error, ErrorCode::kKeyLength) << count;
    EXPECT_EQ(request.error_stage, ErrorStage::kOperation) << count;
  }
  expect({
      {"1\t=", "find 1 = [] limit 1 offset 0 error klen at operation"},
      {"1\t=\t1", "find 1 = [] of 1 limit 1 offset 0 error missing_value at contents"},
      {"1\t=\t3\ta\tb", "find 1 = ['a','b'] of 3 limit 1 offset 0 error missing_value at contents"},
      {"1\t=\t1048576\ta",
       "find 1 = ['a'] of 1048576 limit 1 offset 0 error missing_value at contents"},
      {"1\t=\t1048577\ta", "find 1 = [] limit 1 offset 0 error fldnum at counts"},
      {"1\t=\t4294967295\ta", "find 1 = [] limit 1 offset 0 error fldnum at counts"},
      {"1\t=\t4294967296\ta", "find 1 = [] limit 1 offset 0 error fldnum at counts"},
      {"1\t=\t99999999999999999999999\ta", "find 1 = [] limit 1 offset 0 error fldnum at counts"},
  });
}

TEST(Parser, TheInCount) {
  const std::string head = "1\t=\t1\tk\t1\t0\t@\t0\t";
  const std::string find = "find 1 = ['k'] limit 1 offset 0 ";
  for (const std::string count : {"", "0", "abc", "-3", "2x"}) {
    expect({{head + count, find + "in 0 [] error invalueslen at counts"}});
  }
  expect({
      {"1\t=\t1\tk\t1\t0\t@", find + "in 0 [] error invalueslen at counts"},
      {head + "2\ta", find + "in 0 ['a'] error missing_value at contents"},
      {head + "1", find + "in 0 [] error missing_value at contents"},
      {head + "1048576\ta", find + "in 0 ['a'] error missing_value at contents"},
  });
  for (const std::string count : {"1048577", "4294967295", "4294967296"}) {
    Parser parser;
    EXPECT_EQ(parser.parse(head + count + "\ta").error, ErrorCode::kValueCount) << count;
  }
}

TEST(Parser, EveryOtherNumber) {
  for (const std::string bad :
       {"-1", "1x", "x", " 1", "1 ", "4294967296", "18446744073709551616"}) {
    for (const std::string before : {"1\t=\t1\tk\t", "1\t=\t1\tk\t1\t"}) {
      Parser parser;
      const Request request = parser.parse(before + bad);
      EXPECT_EQ(request.error, ErrorCode::kNumber) << before << bad;
      EXPECT_EQ(request.error_stage, ErrorStage::kContents) << before << bad;
    }
    Parser parser;
    EXPECT_EQ(parser.parse("1\t=\t1\tk\t1\t0\t@\t" + bad + "\t1\tx").error, ErrorCode::kNumber);
    EXPECT_EQ(parser.parse("1\t=\t1\tk\t1\t0\tF\t=\t" + bad + "\tx").error, ErrorCode::kNumber);
  }
  for (const std::string bad : {"1x", "1 ", "1-", "4294967296", "99999999999999999999", "1\r"}) {
    expect({{bad + "\t=\t1\tk", "find 0 = ['k'] limit 1 offset 0 error number at index id"}});
  }
}

TEST(Parser, BadEscapes) {
  const std::string find = "find 1 = ['k'] limit 1 offset 0 ";
  const std::string tail = " error escape at contents";
  for (const std::string bad :
       {"\x01", "a\x01", "\x01P", "\x01?", "\x01 x", "\x01\x01", "\x01\xff"}) {
    expect({
        {"1\t=\t2\t" + bad + "\tb", "find 1 = ['','b'] limit 1 offset 0" + tail},
        {"1\t+\t1\t" + bad, "insert 1 ['']" + tail},
        {"1\t=\t1\tk\t1\t0\t@\t0\t1\t" + bad, find + "in 0 ['']" + tail},
        {"1\t=\t1\tk\t1\t0\tF\t=\t0\t" + bad, find + "F 0 = ''" + tail},
        {"1\t=\t1\tk\t1\t0\tU\t" + bad, "modify 1 = ['k'] limit 1 offset 0 update ['']?" + tail},
    });
  }
}

TEST(Parser, NothingIsLeftOfAValueWithABadEscape) {
  Parser parser;
  const std::string secret = "open sesame";
  EXPECT_EQ(parser.parse("A\t1\t" + secret + "\x01?").error, ErrorCode::kEscape);
  // The next value is decoded where that one was.
  const std::string line = "A\t1\tx\x01\x40" + std::string(secret.size(), 'x');
  const Value next = parser.parse(line).auth_key;
  EXPECT_EQ(next.size, secret.size() + 2);
  parser.parse("A\t1\t" + secret + "\x01?");
  EXPECT_EQ(std::string(next.data, secret.size()), std::string(secret.size(), '\0'));
}

TEST(Parser, FilterErrors) {
  const std::string find = "find 1 = ['k'] limit 1 offset 0 ";
  const std::string head = "1\t=\t1\tk\t1\t0\t";
  expect({
      {head + "FF\t=\t0\tv", find + "F? 0 = 'v' error filtertype at filters"},
      {head + "Wx\t~\t0\tv", find + "W? 0 ? 'v' error filtertype at filters"},
      {head + "F\t~\t0\tv", find + "F 0 ? 'v' error op at contents"},
      {head + "F\t==\t0\tv", find + "F 0 ? 'v' error op at contents"},
      {head + "F\t<>\t0\tv", find + "F 0 ? 'v' error op at contents"},
      {head + "F\t\t0\tv", find + "F 0 ? 'v' error op at contents"},
      {head + "F", find + "F 0 ? '' error missing_value at contents"},
      {head + "F\t=", find + "F 0 = '' error missing_value at contents"},
      {head + "F\t=\t1", find + "F 1 = '' error missing_value at contents"},
  });
}

TEST(Parser, NotImplemented) {
  expect({{"1\tS\t1\tx", "find 1 = ['x'] limit 1 offset 0 error notimpl at operation"},
          {"1\tS\t0", "find 1 = [] limit 1 offset 0 error klen at operation"}});
}

TEST(Parser, OfSeveralErrorsTheFirstInTheOrderOfChecksIsReported) {
  const std::string full = "\t1\tk\t1\t0\t@\t0\t";
  const std::vector<std::pair<std::string, ErrorCode>> cases = {
      {"1x\t==\t0\t\t\t@\t0\t0\tFF", ErrorCode::kNumber},
      {"1\t==\t9999999\t\x01", ErrorCode::kValueCount},
      {"1\t==" + full + "0\tFF\t~\t0\tv\tX", ErrorCode::kInCount},
      {"1\t==" + full + "1\t\x01\tFF\t~\t0\tv\tX", ErrorCode::kFilterType},
      {"1\t==\t0", ErrorCode::kOperator},
      {"1\t==" + full + "1\t\x01\tF\t=\t0\tv\tX", ErrorCode::kOperator},
      {"1\t=\t0\t-1", ErrorCode::kKeyLength},
      {"1\t=" + full + "1\t\x01\tF\t~\t0\tv\tX", ErrorCode::kModifyOperator},
      {"1\t=" + full + "1\t\x01\tF\t~\tx\tv\tU", ErrorCode::kEscape},
      {"1\t=" + full + "1\tv\tF\t~\tx\t\x01\tU", ErrorCode::kOperator},
      {"1\t=" + full + "1\tv\tF\t=\tx\t\x01\tU", ErrorCode::kNumber},
  };
  Parser parser;
  for (const auto& [line, code] : cases) EXPECT_EQ(parser.parse(line).error, code) << line;
}

TEST(Parser, AnErrorIsDueAtItsStageAndEverAfter) {
  Parser parser;
  const Request request = parser.parse("1\t==\t1\tk");
  EXPECT_EQ(request.error_due(ErrorStage::kIndexId), std::nullopt);
  EXPECT_EQ(request.error_due(ErrorStage::kFilters), std::nullopt);
  EXPECT_EQ(request.error_due(ErrorStage::kOperation), ErrorCode::kOperator);
  EXPECT_EQ(request.error_due(ErrorStage::kContents), ErrorCode::kOperator);
  EXPECT_EQ(parser.parse("1\t=\t1\tk").error_due(ErrorStage::kContents), std::nullopt);
}

TEST(Parser, TakesAsManyValuesAsARequestMayHaveAndNotOneMore) {
  Parser parser;
  const std::string values = repeated("\tv", kMaxRequestValues - 1);
  const std::string update = "1\t=\t1\tk\t1\t0\tU" + values;
  const std::string in = "1\t=\t1\tk\t1\t0\t@\t0\t1048575" + values;
  const std::string filters = "1\t=\t1\tk\t1\t0" + repeated("\tF\t=\t0\tv", kMaxRequestValues - 1);
  Request request = parser.parse("1\t=\t1048576\tk" + values);
  EXPECT_EQ(request.error, std::nullopt);
  EXPECT_EQ(request.key.size(), kMaxRequestValues);
  request = parser.parse(update);
  EXPECT_EQ(request.error, std::nullopt);
  EXPECT_EQ(request.values.size(), kMaxRequestValues - 1);
  request = parser.parse(in);
  EXPECT_EQ(request.error, std::nullopt);
  EXPECT_EQ(request.in->values.size(), kMaxRequestValues - 1);
  request = parser.parse(filters);
  EXPECT_EQ(request.error, std::nullopt);
  EXPECT_EQ(request.filters.size(), kMaxRequestValues - 1);

  for (const std::string& line : {update + "\tv", in + "\tF\t=\t0\tv", filters + "\tW\t=\t0\tv"}) {
    request = parser.parse(line);
    EXPECT_EQ(request.error, ErrorCode::kValueCount);
    EXPECT_EQ(request.error_stage, ErrorStage::kCounts);
  }
}

}  // namespace
}  // namespace hs::protocol::handlersocket
