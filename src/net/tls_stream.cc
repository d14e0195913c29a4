#include "net/tls_stream.h"

#include <openssl/err.h>
#include <openssl/ssl.h>

#include <algorithm>
#include <climits>
#include <cstring>
#include <new>

namespace hs::net {
namespace {

// More than a record's header, padding and authentication take in any version.
constexpr size_t kRecordOverhead = 128;
constexpr size_t kLongestRecord = 16u << 10;
// While memory is short. One such record needs a buffer that is never refused (kIdleBuffer).
constexpr size_t kShortRecord = 1u << 10;

// Bytes of a client's certificates.
constexpr long kMostCertificates = 32 << 10;

constexpr unsigned char kSessionContext[] = "handlersocket";

size_t sealed_size(size_t plain) { return plain + (plain / kLongestRecord + 1) * kRecordOverhead; }

// The library reads `bytes` while this lives.
class Reading {
 public:
  Reading(std::string_view* source, std::string_view bytes) : source_(source) { *source = bytes; }
  Reading(const Reading&) = delete;
  Reading& operator=(const Reading&) = delete;
  ~Reading() { *source_ = {}; }

 private:
  std::string_view* const source_;
};

}  // namespace

// The library's way to the bytes: reads source_ and writes records_.
struct TlsStream::Bio {
  static TlsStream& stream(BIO* bio) { return *static_cast<TlsStream*>(BIO_get_data(bio)); }

  static int read(BIO* bio, char* bytes, int size) {
    std::string_view& source = stream(bio).source_;
    BIO_clear_retry_flags(bio);
    if (source.empty()) {
      BIO_set_retry_read(bio);
      return -1;
    }
    const size_t read = std::min(static_cast<size_t>(std::max(size, 0)), source.size());
    std::memcpy(bytes, source.data(), read);
    source.remove_prefix(read);
    return static_cast<int>(read);
  }

  static int write(BIO* bio, const char* bytes, int size) {
    BIO_clear_retry_flags(bio);
    try {
      stream(bio).records_.append({bytes, static_cast<size_t>(std::max(size, 0))});
      return size;
    } catch (const std::bad_alloc&) {
      return -1;  // nothing may be thrown through the library
    }
  }

  static long control(BIO*, int command, long, void*) { return command == BIO_CTRL_FLUSH ? 1 : 0; }

  static int create(BIO* bio) {
    BIO_set_init(bio, 1);
    return 1;
  }

