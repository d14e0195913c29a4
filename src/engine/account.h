// Accounts of the database: how a client logs in to one, and what it may do.
#pragma once

#include <string.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace hs::engine {

// What requests of one account have done.
struct AccountWork {
  uint64_t reads = 0;  // requests ...
  uint64_t changes = 0;
  uint64_t others = 0;
  uint64_t empty_reads = 0;  // that found no row
  uint64_t denied = 0;       // for want of a privilege
  uint64_t rows_read = 0;
  uint64_t rows_inserted = 0;
  uint64_t rows_updated = 0;
  uint64_t rows_deleted = 0;
  uint64_t bytes_received = 0;
  uint64_t bytes_sent = 0;
};

// An account of the database, as one client has logged in to it. The database counts the login as
// one of the account's connections until the object is destroyed. Any thread may do that.
class Account {
 public:
  virtual ~Account() = default;
  // Adds to what the database tells of its users, if it tells anything. The replies are final.
  virtual void note(const AccountWork& /*work*/) const {}
  // Whether the account may see the connections of others, and end them: as SQL's list of processes
  // and KILL let it.
  virtual bool sees_connections() const { return false; }
  virtual bool ends_connections() const { return false; }
};
using AccountPtr = std::shared_ptr<const Account>;

// The client of a login that is under way.
class Dialogue {
 public:
  enum class Outcome : uint8_t {
    kAnswered,
    kCannot,   // the client cannot do the method, or only where none can listen
    kLeft,     // the client has gone or is silent
    kGivenUp,  // the login shall end, through no fault of the client's
  };

  virtual ~Dialogue() = default;
  // The login's thread: puts to the client what the account's method wants it to answer, and waits.
  // The answer is appended to `answer`, for which there must be room. After kLeft or kGivenUp the
  // client is asked no more, and the socket and TLS of the credentials may be gone. Does not throw.
  virtual Outcome ask(std::string_view method, std::string_view question, std::string* answer) = 0;
};

// What a client shows of itself to log in.
struct Credentials {
  enum class Proof : uint8_t {
    kResponse,  // `secret` is the answer to `challenge`, as mysql_native_password makes it
    kPassword,  // `secret` is the password; only for a channel that none can listen to
    kPeer,      // the socket's other end is a process of the right user of the system
    kDialogue,  // the client answers what `dialogue` asks it
  };
  static constexpr size_t kChallengeSize = 20;

  Credentials() = default;
  Credentials(const Credentials&) = delete;
  Credentials& operator=(const Credentials&) = delete;
  ~Credentials() { forget_secret(); }
  void forget_secret() {
    ::explicit_bzero(secret.data(), secret.size());
    secret.clear();
  }

  std::string user;
  Proof proof = Proof::kPassword;
  std::string secret;
  std::array<char, kChallengeSize> challenge{};  // no byte is 0
  Dialogue* dialogue = nullptr;
  // The client's, for its address. The engine neither reads from it nor writes to it.
  int socket = -1;
  void* tls = nullptr;  // the connection's SSL, for what is asked of its certificate; null: no TLS
};

// What an account may do with an opened spec. Columns are counted from a list's first one on: a
// privilege reaches as far as the account has it for each column so far.
struct Rights {
  static constexpr size_t kAll = SIZE_MAX;
  bool sees = true;  // false: for this account there is no such table
  // The privilege is there for the table, or for any column of it.
  bool selects = true, inserts = true, updates = true, deletes = true;
  size_t select_columns = kAll;  // of IndexSpec::columns
  size_t select_filters = kAll;  // of IndexSpec::filter_columns
  size_t select_key = kAll;      // of the index
  size_t insert_columns = kAll;  // of IndexSpec::columns
  size_t update_columns = kAll;  // likewise
};
inline constexpr Rights kAllRights;

}  // namespace hs::engine
