// Any bytes as a connection may receive them: cut into lines, parsed, and their values encoded
// again.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/limits.h"
#include "protocol/handlersocket/encoding.h"
#include "protocol/handlersocket/framing.h"
#include "protocol/handlersocket/parser.h"
#include "protocol/handlersocket/reply_encoder.h"
#include "require.h"
#include "testing/fixtures/request_text.h"

namespace {

using namespace hs;
using namespace hs::protocol;
using namespace hs::protocol::handlersocket;
using hs::fuzz::has_planted_bug;
using hs::fuzz::require;

constexpr size_t kMaxLine = 4096;

bool inside(const Value& value, std::string_view line) {
  return value.data >= line.data() && value.data + value.size <= line.data() + line.size();
}

// Checks that decode(encode(x)) == x, and that the encoded form is one token.
void check_encoding(const Value& value) {
  Buffer encoded;
  append_value(encoded, value);
  require(is_null_token(encoded.view()) == value.is_null(), "only NULL is sent as NULL");
  if (value.is_null()) return;
  require(encoded.view().find_first_of("\t\n") == std::string_view::npos, "one token");
  std::string decoded(encoded.size(), '\0');
  const std::optional<size_t> size = unescape(encoded.view(), decoded.data());
  require(size && std::string_view(decoded).substr(0, *size) == value.text(), "value comes back");
}

void check_values(std::span<const Value> values, std::string_view line) {
  for (const Value& value : values) {
    // A decoded value lies in the scratch and is shorter than its token.
    require(value.is_null() || value.size == 0 || inside(value, line) ||
                line.find(kEscape) != std::string_view::npos,
            "a value is in the line or in the scratch");
    check_encoding(value);
  }
}

// The planted bug: it reads behind the end of the line, for requests of a form that the corpus
// lacks.
void planted_bug(const Request& request, std::string_view line) {
  if (request.error || request.verb != Verb::kModify || !request.return_old) return;
  if (request.offset == 0) return;
  volatile char byte = line.data()[line.size() + request.values.size()];
  (void)byte;
}

void check_line(std::string_view received) {
  // A copy of exactly that size: ASan sees a read of one byte behind it.
  const auto copy = std::make_unique<char[]>(received.size());
  received.copy(copy.get(), received.size());
  const std::string_view line(copy.get(), received.size());

  Parser parser;
  Request request = parser.parse(line);
  const std::string text = to_text(request);
  if (has_planted_bug()) planted_bug(request, line);
  require((request.verb == Verb::kInvalid) <= request.error.has_value(), "invalid is an error");
  require(request.limit >= 1 || request.verb == Verb::kCount, "only a count has no limit");
  require(request.error || request.verb == Verb::kInsert ||
              request.key.size() == request.key_count || request.verb == Verb::kOpen ||
              request.verb == Verb::kAuth || request.verb == Verb::kHello,
          "a request without an error has all of its key");
  check_values(request.key, line);
  check_values(request.values, line);
  if (request.in) check_values(request.in->values, line);
  if (request.updates) check_values(*request.updates, line);
  require(!request.return_old || !request.return_new, "one kind of rows is returned");
  for (const Filter& filter : request.filters) check_values({&filter.value, 1}, line);
  if (request.verb == Verb::kAwaitGtid) check_values({&request.gtids, 1}, line);
  if (request.verb == Verb::kHello) check_values({&request.client_name, 1}, line);
  if (request.verb == Verb::kAuth) {
    check_values({&request.auth_user, 1}, line);
    check_values({&request.auth_key, 1}, line);
  }
  require(parser.scratch() <= Parser::kKeptScratch, "scratch is in proportion");

  require(line == received, "parsing leaves the line as it is");
  require(to_text(parser.parse(line)) == text, "parsing twice gives the same");

  // The values of a parsed request fit into a reply of one line.
  Buffer reply;
  ReplyEncoder encoder(1u << 20);
  encoder.set_target(reply);
  encoder.begin_rows(request.values.size());
  require(encoder.row(request.values), "small replies fit");
  encoder.end_rows();
  require(reply.view().find('\n') == reply.size() - 1, "a reply is one line");
}

// Finds the line when the bytes arrive one by one. Returns how many were needed.
size_t next_line_bytewise(std::string_view unread, Frame* frame) {
  for (size_t size = 0; size <= unread.size(); ++size) {
    *frame = next_line(unread.substr(0, size), size == 0 ? 0 : size - 1, kMaxLine);
    if (frame->state != Frame::State::kIncomplete) return size;
  }
  return unread.size();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::string_view unread(reinterpret_cast<const char*>(data), size);
  for (;;) {
    const Frame frame = next_line(unread, 0, kMaxLine);
    Frame bytewise;
    const size_t needed = next_line_bytewise(unread, &bytewise);
    require(frame.state == bytewise.state, "packets do not matter");
    if (frame.state != Frame::State::kLine) return 0;
    require(frame.line == bytewise.line && frame.consumed == needed, "packets do not matter");
    check_line(frame.line);
    unread.remove_prefix(frame.consumed);
  }
}