  struct Method {
    Method() : method(BIO_meth_new(BIO_TYPE_SOURCE_SINK, "handlersocket")) {
      if (method == nullptr) return;
      BIO_meth_set_read(method, read);
      BIO_meth_set_write(method, write);
      BIO_meth_set_ctrl(method, control);
      BIO_meth_set_create(method, create);
    }
    ~Method() { BIO_meth_free(method); }
    BIO_METHOD* const method;
  };
};

void TlsStream::Free::operator()(ssl_st* ssl) const { SSL_free(ssl); }

std::unique_ptr<TlsStream> TlsStream::create(ssl_st* ssl, Memory* memory) {
  std::unique_ptr<ssl_st, Free> owned(ssl);
  static const Bio::Method kMethod;
  std::unique_ptr<TlsStream> stream(new TlsStream(memory));
  stream->take_object();
  stream->ssl_ = std::move(owned);
  BIO* const bio = kMethod.method == nullptr ? nullptr : BIO_new(kMethod.method);
  if (bio == nullptr) throw std::bad_alloc();
  BIO_set_data(bio, stream.get());
  SSL_set_bio(ssl, bio, bio);
  // What was decrypted may be a password, so the library overwrites it once it was read.
  SSL_set_options(ssl, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION | SSL_OP_CLEANSE_PLAINTEXT);
  // Otherwise a client that resumes a session is refused where the server asks for certificates.
  SSL_set_session_id_context(ssl, kSessionContext, sizeof kSessionContext - 1);
  SSL_set_max_cert_list(ssl, kMostCertificates);
  SSL_set_accept_state(ssl);
  stream->use_library_buffers();
  return stream;
}

TlsStream::~TlsStream() {
  if (memory_ != nullptr) memory_->give_back(taken_);
}

// As for a large buffer: handshakes leave a quarter of the memory to the requests of others. Were it
// less, the idle connections of a busy server would not fit.
void TlsStream::take_object() {
  if (memory_ == nullptr) return;
  if (!memory_->take(kObject, Memory::kLarge + 1, true)) throw MemoryRefused();
  taken_ += kObject;
}

// They are part of what a connection costs, as its small buffers are, and so they are never refused.
void TlsStream::use_library_buffers() {
  if (has_library_buffers_) return;
  has_library_buffers_ = true;
  if (memory_ != nullptr && memory_->take(kLibraryBuffers, 0, true)) taken_ += kLibraryBuffers;
}

void TlsStream::shrink() {
  held_.shrink(0);
  records_.shrink(kIdleBuffer);
  if (!has_library_buffers_ || !established_ || SSL_free_buffers(ssl()) != 1) return;
  has_library_buffers_ = false;
  if (memory_ == nullptr) return;
  memory_->give_back(kLibraryBuffers);
  taken_ -= kLibraryBuffers;
}

void TlsStream::set_known(bool known) {
  held_.set_known(known);
  records_.set_known(known);
}

TlsStream::Progress TlsStream::failed() {
  broken_ = true;
  return Progress::kFailed;
}

TlsStream::Progress TlsStream::shake_hands(Buffer& input) {
  if (hello_is_too_long_) {
    held_.drop();
    return failed();
  }
  const Reading reading(&source_, held_.view());
  ERR_clear_error();  // of whatever this thread did before
  const int done = SSL_do_handshake(ssl());
  // Behind the hello of TLS 1.2 an encrypted record may follow that looks like one. In TLS 1.3 there
  // may be a second hello, and what is encrypted has a type of its own.
  may_be_hello_ = SSL_version(ssl()) > TLS1_2_VERSION;
  Progress progress = Progress::kGoesOn;
  if (done == 1) {
    established_ = true;
    progress = decrypt(input);
  } else if (SSL_get_error(ssl(), done) != SSL_ERROR_WANT_READ) {
    progress = failed();
  }
  held_.drop();
  return progress;
}

TlsStream::Progress TlsStream::receive(std::string_view bytes, Buffer& input) {
  const Reading reading(&source_, bytes);
  use_library_buffers();
  return decrypt(input);
}

// Asks the library only while there may be more, since a call that finds nothing costs as much as
// one that does.
TlsStream::Progress TlsStream::decrypt(Buffer& input) {
  ERR_clear_error();
  while (!source_.empty() || SSL_has_pending(ssl()) != 0) {
    const auto decrypted = static_cast<size_t>(SSL_pending(ssl()));
    char* const room = input.reserve(std::clamp(source_.size(), decrypted + 1, kLongestRecord + 1));
    size_t size = 0;
    const int done = SSL_read_ex(ssl(), room, std::min<size_t>(input.writable(), INT_MAX), &size);
    if (done == 1) {
      input.commit(size);
      continue;
    }
    switch (SSL_get_error(ssl(), done)) {
      case SSL_ERROR_WANT_READ:
        return Progress::kGoesOn;
      case SSL_ERROR_ZERO_RETURN:
        return Progress::kEnded;
      default:
        return failed();
    }
  }
  return Progress::kGoesOn;
}

size_t TlsStream::seal(std::string_view plain) {
  if (broken_ || ended_) return 0;
  use_library_buffers();
  size_t size = std::min(plain.size(), kMostSealed);
  try {
    try {
      records_.reserve(sealed_size(size));
    } catch (const MemoryRefused&) {
      size = std::min(size, kShortRecord);
      records_.reserve(sealed_size(size));
    }
  } catch (const std::bad_alloc&) {
    return 0;
  }
  ERR_clear_error();
  size_t sealed = 0;
  if (SSL_write_ex(ssl(), plain.data(), size, &sealed) == 1) return sealed;
  failed();
  return 0;
}

void TlsStream::seal_end() {
  if (broken_ || ended_ || !established_) return;
  ended_ = true;
  ERR_clear_error();
  SSL_shutdown(ssl());
}

const char* TlsStream::version() const { return SSL_get_version(ssl()); }
const char* TlsStream::cipher() const { return SSL_get_cipher_name(ssl()); }

}  // namespace hs::net
