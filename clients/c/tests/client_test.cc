// The client against a server of canned replies: options, broken connections, what is sent again.
#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <handlersocket2.h>
#include <malloc.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <cmath>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

using namespace std::string_literals;

namespace {

// Answers every line; a connection ends when it has sent `cut` bytes.
class Fake {
 public:
  explicit Fake(size_t first_cut = SIZE_MAX) : cut_(first_cut) {
    listener_ = socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in address = {};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    EXPECT_EQ(bind(listener_, reinterpret_cast<sockaddr*>(&address), size), 0);
    EXPECT_EQ(listen(listener_, 64), 0);
    EXPECT_EQ(getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size), 0);
    port_ = std::to_string(ntohs(address.sin_port));
    thread_ = std::thread([this] { serve(); });
  }
  ~Fake() {
    shutdown(listener_, SHUT_RDWR);
    thread_.join();
    for (auto& worker : workers_) worker.join();
    close(listener_);
  }
  std::string url() const { return "hs://127.0.0.1:" + port_ + "?timeout=20&write_port=" + port_; }
  int requests() const { return requests_; }
  int connections() const { return connections_; }
  void answer(const std::string& reply) {  // to all but the lines that every connection begins with
    const std::lock_guard<std::mutex> lock(mutex_);
    reply_ = reply + "\n";
  }
  std::string last() {  // the line that came last but for D
    const std::lock_guard<std::mutex> lock(mutex_);
    return last_;
  }

 private:
  void serve() {
    for (int fd; (fd = accept(listener_, nullptr, nullptr)) >= 0;) {
      connections_++;
      workers_.emplace_back([this, fd, cut = cut_] { talk(fd, cut); });
      cut_ = SIZE_MAX;
    }
  }
  void talk(int fd, size_t cut) {
    int yes = 1;
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    char bytes[4096];
    std::string line;
    for (ssize_t n; (n = recv(fd, bytes, sizeof bytes, 0)) > 0;) {
      for (ssize_t i = 0; i < n; i++) {
        if (bytes[i] != '\n') {
          line += bytes[i];
          continue;
        }
        std::string reply;
        {
          const std::lock_guard<std::mutex> lock(mutex_);
          reply = reply_;
        }
        if (line[0] == 'H')
          reply = "0\t6\t2\tfake\t1\t1\tcount,describe,transaction,upsert\t1\n";
        else if (line == "D\ta\tb")
          reply = "0\t8\tc\tint(11)\tNO\tPRI\t\0\t\t\0\t\n"s;
        else if (line == "D\ta\tp")
          reply = "0\t8\tc\ttext\tNO\tMUL\t\0\t\tutf8mb4\t\n"s;
        else if (line == "D\ta\tp\tI")
          reply = "0\t6\tPRIMARY\t1\tc\t0\tA\t2\n"s;
        else if (line == "D\ta\tb\tI")
          reply = "0\t6\tPRIMARY\t1\tc\t1\tA\t\0\n"s;
        else if (line[0] == 'P')
          reply = line.find("gone") < line.size()   ? "1\t1\topen_table\n"
                  : line.find("lies") < line.size() ? "0\t2\ta\tb\n"
                                                    : "0\t1\n";
        else
          requests_++;
        {
          const std::lock_guard<std::mutex> lock(mutex_);
          if (line[0] != 'D') last_ = line;
        }
        line.clear();
        size_t len = reply.size() < cut ? reply.size() : cut;
        if (send(fd, reply.data(), len, MSG_NOSIGNAL) < 0) break;
        cut -= cut == SIZE_MAX ? 0 : len;
        if (cut == 0) shutdown(fd, SHUT_RDWR);
      }
    }
    close(fd);
  }
  int listener_;
  size_t cut_;
  std::string port_;
  std::atomic<int> requests_{0};
  std::atomic<int> connections_{0};
  std::string reply_ = "0\t1\trow\n";
  std::mutex mutex_;
  std::string last_;
  std::thread thread_;
  std::vector<std::thread> workers_;
};

