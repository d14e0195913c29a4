// Bytes of a TLS client on their way to TlsStream: cut, changed, doubled, lost, and mixed with
// others; a client that shakes hands again, ends, or stops in the middle.
//
// The client is OpenSSL's. What reaches the reader must be what the client wrote, from its first
// byte on, whatever happens on the way; and the other way round. As long as the bytes are only cut,
// nothing may fail.
//
// An input is a list of steps: one byte that says what, and what it needs behind it. Random numbers
// are the same in every run, so that an input always means the same.
//
// The planted bug: the reader gets a byte of a record that was changed.
#include <openssl/rand.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <string>
#include <string_view>

#include "net/tls_stream.h"
#include "require.h"
#include "testing/fixtures/own_tls.h"
#include "testing/fixtures/tls_peer.h"

namespace {

using namespace hs;
using namespace hs::net;
using hs::fuzz::has_planted_bug;
using hs::fuzz::require;
using Progress = TlsStream::Progress;

uint64_t last_random;

int give_random(unsigned char* bytes, int size) {
  for (int i = 0; i < size; ++i) {
    last_random = last_random * 6364136223846793005u + 1442695040888963407u;
    bytes[i] = static_cast<unsigned char>(last_random >> 56);
  }
  return 1;
}

void begin_random() {
  static const RAND_METHOD kMethod = {nullptr, give_random, nullptr,
                                      nullptr, give_random, [] { return 1; }};
  last_random = 1;
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wdeprecated-declarations"
  RAND_set_rand_method(&kMethod);
#pragma clang diagnostic pop
}

OwnTls& certificate() {
  static OwnTls* const made = [] {
    auto* const tls = new OwnTls;
    require(tls->make(), "there is a certificate");
    return tls;
  }();
  return *made;
}

class Script {
 public:
  explicit Script(std::string_view bytes) : rest_(bytes) {}
  bool empty() const { return rest_.empty(); }
  uint8_t byte() {
    if (rest_.empty()) return 0;
    const auto byte = static_cast<uint8_t>(rest_[0]);
    rest_.remove_prefix(1);
    return byte;
  }
  std::string_view bytes(size_t size) {
    const std::string_view taken = rest_.substr(0, size);
    rest_.remove_prefix(taken.size());
    return taken;
  }
  // Most are short; 255 is longer than three records.
  size_t size() {
    const size_t number = byte();
    return number == 255 ? 50'000 : number;
  }

 private:
  std::string_view rest_;
};

// A server's stream and its client.
class World {
 public:
  World() : stream_(TlsStream::create(certificate().new_connection(), &memory_)) {}
  ~World() {
    stream_.reset();
    input_.drop();
    require(memory_.used() == 0, "no memory stays behind");
  }

  void play(Script script) {
    if ((script.byte() & 1) != 0) client_.use_version(TLS1_2_VERSION);
    while (!script.empty() && !failed_) {
      step(script);
      check();
    }
  }

 private:
  // NOLINTNEXTLINE(readability-function-cognitive-complexity): one case for each step
  void step(Script& script) {
    switch (script.byte() % 14) {
      case 0:
        client_.shake_hands();
        return wire(client_.take());
      case 1:
        return deliver(wire_.size());
      case 2:
        return deliver(script.size());
      case 3: {  // byte by byte
        const size_t size = std::min<size_t>(wire_.size(), 5000);
        for (size_t i = 0; i < size && !failed_; ++i) deliver(1);
        return;
      }
      case 4:
        if (wire_.empty()) return;
        change(wire_[script.size() % wire_.size()], script.byte());
        return;
      case 5:
        is_whole_ = false;
        wire_.append(script.bytes(script.byte()));
        return;
      case 6:
        is_whole_ = is_whole_ && wire_.empty();
        wire_.erase(0, script.size());
        return;
      case 7:
        is_whole_ = is_whole_ && wire_.empty();
        wire_ += wire_.substr(0, 60'000);
        return;
      case 8:
        return write(script.size());
      case 9:
        if (client_.connected()) client_.end();
        has_ended_ = true;
        return wire(client_.take());
      case 10:
        client_.renegotiate();
        renegotiates_ = true;
        return wire(client_.take());
      case 11:
        return reply(script.size());
      case 12:
        stream_->shrink();
        return;
      default:
        stream_->seal_end();
        return to_client();
    }
  }

  void wire(const std::string& bytes) { wire_ += bytes; }

  void change(char& byte, uint8_t by) {
    if (by == 0) return;
    byte = static_cast<char>(static_cast<uint8_t>(byte) ^ by);
    is_whole_ = false;
  }

  void write(size_t size) {
    if (!client_.connected() || has_ended_ || renegotiates_) return;
    std::string text;
    for (size_t i = 0; i < size; ++i) text += static_cast<char>('a' + (written_.size() + i) % 26);
    if (text.empty()) return;
    client_.write(text);
    written_ += text;
    wire(client_.take());
  }

  void deliver(size_t size) {
    size = std::min(size, wire_.size());
    const std::string bytes = wire_.substr(0, size);
    wire_.erase(0, size);
    if (bytes.empty()) return;
    Progress progress = Progress::kGoesOn;
    try {
      if (stream_->established()) {
        progress = stream_->receive(bytes, input_);
      } else {
        stream_->hold(bytes);
        progress = stream_->shake_hands(input_);
      }
    } catch (const std::bad_alloc&) {
      progress = Progress::kFailed;
      is_whole_ = false;
    }
    if (progress == Progress::kFailed) fail();
    if (progress == Progress::kEnded) require(has_ended_, "only the client ends its input");
    to_client();
  }

  void fail() {
    failed_ = true;
    require(!is_whole_ || renegotiates_ || client_.was_warned(), "what is only cut never fails");
    require(stream_->seal("x") == 0, "nothing is sent behind a failure");
    if (has_planted_bug() && stream_->established() && !is_whole_) input_.append("?");
    check();
  }

  void reply(size_t size) {
    if (!stream_->established()) return;
    const std::string text(size, 'r');
    if (text.empty()) return;
    sealed_ += stream_->seal(text);
    to_client();
  }

  void to_client() {
    const std::string bytes(stream_->records().view());
    stream_->records().consume(bytes.size());
    client_.give(bytes);
    if (client_.connected()) read_ += client_.read();
    require(read_.size() <= sealed_ && read_.find_first_not_of('r') == std::string::npos,
            "the client reads what was sealed");
  }

  void check() {
    require(std::string_view(written_).starts_with(input_.view()),
            "what is read is what the client wrote");
  }

  Memory memory_{0};
  TlsPeer client_;
  std::unique_ptr<TlsStream> stream_;
  Buffer input_;
  std::string wire_;      // on the way to the server
  std::string written_;   // by the client
  std::string read_;      // by the client
  size_t sealed_ = 0;     // bytes of replies
  bool is_whole_ = true;  // the server has got nothing but what the client sent, in order
  bool has_ended_ = false;
  bool renegotiates_ = false;
  bool failed_ = false;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  begin_random();
  World().play(Script({reinterpret_cast<const char*>(data), size}));
  return 0;
}
