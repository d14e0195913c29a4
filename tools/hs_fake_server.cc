// The whole network server without a database: the protocol over tables in memory.
//
// For tests of clients, also under sanitizers, and for measuring the cost of everything but the
// database. Prints one line of JSON with its ports when it is ready. SIGINT or SIGTERM ends it.
#include <getopt.h>
#include <signal.h>

#include <charconv>
#include <cstdint>
#include <iostream>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "protocol/memcached/codec.h"
#include "protocol/resp/codec.h"
#include "server/server.h"
#include "testing/fake_engine.h"
#include "testing/fixtures/own_tls.h"

namespace {

using hs::engine::Mode;
using hs::protocol::memcached::memcached_protocol;
using hs::protocol::resp::resp_protocol;
using hs::server::EndpointConfig;
using hs::testing::FakeEngine;

constexpr const char* kUsage = R"(usage: hs_fake_server [OPTION]...
  --port PORT --port-wr PORT          read and write port, 0 = any free one (the default), '' = off
  --resp-port PORT                    for clients of Redis, 0 = any free one; off unless it is given
  --memcached-port PORT               for clients of memcached, likewise
  --address ADDRESS                   127.0.0.1 is the default; / = the ports are paths of sockets
  --threads N --threads-wr N          threads that serve each port (1)
  --secret TEXT --secret-wr TEXT      what clients must authenticate with (nothing)
  --tls-cert FILE --tls-key FILE      serve TLS, too, with this certificate and key (PEM)
  --idle-timeout SECONDS              close connections without traffic after that (300)
  --max-connections N                 of each port (20000)
  --max-request-size BYTES            of one line (67108864)
  --max-reply-size BYTES              of one line (67108864)
  --max-rows N                        of one find (4294967295)
  --max-in-keys N                     values of one IN (1048576)
  --max-columns N                     in each list of an open index (4096)
  --max-buffered BYTES                of replies for a client that does not read (262144)
  --max-memory BYTES                  of all connections together (536870912)
  --table DEFINITION                  a table, such as
        'd.t(k int auto_increment, v text null; PRIMARY(k); unique by_v(v))'
        Columns: name, int | unsigned | text, then null, auto_increment, default WORD; and
        expires, in seconds as they are compared with those of --now.
  --row DATABASE.TABLE:VALUE,...      a row of it; an unquoted NULL is NULL
  --now SECONDS                       what time it is for rows that expire (0)
  --sample ROWS                       the table test.user of the documentation with ROWS rows
)";

enum Option : int {
  kPort = 1,
  kPortWr,
  kRespPort,
  kMemcachedPort,
  kAddress,
  kThreads,
  kThreadsWr,
  kSecret,
  kSecretWr,
  kTlsCert,
  kTlsKey,
  kIdleTimeout,
  kMaxConnections,
  kMaxRequestSize,
  kMaxReplySize,
  kMaxRows,
  kMaxInKeys,
  kMaxColumns,
  kMaxBuffered,
  kMaxMemory,
  kTable,
  kRow,
  kNow,
  kSample,
};

constexpr option kOptions[] = {{"port", required_argument, nullptr, kPort},
                               {"port-wr", required_argument, nullptr, kPortWr},
                               {"resp-port", required_argument, nullptr, kRespPort},
                               {"memcached-port", required_argument, nullptr, kMemcachedPort},
                               {"address", required_argument, nullptr, kAddress},
                               {"threads", required_argument, nullptr, kThreads},
                               {"threads-wr", required_argument, nullptr, kThreadsWr},
                               {"secret", required_argument, nullptr, kSecret},
                               {"secret-wr", required_argument, nullptr, kSecretWr},
                               {"tls-cert", required_argument, nullptr, kTlsCert},
                               {"tls-key", required_argument, nullptr, kTlsKey},
                               {"idle-timeout", required_argument, nullptr, kIdleTimeout},
                               {"max-connections", required_argument, nullptr, kMaxConnections},
                               {"max-request-size", required_argument, nullptr, kMaxRequestSize},
                               {"max-reply-size", required_argument, nullptr, kMaxReplySize},
                               {"max-rows", required_argument, nullptr, kMaxRows},
                               {"max-in-keys", required_argument, nullptr, kMaxInKeys},
                               {"max-columns", required_argument, nullptr, kMaxColumns},
                               {"max-buffered", required_argument, nullptr, kMaxBuffered},
                               {"max-memory", required_argument, nullptr, kMaxMemory},
                               {"table", required_argument, nullptr, kTable},
                               {"row", required_argument, nullptr, kRow},
                               {"now", required_argument, nullptr, kNow},
                               {"sample", required_argument, nullptr, kSample},
                               {}};

