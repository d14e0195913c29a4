#include "adapter/client_half.h"

#include <string.h>

#include <algorithm>

namespace hs::adapter {
namespace {

constexpr size_t kHeader = 4;  // three bytes of size, one that counts the packets
constexpr unsigned char kOtherPlugin = 0xfe;
constexpr char kEscape = 1;  // in front of a question that could be taken for another packet
// A plugin that asks more often wants something else than a password.
constexpr int kMostAnswers = 8;

}  // namespace

void ClientHalf::write(const unsigned char* bytes, size_t size) {
  received_.append(reinterpret_cast<const char*>(bytes), size);
}

size_t ClientHalf::read(unsigned char* bytes, size_t size) {
  if (taken_ == answer_.size() && !answer()) return 0;
  const size_t count = std::min(size, answer_.size() - taken_);
  memcpy(bytes, answer_.data() + taken_, count);
  taken_ += count;
  return count;
}

// Answers the last packet that was received.
bool ClientHalf::answer() {
  forget_answer();
  std::string_view last;
  unsigned char number = 0;
  for (std::string_view rest = received_; rest.size() >= kHeader;) {
    const auto byte = [&](size_t i) { return size_t{static_cast<unsigned char>(rest[i])}; };
    const size_t size = byte(0) + (byte(1) << 8) + (byte(2) << 16);
    if (rest.size() - kHeader < size) break;
    number = static_cast<unsigned char>(rest[3]);
    last = rest.substr(kHeader, size);
    rest.remove_prefix(kHeader + size);
  }
  if (last.empty() || is_over_ || ++answers_ > kMostAnswers) return false;
  std::string_view question = last;
  if (static_cast<unsigned char>(last[0]) == kOtherPlugin) {
    const size_t end = std::min(last.find('\0'), last.size());
    plugin_ = last.substr(1, end - 1);
    question = last.substr(std::min(end + 1, last.size()));
  } else if (last[0] == kEscape) {
    question.remove_prefix(1);
  }
  // The packet is built in place, so that no copy of the proof is left in memory.
  constexpr size_t kMostProof = 64u << 10;
  answer_.reserve(kHeader + kMostProof);
  answer_.assign(kHeader, '\0');
  if (!answer_to(question, &answer_) || answer_.size() > kHeader + kMostProof) {
    forget_answer();
    return false;
  }
  const size_t size = answer_.size() - kHeader;
  last_proof_size_ = size;
  for (size_t i = 0; i < 3; ++i) answer_[i] = static_cast<char>(size >> (8 * i));
  answer_[3] = static_cast<char>(number + 1);
  received_.clear();
  return true;
}

engine::Dialogue::Outcome ClientHalf::ask_client(std::string_view method, std::string_view question,
                                                 std::string* proof) {
  using Outcome = engine::Dialogue::Outcome;
  const Outcome outcome = credentials_.dialogue->ask(method, question, proof);
  if (outcome == Outcome::kAnswered || outcome == Outcome::kCannot) return outcome;
  is_over_ = true;
  is_given_up_ = outcome == Outcome::kGivenUp;
  return outcome;
}

void ClientHalf::forget_answer() {
  ::explicit_bzero(answer_.data(), answer_.size());
  answer_.clear();
  taken_ = 0;
}

}  // namespace hs::adapter