struct Calls {
  explicit Calls(const std::string& url) : client(hs_connect(url.c_str(), &error)) {
    reply = hs_reply_new();
    if (client != nullptr) table = make_table("a.b");
  }
  ~Calls() {
    hs_reply_free(reply);
    hs_table_free(table);
    hs_close(client);
  }
  // A raw table, for which nothing is described.
  hs_table* make_table(const char* name) {
    const char* columns[] = {"c"};
    return hs_table_new(client, name, nullptr, columns, 1, 1, &error);
  }
  hs_query query() const {  // by the key
    hs_query q = {};
    q.key = &key;
    q.key_count = 1;
    return q;
  }
  hs_error error = {};
  hs_client* client;
  hs_table* table = nullptr;
  hs_reply* reply;
  hs_value key = hs_text("1");
};

TEST(Options, WhatIsWrongIsAConfigurationError) {
  for (const char* bad :
       {"http://x", "hs://h?nosuch=1", "hs://h:1?port=2", "hs://h?tls=maybe", "hs://h:0",
        "hs://h?timeout=-1", "hs://[::1", "hs://h?user=%zz", "hs://h?user=%00", "hs+unix://x",
        "hs://h?pool_size=0", "hs://h?retries", "hs://h?replicas=x", "hs://h?timeout=nan"}) {
    hs_error error = {};
    hs_client* client = hs_connect(bad, &error);
    EXPECT_EQ(client, nullptr) << bad;
    EXPECT_EQ(error.kind, HS_CONFIGURATION) << bad;
    hs_close(client);
  }
}

TEST(Connection, AReadIsSentAgainWhereverTheConnectionBreaks) {
  for (size_t cut = 1; cut < 45; cut++) {
    Fake server(cut);
    Calls calls(server.url());
    ASSERT_EQ(hs_get(calls.table, &calls.key, 1, calls.reply, &calls.error), 0)
        << cut << calls.error.text;
    EXPECT_EQ(hs_reply_rows(calls.reply), 1u);
  }
}

TEST(Connection, AChangeIsNeverSentAgain) {
  Fake server(58);  // within the reply to the change
  Calls calls(server.url());
  hs_field field = {"c", calls.key};
  ASSERT_EQ(hs_insert(calls.table, "+", &field, 1, nullptr, 0, calls.reply, &calls.error), -1);
  EXPECT_EQ(calls.error.kind, HS_CONNECTION);
  EXPECT_EQ(calls.error.sent, 1);
  EXPECT_EQ(server.requests(), 1);
}

TEST(Calls, InfinitiesAndNanAreRefusedBeforeAnythingIsSent) {
  Fake server;
  Calls calls(server.url());
  char digits[HS_NUMBER];
  for (const double number : {HUGE_VAL, -HUGE_VAL, std::nan("")}) {
    const hs_value none = hs_double(number, digits);
    const hs_field field = {"c", none};
    const hs_filter filter = {"c", "=", none, 0};
    hs_query filtered = calls.query();
    filtered.filters = &filter;
    filtered.filter_count = 1;
    const hs_query q = calls.query();
    const auto refused = [&](int result) {
      EXPECT_EQ(result, -1);
      EXPECT_EQ(calls.error.kind, HS_VALUE);
      EXPECT_STREQ(calls.error.text, "infinities and NaN cannot be sent");
      calls.error = {};
    };
    refused(hs_get(calls.table, &none, 1, calls.reply, &calls.error));
    refused(hs_find(calls.table, &filtered, calls.reply, &calls.error));
    refused(hs_change(calls.table, &q, "U", &field, 1, calls.reply, &calls.error));
    refused(hs_insert(calls.table, "+", &field, 1, nullptr, 0, calls.reply, &calls.error));
  }
  EXPECT_EQ(server.requests(), 0);
}

