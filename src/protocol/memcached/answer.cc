#include "protocol/memcached/answer.h"

#include <algorithm>
#include <charconv>

#include "protocol/denied_error.h"
#include "protocol/engine_error.h"
#include "protocol/memcached/binary.h"
#include "protocol/memcached/refusals.h"
#include "protocol/memcached/words.h"

namespace hs::protocol::memcached {
namespace {

void append_decimal(uint64_t number, Buffer& output) {
  constexpr size_t kMostDigits = 20;
  char* const begin = output.reserve(kMostDigits);
  output.commit(static_cast<size_t>(std::to_chars(begin, begin + kMostDigits, number).ptr - begin));
}

Refusal fixed_refusal(ErrorCode code) {
  switch (code) {
    case ErrorCode::kUnauthorized:
      return kUnauthenticated;
    case ErrorCode::kAuthType:
      return {Status::kInvalid,
              "CLIENT_ERROR a password is taken here only over TLS or a Unix socket"};
    case ErrorCode::kInsecureTransport:
      return {Status::kInvalid, "CLIENT_ERROR the server requires TLS (require_secure_transport)"};
    case ErrorCode::kReadOnly:
      return {Status::kInternal, "SERVER_ERROR the server is read-only"};
    case ErrorCode::kTooManyConnections:
      return {Status::kInternal, "SERVER_ERROR too many connections"};
    case ErrorCode::kMaxMemory:
      return {Status::kInternal, "SERVER_ERROR out of memory"};
    case ErrorCode::kOpenTable:
      return {Status::kInternal, "SERVER_ERROR the table of the key cannot be opened"};
    case ErrorCode::kUnsupportedTable:
      return {Status::kNotSupported, "SERVER_ERROR the table has a feature that is not served"};
    case ErrorCode::kLockTables:
      return {Status::kInternal, "SERVER_ERROR the table could not be locked in time"};
    case ErrorCode::kRequestTooLong:
      return {Status::kTooLarge, "SERVER_ERROR object too large for cache"};
    case ErrorCode::kReplyTooLong:
      return {Status::kInternal,
              "SERVER_ERROR the reply would be larger than handlersocket_max_reply_size"};
    case ErrorCode::kTooManyIndexes:
      return {Status::kInternal,
              "SERVER_ERROR more tables than handlersocket_max_open_indexes allows"};
    case ErrorCode::kKeyValue:
      return {Status::kInternal, "SERVER_ERROR the key's column would not keep the key as it is"};
    case ErrorCode::kTooManyLogins:
      return {Status::kInternal, "SERVER_ERROR too many logins are under way"};
    case ErrorCode::kShutdown:
      return {Status::kInternal, "SERVER_ERROR the server is shutting down"};
    case ErrorCode::kInterrupted:
      return {Status::kInternal, "SERVER_ERROR the command was killed, and nothing of it was done"};
    default:
      return {};
  }
}

// Of ms.
bool is_store(Verb verb) { return stores(verb) || verb == Verb::kAppend || verb == Verb::kPrepend; }

std::string in_one_line(std::string text) {
  std::replace_if(
      text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < ' '; }, ' ');
  return text;
}

// A word of the protocol and a sentence, for what has no fixed one.
std::string text_of(const Error& error) {
  switch (error.code) {
    case ErrorCode::kSql:
      return in_one_line("SERVER_ERROR " + error.message);
    case ErrorCode::kTableComment:
      return in_one_line("SERVER_ERROR the table's comment: " + error.message);
    case ErrorCode::kAccessDenied:
      return "SERVER_ERROR " + std::string(denied_text(error));
    case ErrorCode::kEngine:
      if (error.number == Error::kDuplicateKey)
        return "SERVER_ERROR another row has the same value in a unique index";
      if (error.number == Error::kLockWaitTimeout)
        return "SERVER_ERROR the row could not be locked in time";
      if (error.number == Error::kDeadlock)
        return "SERVER_ERROR the command was undone because of a deadlock";
      if (const std::string_view text = engine_error_text(error); !text.empty())
        return "SERVER_ERROR " + std::string(text);
      return "SERVER_ERROR error " + std::to_string(error.number) + " of the storage engine";
    default:
      return "SERVER_ERROR " + std::string(error_name(error.code));
  }
}

}  // namespace

