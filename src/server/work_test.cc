#include <string>

#include "exec/meter.h"
#include "testing/fixtures/server_fixture.h"

namespace hs::server {
namespace {

using testing::Call;

// Requests that work for long, over one reactor for each port.
class WorkTest : public ServerTest {
 protected:
  static constexpr int kRows = 3000;

  WorkTest() {
    config_.read_threads = config_.write_threads = 1;
    for (int k = 1; k <= kRows; ++k) fake_.add_row("d", "t", {std::to_string(k), "v"});
    step_ns_ = exec::Meter::kRequestNs / 2;
    start();
  }
  ~WorkTest() override {
    faulty_.let_go();
    server_->stop();
  }

  TestClient opened(TestClient client) {
    EXPECT_EQ(client.ask("P\t1\td\tt\tPRIMARY\tk,v\tv\n"), "0\t1");
    return client;
  }
  static std::string find(int key) { return "1\t=\t1\t" + std::to_string(key) + "\n"; }
  static std::string found(int key) { return "0\t2\t" + std::to_string(key) + "\tv"; }

  // Sends a request that makes `call` often, and holds it in one of its last calls. The call
  // reports no wait, and yet another connection is answered first.
  void expect_to_let_others_on(TestClient client, TestClient other, const std::string& request,
                               const std::string& reply, Call call, uint64_t held_call) {
    faulty_.hold(call, held_call, {});
    client.send(request);
    faulty_.wait_for_held(1);
    EXPECT_EQ(other.ask(find(1)), found(1));
    faulty_.let_go();
    EXPECT_EQ(client.line(), reply);
  }
};

TEST_F(WorkTest, KeysOfInThatFindNothingLetOthersOn) {
  std::string request = "1\t=\t1\t0\t5\t0\t@\t0\t5000";
  for (int i = 0; i < 5000; ++i) request += "\t-" + std::to_string(i);
  expect_to_let_others_on(opened(reader()), opened(reader()), request + "\n", "0\t2", Call::kSeek,
                          4000);
  expect_to_let_others_on(opened(writer()), opened(writer()), request + "\n", "0\t2", Call::kSeek,
                          4000);
}

TEST_F(WorkTest, RowsThatAFilterSkipsLetOthersOn) {
  const std::string request = "1\t>\t1\t0\t1\t0\tF\t=\t0\tno\n";
  expect_to_let_others_on(opened(reader()), opened(reader()), request, "0\t2", Call::kNext, 2500);
  expect_to_let_others_on(opened(writer()), opened(writer()), request, "0\t2", Call::kNext, 2500);
}

TEST_F(WorkTest, FiltersThatAreManyLetOthersOn) {
  std::string request = "1\t>\t1\t0\t1\t99";
  for (int i = 0; i < 2000; ++i) request += "\tF\t=\t0\tv";
  expect_to_let_others_on(opened(reader()), opened(reader()), request + "\n", "0\t2\t100\tv",
                          Call::kNext, 50);
}

TEST_F(WorkTest, FiltersThatTakeLongToMakeReadyLetOthersOnBefore) {
  std::string request = "1\t=\t1\t7\t1\t0";
  for (int i = 0; i < 40'000; ++i) request += "\tF\t=\t0\tv";
  expect_to_let_others_on(opened(reader()), opened(reader()), request + "\n", "0\t2\t7\tv",
                          Call::kSetFilters, 1);
}

TEST_F(WorkTest, ALongDeleteLetsOthersOn) {
  expect_to_let_others_on(opened(writer()), opened(writer()), "1\t>\t1\t10\t5000\t0\tD\n",
                          "0\t1\t2990", Call::kErase, 2000);
}

TEST_F(WorkTest, WorkInsideOneCallLetsOthersOn) {
  for (const bool writes : {false, true}) {
    faulty_.work(Call::kSeek, 1, 1000);
    expect_to_let_others_on(opened(writes ? writer() : reader()),
                            opened(writes ? writer() : reader()), "1\t>\t1\t5\t2\t0\n",
                            "0\t2\t6\tv\t7\tv", Call::kNext, 1);
  }
}

TEST_F(WorkTest, RequestsThatAreShortDoNotHandTheReactorOver) {
  TestClient client = opened(reader());
  const uint64_t before = server_->statistics().handovers;
  std::string requests;
  for (int i = 0; i < 1000; ++i) requests += find(1);
  client.send(requests);
  for (int i = 0; i < 1000; ++i) ASSERT_EQ(client.line(), found(1));
  EXPECT_EQ(server_->statistics().handovers, before);
}

TEST_F(WorkTest, ABatchThatHasWorkedForLongIsCommittedAndTheRestGoesToTheNext) {
  TestClient client = opened(writer());
  const uint64_t before = server_->statistics().commits;
  std::string requests;
  for (int i = 1; i <= 200; ++i) requests += "1\t+\t2\t" + std::to_string(kRows + i) + "\tv\n";
  client.send(requests);
  for (int i = 1; i <= 200; ++i) ASSERT_EQ(client.line(), "0\t1");
  // A look comes with every fourth insert, and a batch is over with the fifth of them.
  EXPECT_GE(server_->statistics().commits - before, 8u);
}

}  // namespace
}  // namespace hs::server