TEST(Calls, ARangeFromAnInfinityIsRefused) {
  Fake server;
  Calls calls(server.url());
  char digits[HS_NUMBER];
  const hs_value start = hs_double(HUGE_VAL, digits);
  const hs_bounds bounds = {&start, 1, nullptr, 0, nullptr, 0, 0};
  hs_range* range = hs_range_new(calls.table, &bounds, &calls.error);
  ASSERT_NE(range, nullptr) << calls.error.text;
  EXPECT_EQ(hs_range_next(range, &calls.error), -1);
  EXPECT_EQ(calls.error.kind, HS_VALUE) << calls.error.text;
  hs_range_free(range);
}

TEST(Connection, ATableThatIsGoneIsTheErrorOfItsRequestsAlone) {
  Fake server;
  Calls calls(server.url());
  hs_table* gone = calls.make_table("a.gone");
  hs_batch* batch = hs_batch_new(calls.client);
  const hs_query q = calls.query();
  for (hs_table* table : {gone, calls.table, gone})
    ASSERT_EQ(hs_batch_find(batch, table, &q, nullptr), 0);
  ASSERT_EQ(hs_batch_run(batch, calls.reply, nullptr), 0);
  EXPECT_EQ(hs_reply_select(calls.reply, 0, &calls.error), -1);
  EXPECT_EQ(calls.error.kind, HS_NOT_FOUND);
  EXPECT_EQ(hs_reply_select(calls.reply, 1, nullptr), 0);
  EXPECT_EQ(hs_reply_select(calls.reply, 2, nullptr), -1);
  hs_batch_free(batch);
  hs_table_free(gone);
}

TEST(Connection, MoreIndexesThanAConnectionOpensTakeEachOthersPlaces) {
  Fake server;
  Calls calls(server.url());
  for (int i = 0; i < 600; i++) {
    std::string name = "a.t" + std::to_string(i % 300);
    hs_table* table = calls.make_table(name.c_str());
    ASSERT_EQ(hs_get(table, &calls.key, 1, calls.reply, nullptr), 0);
    hs_table_free(table);
  }
}

// What a call says of replies that are well formed, and none to what was asked.
using Call = std::function<int(Calls&)>;
void refuses_all(const Call& call, const std::vector<std::string>& lies) {
  for (const std::string& lie : lies) {
    Fake server;
    Calls calls(server.url());
    server.answer(lie);
    for (int i = 1; i <= 2; i++) {
      EXPECT_EQ(call(calls), -1) << lie;
      EXPECT_EQ(calls.error.kind, HS_PROTOCOL) << lie << calls.error.text;
      EXPECT_EQ(calls.error.sent, 1) << lie;
      EXPECT_EQ(server.connections(), i) << "the connection was closed after " << lie;
    }
  }
}

const std::vector<std::string> kNoCounts = {"0\t1",       "0\t1\t-5",
                                            "0\t1\t1_0",  "0\t1\t 1",
                                            "0\t1\tabc",  "0\t1\t",
                                            "0\t1\t\0"s,  "0\t1\t1e26",
                                            "0\t1\t1\t1", "0\t3\t1\t1\t1",
                                            "0\t1\t+1",   "0\t0",
                                            "0\t2",       "0\t1\t" + std::string(21, '9')};

TEST(Lies, RowsOfAnotherWidthAreNoRows) {
  const std::vector<std::string> lies = {"0\t0", "0\t2", "0\t2\t1\t2", "0\t3\t1\t2\t3"};
  refuses_all([](Calls& c) { return hs_get(c.table, &c.key, 1, c.reply, &c.error); }, lies);
  refuses_all(
      [](Calls& c) {
        const hs_query q = c.query();
        hs_field field = {"c", c.key};
        return hs_change(c.table, &q, "U?", &field, 1, c.reply, &c.error);
      },
      lies);
  refuses_all(
      [](Calls& c) {
        const hs_query q = c.query();
        return hs_change(c.table, &q, "D?", nullptr, 0, c.reply, &c.error);
      },
      lies);
}

