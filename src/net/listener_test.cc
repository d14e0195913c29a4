#include "net/listener.h"

#include <arpa/inet.h>
#include <grp.h>
#include <gtest/gtest.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <thread>

#include "net/acceptor.h"

namespace hs::net {
namespace {

FileDescriptor connect_to(uint16_t port) {
  FileDescriptor client(::socket(AF_INET, SOCK_STREAM, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const auto* target = reinterpret_cast<const sockaddr*>(&address);
  if (::connect(client.get(), target, sizeof address) != 0) client.reset();
  return client;
}

bool connects_to(const std::string& path) {
  const FileDescriptor client(::socket(AF_UNIX, SOCK_STREAM, 0));
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  path.copy(address.sun_path, sizeof address.sun_path - 1);
  return ::connect(client.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
}

// Listens as `options` say. Returns the error, or "none".
std::string error_of(const ListenOptions& options) {
  ListenError error;
  return Listener::open(options, &error) == nullptr ? error.text : "none";
}

ListenOptions on(const std::string& address, uint16_t port = 0) {
  ListenOptions options;
  options.address = address;
  options.port = port;
  options.backlog = 128;
  return options;
}

TEST(ResolvePort, TakesNumbersAndServiceNamesOnly) {
  std::string error;
  uint16_t port = 1;
  EXPECT_TRUE(resolve_port("0", &port, &error));
  EXPECT_EQ(port, 0);
  EXPECT_TRUE(resolve_port("65535", &port, &error));
  EXPECT_EQ(port, 65535);
  EXPECT_FALSE(resolve_port("65536", &port, &error));
  EXPECT_EQ(error, "the port 65536 is not in the range 0 to 65535");
  EXPECT_FALSE(resolve_port("99999999999999999999999", &port, &error));
  for (const char* wrong : {"", "-1", "99x", " 99", "no-such-service"}) {
    EXPECT_FALSE(resolve_port(wrong, &port, &error)) << wrong;
    EXPECT_EQ(error,
              "'" + std::string(wrong) + "' is neither a port number nor the name of a service");
  }
}

TEST(Listener, SaysThatAPortIsInUse) {
  ListenError error;
  const auto first = Listener::open(on("127.0.0.1"), &error);
  ASSERT_NE(first, nullptr) << error.text;
  ASSERT_NE(first->port(), 0);
  const std::string place = "port " + std::to_string(first->port()) + " on 127.0.0.1";
  EXPECT_EQ(first->place(), place);
  EXPECT_EQ(Listener::open(on("127.0.0.1", first->port()), &error), nullptr);
  EXPECT_EQ(error.text, place + " is in use");
  EXPECT_EQ(error.about, ListenError::About::kPlace);
}

TEST(Listener, ThePortIsFreeAgainAfterwards) {
  ListenError error;
  auto first = Listener::open(on("127.0.0.1"), &error);
  const uint16_t port = first->port();
  const FileDescriptor client = connect_to(port);
  ASSERT_TRUE(client);
  first.reset();
  EXPECT_EQ(error_of(on("127.0.0.1", port)), "none");
}

TEST(Listener, APortThatNoOtherHadIsNotSharedAfterwards) {
  ListenError error;
  ListenOptions options = on("127.0.0.1", Listener::open(on("127.0.0.1"), &error)->port());
  options.takes_over = true;
  const auto first = Listener::open(options, &error);
  ASSERT_NE(first, nullptr) << error.text;
  EXPECT_EQ(error_of(options), first->place() + " is in use");
}

TEST(Listener, TakesOverAPortThatIsShared) {
  ListenError error;
  // One that is free on 127.0.0.1 may be in use on another address.
  const uint16_t port = Listener::open(on("0.0.0.0"), &error)->port();
  const auto first = Listener::open(on("127.0.0.1", port), &error);
  ASSERT_NE(first, nullptr) << error.text;
  ListenOptions options = on("0.0.0.0", first->port());
  options.takes_over = true;
  EXPECT_EQ(Listener::open(options, &error), nullptr);
  first->share_port(true);
  EXPECT_NE(Listener::open(options, &error), nullptr) << error.text;
}

TEST(Listener, SaysWhatIsWrongWithAnAddress) {
  ListenError error;
  EXPECT_EQ(Listener::open(on("300.1.1.1.1"), &error), nullptr);
  EXPECT_EQ(error.text.find("cannot resolve the address '300.1.1.1.1': "), 0u) << error.text;
  EXPECT_EQ(error.about, ListenError::About::kAddress);
  EXPECT_EQ(Listener::open(on("192.0.2.1", 9998), &error), nullptr);  // reserved for documents
  EXPECT_EQ(error.text.find("cannot listen on port 9998 on 192.0.2.1: "), 0u) << error.text;
  EXPECT_EQ(error.about, ListenError::About::kAddress);
}

TEST(Listener, AnEmptyAddressReachesIpv4) {
  ListenError error;
  const auto listener = Listener::open(on(""), &error);
  ASSERT_NE(listener, nullptr) << error.text;
  EXPECT_TRUE(connect_to(listener->port()));
}

TEST(Listener, ANameReachesIpv4) {
  // A bare system has no file with the address of localhost.
  addrinfo* found = nullptr;
  if (::getaddrinfo("localhost", nullptr, nullptr, &found) != 0) GTEST_SKIP() << "no localhost";
  ::freeaddrinfo(found);
  ListenError error;
  const auto listener = Listener::open(on("localhost"), &error);
  ASSERT_NE(listener, nullptr) << error.text;
  EXPECT_TRUE(connect_to(listener->port()));
}

TEST(Listener, TakesIpv6Literals) {
  ListenError error;
  const auto listener = Listener::open(on("::1"), &error);
  if (listener == nullptr) GTEST_SKIP() << error.text;
  EXPECT_FALSE(connect_to(listener->port()));
}

TEST(Listener, OnLoopbackOnlyWhenThatIsAskedFor) {
  ListenOptions options = on("0.0.0.0");
  options.only_loopback = true;
  ListenError error;
  for (const char* reachable : {"0.0.0.0", "", "192.0.2.1"}) {
    options.address = reachable;
    ASSERT_EQ(Listener::open(options, &error), nullptr) << reachable;
    EXPECT_EQ(error.about, ListenError::About::kReach) << error.text;
  }
  EXPECT_EQ(error.text, "port 0 on 192.0.2.1 can be reached from other machines");
  for (const char* local : {"127.0.0.1", "127.1.2.3", "localhost"}) {
    options.address = local;
    EXPECT_EQ(error_of(options), "none") << local;
  }
}

TEST(Listener, AcceptedSocketsInheritTheOptions) {
  ListenOptions options = on("127.0.0.1");
  options.rcvbuf = options.sndbuf = 50'000;
  ListenError error;
  const auto listener = Listener::open(options, &error);
  ASSERT_NE(listener, nullptr) << error.text;
  const FileDescriptor client = connect_to(listener->port());
  const FileDescriptor server(::accept(listener->sockets()[0].get(), nullptr, nullptr));
  ASSERT_TRUE(server);
  const auto option = [&](int level, int name) {
    int value = 0;
    socklen_t size = sizeof value;
    ::getsockopt(server.get(), level, name, &value, &size);
    return value;
  };
  EXPECT_NE(option(IPPROTO_TCP, TCP_NODELAY), 0);
  EXPECT_NE(option(SOL_SOCKET, SO_KEEPALIVE), 0);
  EXPECT_EQ(option(SOL_SOCKET, SO_SNDBUF), 100'000);  // the system doubles it
  EXPECT_EQ(option(SOL_SOCKET, SO_RCVBUF), 100'000);
}

class UnixSocket : public ::testing::Test {
 protected:
  UnixSocket() {
    char name[] = "/tmp/hs-listener-XXXXXX";
    directory_ = ::mkdtemp(name);
    options_.path = directory_ + "/socket";
    options_.backlog = 10;
  }
  ~UnixSocket() override { std::filesystem::remove_all(directory_); }

  struct stat file() const {
    struct stat about {};
    EXPECT_EQ(::lstat(options_.path.c_str(), &about), 0);
    return about;
  }

  std::string directory_;
  ListenOptions options_;
  ListenError error_;
};

TEST_F(UnixSocket, IsForOwnerAndGroupAndGoneAfterwards) {
  auto listener = Listener::open(options_, &error_);
  ASSERT_NE(listener, nullptr) << error_.text;
  EXPECT_EQ(listener->port(), 0);
  EXPECT_TRUE(connects_to(options_.path));
  EXPECT_EQ(static_cast<int>(std::filesystem::status(options_.path).permissions()), 0660);
  listener.reset();
  EXPECT_FALSE(std::filesystem::exists(options_.path));
}

TEST_F(UnixSocket, HasTheModeThatIsAskedForWhateverTheUmask) {
  for (const mode_t umask : {0000u, 0022u, 0777u}) {
    for (const mode_t mode : {0600u, 0660u, 0666u, 0777u}) {
      options_.rights.mode = mode;
      const mode_t before = ::umask(umask);
      const auto listener = Listener::open(options_, &error_);
      ::umask(before);
      ASSERT_NE(listener, nullptr) << error_.text;
      EXPECT_EQ(file().st_mode & 07777, mode) << "umask " << umask;
    }
  }
}

TEST_F(UnixSocket, BelongsToTheGroupThatIsAskedFor) {
  options_.rights.group = ::getegid();
  auto listener = Listener::open(options_, &error_);
  ASSERT_NE(listener, nullptr) << error_.text;
  EXPECT_EQ(file().st_gid, ::getegid());
  EXPECT_EQ(file().st_uid, ::geteuid());
  EXPECT_EQ(file().st_mode & 07777, 0660u);
  listener.reset();
  if (::geteuid() != 0) GTEST_SKIP() << "another group takes root";
  options_.rights.group = 54321;
  listener = Listener::open(options_, &error_);
  ASSERT_NE(listener, nullptr) << error_.text;
  EXPECT_EQ(file().st_gid, 54321u);
  EXPECT_EQ(file().st_uid, 0u);
}

// Root may give the file to any group, so a process of another user tries. The file has to be gone
// afterwards.
TEST_F(UnixSocket, OfAGroupThatTheProcessIsNotInIsRefused) {
  if (::geteuid() != 0) GTEST_SKIP() << "takes root";
  constexpr uid_t kNobody = 65534;
  ASSERT_EQ(::chown(directory_.c_str(), kNobody, kNobody), 0);
  options_.rights.group = 54321;
  const pid_t child = ::fork();
  if (child == 0) {
    const bool is_nobody =
        ::setgroups(0, nullptr) == 0 && ::setgid(kNobody) == 0 && ::setuid(kNobody) == 0;
    const bool refused = is_nobody && Listener::open(options_, &error_) == nullptr &&
                         error_.about == ListenError::About::kGroup &&
                         error_.text == "cannot give the socket " + options_.path +
                                            " to the group 54321: Operation not permitted";
    ::_exit(refused ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_FALSE(std::filesystem::exists(options_.path));
}

TEST_F(UnixSocket, ThatAnotherListenerHasIsInUse) {
  const auto listener = Listener::open(options_, &error_);
  EXPECT_EQ(error_of(options_), "the socket " + options_.path + " is in use");
  EXPECT_TRUE(connects_to(options_.path));
}

TEST_F(UnixSocket, ThatWasLeftBehindIsReplaced) {
  auto listener = Listener::open(options_, &error_);
  std::filesystem::rename(options_.path, directory_ + "/kept");
  listener.reset();  // as if killed: the file stays
  std::filesystem::rename(directory_ + "/kept", options_.path);
  ASSERT_FALSE(connects_to(options_.path));
  listener = Listener::open(options_, &error_);
  ASSERT_NE(listener, nullptr) << error_.text;
  EXPECT_TRUE(connects_to(options_.path));
}

TEST_F(UnixSocket, OtherFilesAreNeverRemoved) {
  std::ofstream(options_.path) << "precious";
  EXPECT_EQ(error_of(options_),
            "cannot listen on the socket " + options_.path + ": the file exists and is no socket");
  EXPECT_TRUE(std::filesystem::exists(options_.path));

  std::filesystem::remove(options_.path);
  auto listener = Listener::open(options_, &error_);
  std::filesystem::remove(options_.path);
  std::ofstream(options_.path) << "the file of another program by now";
  listener.reset();
  EXPECT_TRUE(std::filesystem::exists(options_.path));
}

TEST_F(UnixSocket, TheRightsOfAnotherFileInItsPlaceAreNotChanged) {
  const auto listener = Listener::open(options_, &error_);
  ASSERT_NE(listener, nullptr) << error_.text;
  SocketRights rights;
  rights.mode = 0666;
  ASSERT_TRUE(listener->set_rights(rights, &error_)) << error_.text;
  EXPECT_EQ(file().st_mode & 07777, 0666u);
  const std::string other = directory_ + "/other";
  std::ofstream(other) << "precious";
  std::filesystem::permissions(other, std::filesystem::perms(0600));
  const auto is_refused = [&] {
    error_ = {};
    EXPECT_FALSE(listener->set_rights(rights, &error_));
    EXPECT_EQ(error_.text, "cannot change the rights of the socket " + options_.path +
                               ": its file was removed or replaced");
    EXPECT_EQ(error_.about, ListenError::About::kPlace);
  };
  std::filesystem::remove(options_.path);
  is_refused();
  std::filesystem::create_symlink(other, options_.path);
  is_refused();
  EXPECT_EQ(static_cast<int>(std::filesystem::status(other).permissions()), 0600);
}

TEST_F(UnixSocket, PathsThatCannotBeAreSaid) {
  options_.path = directory_ + "/" + std::string(200, 'x');
  EXPECT_NE(error_of(options_).find(" has more than 107 bytes"), std::string::npos);
  options_.path = directory_ + "/no/such/socket";
  EXPECT_EQ(error_of(options_),
            "cannot listen on the socket " + options_.path + ": No such file or directory");
}

class AcceptorTest : public ::testing::Test {
 protected:
  AcceptorTest() {
    ListenError error;
    listener_ = Listener::open(on("127.0.0.1"), &error);
    // The port is given by its number from here on, so that the socket keeps it over a shutdown().
    const uint16_t port = listener_->port();
    listener_.reset();
    listener_ = Listener::open(on("127.0.0.1", port), &error);
    Acceptor::Handlers handlers;
    handlers.accepted = [this](FileDescriptor socket) {
      const std::lock_guard lock(mutex_);
      sockets_.push_back(std::move(socket));
      ++accepted_;
    };
    handlers.refused = [this](FileDescriptor socket) {
      const std::lock_guard lock(mutex_);
      if (std::exchange(keeps_one_, false)) kept_ = std::move(socket);
      ++refused_;
    };
    handlers.warning = [this](std::string_view) { ++warnings_; };
    acceptor_ = std::make_unique<Acceptor>(*listener_, std::move(handlers));
  }

  std::unique_ptr<Listener> listener_;
  std::unique_ptr<Acceptor> acceptor_;
  std::mutex mutex_;
  std::vector<FileDescriptor> sockets_;
  bool keeps_one_ = false;  // of those that are refused
  FileDescriptor kept_;
  std::atomic<int> accepted_{0};
  std::atomic<int> refused_{0};
  std::atomic<int> warnings_{0};
};

TEST_F(AcceptorTest, HandsOverEachClientThatConnects) {
  std::vector<FileDescriptor> clients;
  for (int i = 0; i < 20; ++i) clients.push_back(connect_to(listener_->port()));
  std::thread thread([this] { acceptor_->run(); });
  while (accepted_ < 20) std::this_thread::yield();
  acceptor_->stop();
  thread.join();
  EXPECT_EQ(warnings_, 0);
}

TEST_F(AcceptorTest, WhenTheSystemCannotGoOnItWarnsOnceAndGoesOnLater) {
  const int listening = listener_->sockets()[0].get();
  ASSERT_EQ(::shutdown(listening, SHUT_RDWR), 0);  // accept() fails from now on
  std::thread thread([this] { acceptor_->run(); });
  while (warnings_ == 0) std::this_thread::yield();
  ASSERT_EQ(::listen(listening, 10), 0);
  const FileDescriptor client = connect_to(listener_->port());
  EXPECT_TRUE(client);
  while (client && accepted_ == 0) std::this_thread::yield();
  acceptor_->stop();
  thread.join();
  EXPECT_EQ(warnings_, 1);
}

// An acceptor at work in a process without a descriptor to spare, with clients that wait for it. No
// part of the fixture: UBSan looks at an object with virtual functions by means of a pipe.
class WithoutDescriptors {
 public:
  static constexpr int kClients = 20;

  WithoutDescriptors(Acceptor& acceptor, uint16_t port) : acceptor_(acceptor) {
    for (int i = 0; i < kClients; ++i) clients_.push_back(connect_to(port));
    thread_ = std::thread([this] {
      may_run_.wait(false);
      acceptor_.run();
    });
    EXPECT_EQ(::getrlimit(RLIMIT_NOFILE, &before_), 0);
    rlimit low = before_;
    low.rlim_cur = static_cast<rlim_t>(clients_.back().get()) + 10;
    EXPECT_EQ(::setrlimit(RLIMIT_NOFILE, &low), 0);
    do {
      all_.emplace_back(::dup(0));
    } while (all_.back());
    may_run_ = true;
    may_run_.notify_all();
  }
  ~WithoutDescriptors() {
    give_back();
    acceptor_.stop();
    thread_.join();
  }
  void give_back() {
    all_.clear();
    EXPECT_EQ(::setrlimit(RLIMIT_NOFILE, &before_), 0);
  }

 private:
  Acceptor& acceptor_;
  std::vector<FileDescriptor> clients_;
  std::vector<FileDescriptor> all_;
  std::atomic<bool> may_run_{false};
  std::thread thread_;
  rlimit before_{};
};

TEST_F(AcceptorTest, WithoutADescriptorClientsAreRefusedAndLaterTaken) {
  WithoutDescriptors without(*acceptor_, listener_->port());
  while (refused_ < WithoutDescriptors::kClients) std::this_thread::yield();
  EXPECT_EQ(accepted_, 0);
  without.give_back();
  // A client is still refused if it came just after accept() had found no descriptor.
  while (accepted_ == 0) {
    const int refused = refused_;
    const FileDescriptor late = connect_to(listener_->port());
    ASSERT_TRUE(late);
    while (accepted_ == 0 && refused_ == refused) std::this_thread::yield();
  }
}

TEST_F(AcceptorTest, TheSpareDescriptorIsTakenBackBeforeAClientIsTaken) {
  keeps_one_ = true;  // in the place where the spare would be made again
  const WithoutDescriptors without(*acceptor_, listener_->port());
  while (warnings_ == 0) std::this_thread::yield();
  EXPECT_EQ(refused_, 1);
  {
    const std::lock_guard lock(mutex_);
    kept_.reset();
  }
  while (refused_ < WithoutDescriptors::kClients && accepted_ == 0) std::this_thread::yield();
  EXPECT_EQ(accepted_, 0);
}

TEST_F(AcceptorTest, StopBeforeRunEndsIt) {
  acceptor_->stop();
  acceptor_->run();
}

}  // namespace
}  // namespace hs::net
