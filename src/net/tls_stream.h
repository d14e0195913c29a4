// The TLS of one connection. Bytes go in and come out in memory: it knows no socket and never
// waits.
//
//   client -> receive() -> plain bytes        plain bytes -> seal() -> records() -> client
//
// One thread at a time, that of the connection. Where memory is short, create(), hold(), receive()
// and shake_hands() throw std::bad_alloc, or MemoryRefused. Nothing more can be received then.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

#include "base/buffer.h"
#include "base/memory.h"
#include "net/hello_size.h"
#include "net/tls_context.h"

namespace hs::net {

class TlsStream {
 public:
  // The first byte of every TLS connection.
  static constexpr char kFirstByte = 0x16;
  // What the library holds for a connection, in bytes: always, and for its buffers while it is
  // busy.
  static constexpr size_t kObject = 16u << 10;
  static constexpr size_t kLibraryBuffers = 34u << 10;
  // Plain bytes that one seal() takes at most: four of the longest records.
  static constexpr size_t kMostSealed = 64u << 10;

  // Takes `ssl`, in any case. Counts in `memory`, which must outlive it; null: counts nothing.
  static std::unique_ptr<TlsStream> create(ssl_st* ssl, Memory* memory);
  TlsStream(const TlsStream&) = delete;
  TlsStream& operator=(const TlsStream&) = delete;
  ~TlsStream();

  enum class Progress : uint8_t {
    kGoesOn,
    kEnded,   // the client has said that it sends nothing more
    kFailed,  // records() may hold an alert for the client; nothing else may be called
  };

  // Keeps bytes of the client until the handshake's turn comes.
  void hold(std::string_view bytes) {
    held_.append(bytes);
    if (may_be_hello_ && !hello_is_too_long_) hello_is_too_long_ = !hello_.take(bytes);
  }
  // One step of the handshake, by the bytes that were held. Costs up to about a millisecond. What
  // the client has sent behind the handshake is appended to `input`.
  Progress shake_hands(Buffer& input);
  bool established() const { return established_; }

  // Appends to `input` what the client's bytes mean. What is no complete record yet is kept.
  Progress receive(std::string_view bytes, Buffer& input);

  // Appends records with the first of these bytes to records(), at most kMostSealed, and fewer when
  // memory is short. Returns how many bytes; 0: it failed.
  size_t seal(std::string_view plain);
  // Appends the record behind which nothing more comes. Later calls do nothing.
  void seal_end();
  // What is to be sent to the client.
  Buffer& records() { return records_; }
  const Buffer& records() const { return records_; }

  // The client is known, see Memory.
  void set_known(bool known);
  // Gives memory back that an idle connection does not need.
  void shrink();

  // For what is asked of a client's certificate. Belongs to the stream.
  ssl_st* ssl() const { return ssl_.get(); }
  // "TLSv1.3", and "TLS_AES_256_GCM_SHA384". They live as long as the process.
  const char* version() const;
  const char* cipher() const;

 private:
  struct Free {
    void operator()(ssl_st* ssl) const;
  };
  struct Bio;

  explicit TlsStream(Memory* memory) : memory_(memory), held_(memory), records_(memory) {}
  void take_object();
  void use_library_buffers();
  Progress decrypt(Buffer& input);
  Progress failed();

  Memory* const memory_;
  size_t taken_ = 0;  // in memory_, besides the two buffers
  bool established_ = false;
  bool broken_ = false;
  bool may_be_hello_ = true;  // what the client sends next
  bool hello_is_too_long_ = false;
  bool ended_ = false;  // seal_end() was called
  bool has_library_buffers_ = false;
  std::unique_ptr<ssl_st, Free> ssl_;
  HelloSize hello_;
  std::string_view source_;  // what the library has not read yet
  Buffer held_;
  Buffer records_;
};

}  // namespace hs::net