void Answer::line(std::string_view text) {
  output_.append(text);
  output_.append(kLineEnd);
}

void Answer::packet(std::string_view value) {
  write_packet({ask_.opcode, ask_.opaque, Status::kOk, 0, {}, {}, value}, output_);
}

void Answer::hit(std::string_view key, const Hit& hit) {
  switch (ask_.form) {
    case Form::kText:
      output_.append("VALUE ");
      output_.append(key);
      output_.append(' ');
      append_decimal(hit.flags, output_);
      output_.append(' ');
      append_decimal(hit.value.size(), output_);
      if (ask_.wants_cas) {
        output_.append(' ');
        append_decimal(hit.cas, output_);
      }
      output_.append(kLineEnd);
      return line(hit.value);
    case Form::kMeta:
      if (!ask_.wants_value) {
        output_.append("HD");
        return meta_flags(&hit);
      }
      output_.append("VA ");
      append_decimal(hit.value.size(), output_);
      meta_flags(&hit);
      return line(hit.value);
    case Form::kBinary:
      break;
  }
  std::string extras;
  append_number(hit.flags, 4, &extras);
  write_packet({ask_.opcode, ask_.opaque, Status::kOk, hit.cas, extras,
                ask_.wants_key ? key : std::string_view(), hit.value},
               output_);
}

// Of what memcached tells here the last access and the slab class have no meaning for a row.
void Answer::facts(const Hit& hit) {
  output_.append("ME ");
  output_.append(ask_.key_as_sent);
  line(" exp=" + std::to_string(hit.seconds_left.value_or(-1)) + " cas=" + std::to_string(hit.cas) +
       " size=" + std::to_string(hit.value.size()));
}

void Answer::miss(std::string_view key) {
  if (ask_.form == Form::kText || ask_.is_quiet) return;
  if (ask_.form == Form::kMeta) {
    output_.append("EN");
    return meta_flags(nullptr);
  }
  const bool has_key = ask_.wants_key;
  write_packet({ask_.opcode,
                ask_.opaque,
                Status::kKeyNotFound,
                0,
                {},
                has_key ? key : std::string_view(),
                has_key ? "" : "Not found"},
               output_);
}

void Answer::end_of_hits() {
  if (ask_.form == Form::kText) line("END");
}

std::string_view Answer::word_of(Outcome outcome) const {
  const bool is_text = ask_.form == Form::kText;
  switch (outcome) {
    case Outcome::kStored:
      return is_text ? "STORED" : "HD";
    case Outcome::kNotStored:
      return is_text ? "NOT_STORED" : "NS";
    case Outcome::kExists:
      return is_text ? "EXISTS" : "EX";
    case Outcome::kNotFound:
      return is_text ? "NOT_FOUND" : "NF";
    case Outcome::kDeleted:
      return is_text ? "DELETED" : "HD";
    case Outcome::kTouched:
      return is_text ? "TOUCHED" : "HD";
  }
  return kLineEnd;
}

bool Answer::is_quiet_about(Outcome outcome) const {
  if (!ask_.is_quiet) return false;
  return outcome == Outcome::kStored || outcome == Outcome::kDeleted ||
         outcome == Outcome::kTouched;
}