[[noreturn]] void fail(const std::string& message) {
  std::cerr << "hs_fake_server: " << message << "\n";
  std::exit(1);
}

template <class Number>
void set_number(std::string_view text, Number* number) {
  const auto [rest, failed] = std::from_chars(text.data(), text.data() + text.size(), *number);
  if (failed != std::errc() || rest != text.data() + text.size()) {
    fail("'" + std::string(text) + "' is not a number in range");
  }
}

void add_table(FakeEngine& engine, std::string_view definition) {
  std::string error;
  if (!hs::testing::parse_table_definition(definition, &error)) fail(error);
  engine.create_table(definition);
}

void add_row(FakeEngine& engine, std::string_view text) {
  const size_t dot = text.find('.');
  const size_t colon = text.find(':');
  if (dot == std::string_view::npos || colon == std::string_view::npos || colon < dot) {
    fail("--row wants DATABASE.TABLE:VALUE,...");
  }
  std::vector<std::optional<std::string>> values;
  for (std::string_view rest = text.substr(colon + 1);;) {
    const size_t comma = rest.find(',');
    const std::string_view value = rest.substr(0, comma);
    values.emplace_back(value == "NULL" ? std::nullopt : std::optional<std::string>(value));
    if (comma == std::string_view::npos) break;
    rest.remove_prefix(comma + 1);
  }
  if (!engine.add_row(text.substr(0, dot), text.substr(dot + 1, colon - dot - 1), values)) {
    fail("the table refuses the row " + std::string(text));
  }
}

void set_now(FakeEngine& engine, std::string_view text) {
  int64_t now = 0;
  set_number(text, &now);
  engine.set_now(now);
}

void add_sample(FakeEngine& engine, std::string_view text) {
  uint32_t rows = 0;
  set_number(text, &rows);
  engine.create_table(
      "test.user(user_id unsigned, user_name text null, user_email text null, created text null; "
      "PRIMARY(user_id))");
  for (uint32_t i = 1; i <= rows; ++i) {
    const std::string id = std::to_string(i);
    const bool is_first = i == 101;
    engine.add_row(
        "test", "user",
        {id, is_first ? "Yukari Takeba" : "user name " + id,
         is_first ? "yukari.takeba@dena.jp" : "user" + id + "@example.com", "2010-02-03 11:22:33"});
  }
}

// One on the terms of the write port, for clients of another protocol.
void add_endpoint(hs::server::Config& config, const char* port,
                  const hs::protocol::Protocol& protocol, const char* variable) {
  EndpointConfig added = config.endpoints[1];
  added.port = port;
  added.protocol = &protocol;
  added.port_variable = variable;
  config.endpoints.push_back(std::move(added));
}

struct TlsFiles {
  std::string certificate;
  std::string key;
};