TEST(Lies, WhatIsNoNumberIsNoCount) {
  refuses_all(
      [](Calls& c) {
        uint64_t rows;
        const hs_query q = c.query();
        return hs_count(c.table, &q, c.reply, &rows, &c.error);
      },
      kNoCounts);
  refuses_all(
      [](Calls& c) {
        const hs_query q = c.query();
        hs_field field = {"c", c.key};
        return hs_change(c.table, &q, "U", &field, 1, c.reply, &c.error);
      },
      kNoCounts);
}

TEST(Lies, WhatIsNoIdIsNone) {
  refuses_all(
      [](Calls& c) {
        hs_field field = {"c", c.key};
        return hs_insert(c.table, "+", &field, 1, nullptr, 0, c.reply, &c.error);
      },
      {"0\t1\tabc", "0\t1\t-1", "0\t2\t1\t1", "0\t1\t1\t1", "0\t1\t\0"s, "0\t0"});
}

TEST(Lies, GetTakesOneRow) {
  refuses_all([](Calls& c) { return hs_get(c.table, &c.key, 1, c.reply, &c.error); },
              {"0\t1\ta\tb"});
}

TEST(Lies, WhatWasAddedIsANumberThatItsVerbHas) {
  const auto insert = [](const char* verb) {
    return [verb](Calls& c) {
      hs_field field = {"c", c.key};
      return hs_insert(c.table, verb, &field, 1, nullptr, 0, c.reply, &c.error);
    };
  };
  refuses_all(insert("+I"), {"0\t1\t2", "0\t2\t1\tabc"});
  refuses_all(insert("+U"), {"0\t1\t3", "0\t2\t1\t18446744073709551616"});
  refuses_all(insert("+R"), {"0\t1\t0", "0\t3\t1\t1\t1"});
  refuses_all(insert("+"), {"0\t1\t18446744073709551616"});
}

TEST(Lies, WhatDescribesNothingIsNoDescription) {
  refuses_all([](Calls& c) { return hs_describe(c.client, "a", "x", 0, c.reply, &c.error); },
              {"0\t1\tx", "0\t9" + std::string(9, '\t')});
}

TEST(Lies, ATransactionBeginsWithNothingToTell) {
  refuses_all([](Calls& c) { return hs_begin(c.client, nullptr, 0, &c.error) != nullptr ? 0 : -1; },
              {"0\t1\t5", "0\t2\t5\t6"});
}

TEST(Lies, AnIndexIsOpenedWithNothingToTell) {
  Fake server;
  Calls calls(server.url());
  hs_table* lies = calls.make_table("a.lies");
  for (int i = 1; i <= 2; i++) {
    EXPECT_EQ(hs_get(lies, &calls.key, 1, calls.reply, &calls.error), -1);
    EXPECT_EQ(calls.error.kind, HS_PROTOCOL) << calls.error.text;
    EXPECT_EQ(server.connections(), i);
  }
  hs_table_free(lies);
}

TEST(Lies, AnAnswerBehindOneToSomethingElseIsNone) {
  Fake server;
  Calls calls(server.url());
  server.answer("0\t1\t1");  // an answer to each of these
  hs_batch* batch = hs_batch_new(calls.client);
  const hs_query q = calls.query();
  hs_field field = {"c", calls.key};
  EXPECT_EQ(hs_batch_count(batch, calls.table, &q, &calls.error), 0);
  EXPECT_EQ(hs_batch_insert(batch, calls.table, "+U", &field, 1, nullptr, 0, &calls.error), 0);
  EXPECT_EQ(hs_batch_insert(batch, calls.table, "+R", &field, 1, nullptr, 0, &calls.error), 0);
  EXPECT_EQ(hs_batch_run(batch, calls.reply, &calls.error), 0) << calls.error.text;
  server.answer("0\t1\t0");  // is none to +R, the last one
  EXPECT_EQ(hs_batch_count(batch, calls.table, &q, &calls.error), 0);
  EXPECT_EQ(hs_batch_run(batch, calls.reply, &calls.error), -1);
  EXPECT_EQ(calls.error.kind, HS_PROTOCOL) << calls.error.text;
  EXPECT_EQ(hs_reply_count(calls.reply), 2U) << "the count behind it has no answer";
  hs_batch_free(batch);
}

