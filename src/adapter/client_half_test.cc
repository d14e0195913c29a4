#include "adapter/client_half.h"

#include <gtest/gtest.h>

#include <array>
#include <string>

namespace hs::adapter {
namespace {

using engine::Dialogue;

// Answers with the method's name and the question.
class Echo final : public ClientHalf {
 public:
  explicit Echo(const engine::Credentials& credentials) : ClientHalf(credentials) {}
  bool has_proof = true;

 private:
  bool answer_to(std::string_view question, std::string* proof) override {
    if (credentials().dialogue != nullptr)
      return ask_client(plugin(), question, proof) == Dialogue::Outcome::kAnswered;
    *proof += plugin() + ":";
    *proof += question;
    return has_proof;
  }
};

struct Client final : Dialogue {
  Outcome outcome = Outcome::kAnswered;
  Outcome ask(std::string_view method, std::string_view, std::string* answer) override {
    answer->append(method);
    return outcome;
  }
};

std::string packet(unsigned char number, std::string_view body) {
  std::string made;
  for (int i = 0; i < 3; ++i) made += static_cast<char>(body.size() >> (8 * i));
  made += static_cast<char>(number);
  return made.append(body);
}

void write(ClientHalf& half, const std::string& bytes) {
  half.write(reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size());
}

std::string read(ClientHalf& half) {
  std::string all;
  std::array<unsigned char, 3> some{};
  while (const size_t count = half.read(some.data(), some.size())) {
    all.append(reinterpret_cast<const char*>(some.data()), count);
    if (count < some.size()) break;  // else it would answer once more
  }
  return all;
}

TEST(ClientHalf, TheLastPacketIsAnsweredByTheMethodThatItNames) {
  const engine::Credentials credentials;
  Echo half(credentials);
  write(half, packet(0, "first") + packet(1, std::string_view("\xfemethod\0nonce", 13)));
  EXPECT_EQ(read(half), packet(2, "method:nonce"));
  EXPECT_EQ(half.last_proof_size(), std::string_view("method:nonce").size());
  write(half, packet(3,
                     "\x01"
                     "more"));
  EXPECT_EQ(read(half), packet(4, "method:more")) << "without the escape";
  EXPECT_EQ(half.last_proof_size(), std::string_view("method:more").size());
  EXPECT_FALSE(half.is_over());
}

TEST(ClientHalf, HalfAPacketAndNoProofHaveNoAnswer) {
  const engine::Credentials credentials;
  Echo half(credentials);
  write(half, packet(0, "question").substr(0, 6));
  EXPECT_EQ(read(half), "");
  Echo mute(credentials);
  mute.has_proof = false;
  write(mute, packet(0, "question"));
  EXPECT_EQ(read(mute), "");
}

TEST(ClientHalf, AMethodThatAsksOnAndOnIsLeft) {
  const engine::Credentials credentials;
  Echo half(credentials);
  int answers = 0;
  for (; answers < 100; ++answers) {
    write(half, packet(0, "again?"));
    if (read(half).empty()) break;
  }
  EXPECT_EQ(answers, 8);
}

TEST(ClientHalf, AClientThatHasGoneIsAskedNoMore) {
  struct Case {
    Dialogue::Outcome outcome;
    bool is_over, is_given_up;
  };
  for (const Case& one :
       {Case{Dialogue::Outcome::kAnswered, false, false},
        Case{Dialogue::Outcome::kCannot, false, false}, Case{Dialogue::Outcome::kLeft, true, false},
        Case{Dialogue::Outcome::kGivenUp, true, true}}) {
    Client client;
    client.outcome = one.outcome;
    engine::Credentials credentials;
    credentials.dialogue = &client;
    Echo half(credentials);
    write(half, packet(0,
                       "\xfe"
                       "method"));
    const bool answers = one.outcome == Dialogue::Outcome::kAnswered;
    EXPECT_EQ(read(half), answers ? packet(1, "method") : "");
    EXPECT_EQ(half.is_over(), one.is_over);
    EXPECT_EQ(half.is_given_up(), one.is_given_up);
    write(half, packet(0,
                       "\xfe"
                       "method"));
    EXPECT_EQ(read(half).empty(), !answers);
  }
}

}  // namespace
}  // namespace hs::adapter