void apply(int option, const char* text, hs::server::Config& config, FakeEngine& engine,
           TlsFiles& tls) {
  EndpointConfig& read = config.endpoints[0];
  EndpointConfig& write = config.endpoints[1];
  switch (option) {
    case kPort:
      read.port = text;
      break;
    case kPortWr:
      write.port = text;
      break;
    case kRespPort:
      add_endpoint(config, text, resp_protocol(), "handlersocket_resp_port");
      break;
    case kMemcachedPort:
      add_endpoint(config, text, memcached_protocol(), "handlersocket_memcached_port");
      break;
    case kAddress:
      read.address = write.address = text;
      break;
    case kThreads:
      set_number(text, &config.read_threads);
      break;
    case kThreadsWr:
      set_number(text, &config.write_threads);
      break;
    case kSecret:
      read.authentication.secret = text;
      break;
    case kSecretWr:
      write.authentication.secret = text;
      break;
    case kTlsCert:
      tls.certificate = text;
      break;
    case kTlsKey:
      tls.key = text;
      break;
    case kIdleTimeout:
      set_number(text, &config.idle_timeout_s);
      break;
    case kMaxConnections:
      set_number(text, &config.limits.max_connections);
      break;
    case kMaxRequestSize:
      set_number(text, &config.limits.max_request_size);
      break;
    case kMaxReplySize:
      set_number(text, &config.limits.max_reply_size);
      break;
    case kMaxRows:
      set_number(text, &config.limits.max_rows);
      break;
    case kMaxInKeys:
      set_number(text, &config.limits.max_in_keys);
      break;
    case kMaxColumns:
      set_number(text, &config.limits.max_columns);
      break;
    case kMaxBuffered:
      set_number(text, &config.limits.max_buffered);
      break;
    case kMaxMemory:
      set_number(text, &config.limits.max_memory);
      break;
    case kTable:
      add_table(engine, text);
      break;
    case kRow:
      add_row(engine, text);
      break;
    case kNow:
      set_now(engine, text);
      break;
    case kSample:
      add_sample(engine, text);
      break;
    default:
      std::cerr << kUsage;
      std::exit(2);
  }
}

void log_line(std::string_view message) { std::cerr << std::string(message) + "\n"; }

}  // namespace

int main(int argc, char** argv) {
  FakeEngine engine;
  hs::server::Config config;
  hs::mapping::Directory directory(log_line);
  config.directory = &directory;
  TlsFiles files;
  config.endpoints = {
      {.port = "0"},
      {.port = "0", .mode = Mode::kReadWrite, .port_variable = "handlersocket_port_wr"}};
  for (EndpointConfig& endpoint : config.endpoints) endpoint.allow_unauthenticated = true;
  config.read_threads = config.write_threads = 1;
  for (int chosen; (chosen = ::getopt_long(argc, argv, "", kOptions, nullptr)) != -1;) {
    apply(chosen, optarg, config, engine, files);
  }
  if (optind != argc) apply('?', nullptr, config, engine, files);
  hs::net::OwnTls tls;
  if (!files.certificate.empty() || !files.key.empty()) {
    if (!tls.load(files.certificate, files.key)) fail("cannot read the certificate and its key");
    config.tls = &tls;
  }
  std::erase_if(config.endpoints,
                [](const EndpointConfig& endpoint) { return endpoint.port.empty(); });

  sigset_t ending;
  ::sigemptyset(&ending);
  ::sigaddset(&ending, SIGINT);
  ::sigaddset(&ending, SIGTERM);
  ::sigprocmask(SIG_BLOCK, &ending, nullptr);

  std::string error;
  const auto server =
      hs::server::Server::start(config, engine, {log_line, log_line, log_line}, &error);
  if (server == nullptr) fail(error);
  std::cout << "{\"port\":" << server->port(Mode::kReadOnly)
            << ",\"port_wr\":" << server->port(Mode::kReadWrite)
            << ",\"resp_port\":" << server->port(Mode::kReadWrite, resp_protocol())
            << ",\"memcached_port\":" << server->port(Mode::kReadWrite, memcached_protocol()) << "}"
            << std::endl;
  int signal = 0;
  ::sigwait(&ending, &signal);
  server->stop();
  return 0;
}