TEST(Lies, ValuesThatNobodyAskedForAreNotKept) {
  Fake server;
  Calls calls(server.url());
  server.answer("0\t1" + std::string(1 << 22, '\t'));
  EXPECT_EQ(hs_get(calls.table, &calls.key, 1, calls.reply, &calls.error), -1);
  EXPECT_EQ(calls.error.kind, HS_PROTOCOL) << calls.error.text;
  struct mallinfo2 used = mallinfo2();
  hs_reply_free(calls.reply);
  // The reply's own bytes, and not a span of 16 bytes for each value.
  EXPECT_LT(used.uordblks + used.hblkhd - mallinfo2().uordblks - mallinfo2().hblkhd, 16U << 20);
  calls.reply = hs_reply_new();
}

TEST(Table, AFilterOfARangeIsCopied) {
  Fake server;
  Calls calls(server.url());
  auto op = std::make_unique<std::string>("!="), text = std::make_unique<std::string>(100, 'x');
  const hs_value start = hs_text("1");
  const hs_filter filter = {"c", op->c_str(), hs_text(text->c_str()), 0};
  hs_bounds bounds = {};
  bounds.start = &start;
  bounds.start_count = 1;
  bounds.filters = &filter;
  bounds.filter_count = 1;
  hs_range* range = hs_range_new(calls.table, &bounds, &calls.error);
  ASSERT_NE(range, nullptr) << calls.error.text;
  op.reset();
  text.reset();
  EXPECT_EQ(hs_range_next(range, &calls.error), 1) << calls.error.text;
  hs_range_free(range);
  const hs_filter unknown = {"c", "LIKE", start, 0};
  bounds.filters = &unknown;
  range = hs_range_new(calls.table, &bounds, &calls.error);
  ASSERT_NE(range, nullptr);
  EXPECT_EQ(hs_range_next(range, &calls.error), -1);
  EXPECT_EQ(calls.error.kind, HS_VALUE);
  hs_range_free(range);
}

TEST(Table, ARangeOverBeginningsOfColumnsCountsItsRows) {
  Fake server;
  Calls calls(server.url());
  hs_table* table = calls.make_table("a.p");
  const hs_value start = hs_text("x");
  hs_bounds bounds = {};
  bounds.start = &start;
  bounds.start_count = 1;
  bounds.page = 1;
  hs_range* range = hs_range_new(table, &bounds, &calls.error);
  ASSERT_NE(range, nullptr) << calls.error.text;
  for (int i = 0; i < 3; i++) ASSERT_EQ(hs_range_next(range, &calls.error), 1) << calls.error.text;
  EXPECT_EQ(server.last(), "0\t>=\t1\tx\t1\t2");
  hs_range_free(range);
  hs_table_free(table);
}

TEST(Client, TellsThePlaceThatCannotBeReached) {
  hs_error error = {};
  hs_client* client = hs_connect("hs://127.0.0.1:1?retries=0", &error);
  ASSERT_NE(client, nullptr) << error.text;
  EXPECT_EQ(hs_ping(client, &error), -1);
  EXPECT_STREQ(error.text, "no connection to 127.0.0.1:1: connect: Connection refused");
  hs_close(client);
}

TEST(Pool, IsSafeForThreads) {
  Fake server;
  Calls calls(server.url() + "&pool_size=3");
  std::atomic<int> good{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; i++)
    threads.emplace_back([&] {
      hs_reply* reply = hs_reply_new();
      for (int n = 0; n < 50; n++) good += hs_get(calls.table, &calls.key, 1, reply, nullptr) == 0;
      hs_reply_free(reply);
    });
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(good, 400);
}

}  // namespace