void Answer::outcome(Outcome outcome, const Hit& row) {
  if (is_quiet_about(outcome)) return;
  if (ask_.form == Form::kText) return line(word_of(outcome));
  if (ask_.form == Form::kMeta) {
    output_.append(word_of(outcome));
    const bool is_done = word_of(outcome) == "HD";
    return meta_flags(is_done ? &row : nullptr);
  }
  Packet packet{ask_.opcode, ask_.opaque, Status::kOk, row.cas, {}, {}, {}};
  switch (outcome) {
    case Outcome::kStored:
    case Outcome::kDeleted:
    case Outcome::kTouched:
      break;
    case Outcome::kExists:
      packet.status = Status::kKeyExists;
      packet.value = "Data exists for key.";
      break;
    case Outcome::kNotFound:
      packet.status = Status::kKeyNotFound;
      packet.value = "Not found";
      break;
    case Outcome::kNotStored:
      packet.status = ask_.verb == Verb::kAdd       ? Status::kKeyExists
                      : ask_.verb == Verb::kReplace ? Status::kKeyNotFound
                                                    : Status::kNotStored;
      packet.value = ask_.verb == Verb::kAdd       ? "Data exists for key."
                     : ask_.verb == Verb::kReplace ? "Not found"
                                                   : "Not stored.";
      break;
  }
  if (packet.status != Status::kOk) packet.cas = 0;
  write_packet(packet, output_);
}

void Answer::number(const Hit& row) {
  if (ask_.is_quiet) return;
  if (ask_.form == Form::kText) return line(row.value);
  if (ask_.form == Form::kMeta) {
    if (!ask_.wants_value) return outcome(Outcome::kStored, row);
    output_.append("VA ");
    append_decimal(row.value.size(), output_);
    meta_flags(&row);
    return line(row.value);
  }
  std::string bytes;
  append_number(std::stoull(std::string(row.value)), 8, &bytes);
  write_packet({ask_.opcode, ask_.opaque, Status::kOk, row.cas, {}, {}, bytes}, output_);
}

// Ends the line. `row`: null where there is none to tell of.
void Answer::meta_flags(const Hit* row) {
  for (const std::string_view flag : ask_.meta) {
    const char letter = flag.front();
    if (letter == 'O') {
      output_.append(' ');
      output_.append(flag);
    } else if (letter == 'k') {
      output_.append(" k");
      output_.append(ask_.key_as_sent);
      if (ask_.key_is_base64) output_.append(" b");
    } else if (letter == 'c' && row == nullptr && is_store(ask_.verb)) {
      output_.append(" c0");  // nothing was stored
    } else if (row != nullptr) {
      const auto tell = [&](const std::string& number) {
        output_.append(' ');
        output_.append(letter);
        output_.append(number);
      };
      if (letter == 'c') tell(std::to_string(row->cas));
      if (letter == 'f') tell(std::to_string(row->flags));
      if (letter == 's') tell(std::to_string(row->value.size()));
      if (letter == 't') tell(std::to_string(row->seconds_left.value_or(-1)));
    }
  }
  output_.append(kLineEnd);
}

void Answer::version(std::string_view version) {
  if (ask_.form == Form::kBinary) return packet(version);
  output_.append("VERSION ");
  line(version);
}

void Answer::stat(std::string_view name, std::string_view value) {
  if (ask_.form == Form::kBinary) {
    return write_packet({ask_.opcode, ask_.opaque, Status::kOk, 0, {}, name, value}, output_);
  }
  output_.append("STAT ");
  output_.append(name);
  output_.append(' ');
  line(value);
}

void Answer::end_of_stats() { ask_.form == Form::kBinary ? packet() : line("END"); }

void Answer::ok() {
  if (ask_.form == Form::kBinary) return packet();
  line(ask_.form == Form::kMeta ? "MN" : "OK");
}

void Answer::mechanisms() { packet("PLAIN"); }

void Answer::error(const Refusal& why) {
  if (ask_.form != Form::kBinary) return line(why.line);
  write_packet({ask_.opcode, ask_.opaque, why.status, 0, {}, {}, why.line}, output_);
}

void Answer::error(const Error& error) {
  if (error.code == ErrorCode::kLockTables && error.number == Error::kReadOnlyServer) {
    return this->error(fixed_refusal(ErrorCode::kReadOnly));
  }
  if (const Refusal fixed = fixed_refusal(error.code); !fixed.line.empty()) {
    return this->error(fixed);
  }
  this->error({Status::kInternal, text_of(error)});
}

}  // namespace hs::protocol::memcached
