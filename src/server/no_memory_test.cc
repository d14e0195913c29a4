// What must go on when there is no memory: a program of its own, since it replaces operator new.
#include <pthread.h>

#include <cstdlib>
#include <cstring>
#include <new>

#include "testing/fixtures/server_fixture.h"

namespace {

std::atomic<bool> memory_ends{false};
std::atomic<int> refused{0};

// Whether the calling thread executes requests.
bool is_executor() {
  char name[16] = "";
  ::pthread_getname_np(::pthread_self(), name, sizeof name);
  return std::strncmp(name, "hs-", 3) == 0;
}

}  // namespace

void* operator new(size_t size) {
  if (memory_ends && is_executor()) {
    ++refused;
    throw std::bad_alloc();
  }
  if (void* memory = std::malloc(size)) return memory;
  throw std::bad_alloc();
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, size_t) noexcept { std::free(memory); }

namespace hs::server {
namespace {

using Wait = engine::SessionEvents::Wait;

class NoMemoryTest : public ServerTest {
 protected:
  NoMemoryTest() {
    config_.read_threads = config_.write_threads = 1;
    config_.spare_thread_ms = 1;
    fake_.add_row("d", "t", {"1", "v"});
    std::string error;
    server_ = Server::start(config(), engine_, {note, note, note}, &error);
  }
  ~NoMemoryTest() override {
    memory_ends = false;
    faulty_.let_go();
  }
  static void note(std::string_view message) {
    if (message.find("cannot start another thread: std::bad_alloc") != message.npos) noted = true;
  }
  static inline std::atomic<bool> noted{false};

  TestClient opened(TestClient client) {
    EXPECT_EQ(client.ask("P\t1\td\tt\tPRIMARY\tk,v\n"), "0\t1");
    return client;
  }
};

TEST_F(NoMemoryTest, AReactorHasALeaderAlthoughNoThreadCanBeMadeToStandBy) {
  const std::string find = "1\t=\t1\t1\n";
  const std::string found = "0\t2\t1\tv";
  TestClient waits = opened(reader());
  TestClient other = opened(reader());
  // Once with memory: afterwards two threads have all that they need, and all others have ended.
  faulty_.hold(testing::Call::kSeek, 1, Wait::kRead);
  waits.send(find);
  faulty_.wait_for_held(1);
  EXPECT_EQ(other.ask(find), found);
  faulty_.let_go();
  EXPECT_EQ(waits.line(), found);
  while (server_->statistics().threads > 2 + 2) std::this_thread::yield();

  faulty_.hold(testing::Call::kSeek, 1, Wait::kRead);
  memory_ends = true;
  waits.send(find);
  faulty_.wait_for_held(1);
  other.send(find);
  // A thread leads the reactor, if only to answer that there is no memory.
  const std::string answer = other.line();
  EXPECT_TRUE(answer == found || answer == "1\t1\t128" || answer == "EOF") << answer;
  EXPECT_GT(refused, 0);
  memory_ends = false;
  EXPECT_EQ(opened(reader()).ask(find), found);
  faulty_.let_go();
  EXPECT_EQ(waits.line(), found);
  EXPECT_TRUE(noted);
}

TEST_F(NoMemoryTest, AClientForWhichThereIsNoneIsRefusedAlone) {
  TestClient known = opened(reader());
  memory_ends = true;
  TestClient refused_one = reader();
  EXPECT_EQ(refused_one.line(), "1\t1\ttoo_many_connections");
  EXPECT_EQ(refused_one.line(), "EOF");
  memory_ends = false;
  EXPECT_EQ(known.ask("1\t=\t1\t1\n"), "0\t2\t1\tv");
  EXPECT_EQ(opened(reader()).ask("1\t=\t1\t1\n"), "0\t2\t1\tv");
}

}  // namespace
}  // namespace hs::server
