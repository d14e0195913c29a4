// SPDX-License-Identifier: GPL-2.0-only
// The library's entry: what it gives the loader, start and stop, and the note that says which server
// it was built for.
#include "mariadb/server_headers.h"
// (before anything else)
#include <cstdio>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "mariadb/changes.h"
#include "mariadb/configuration.h"
#include "mariadb/engine.h"
#include "mariadb/information_schema.h"
#include "mariadb/purge.h"
#include "mariadb/running.h"
#include "mariadb/status.h"
#include "mariadb/tls.h"
#include "mariadb/variables.h"
#include "seam/library.h"
#include "server/server.h"

namespace hs::mariadb {
namespace {

std::unique_ptr<MariaEngine> engine;
std::unique_ptr<PurgeThread> purge;
std::unique_ptr<server::Server> network_server;

constexpr unsigned kVerboseInfo = 10;

void log_info(std::string_view message) {
  if (verbosity() >= kVerboseInfo)
    sql_print_information("handlersocket: %.*s", static_cast<int>(message.size()), message.data());
}
void log_warning(std::string_view message) {
  if (verbosity() >= kVerboseInfo)
    sql_print_warning("handlersocket: %.*s", static_cast<int>(message.size()), message.data());
}
void log_error(std::string_view message) {
  sql_print_error("handlersocket: %.*s", static_cast<int>(message.size()), message.data());
}

// Calls `work`, which returns false and sets a sentence when it fails.
template <class Work>
bool succeeds(seam::Why* why, Work work) {
  std::string sentence;
  bool done = false;
  try {
    done = work(&sentence);
  } catch (const std::bad_alloc&) {
    sentence = "out of memory";
  }
  if (!done) std::snprintf(why->text, sizeof why->text, "%s", sentence.c_str());
  return done;
}

bool open(const seam::Host* host, seam::Why* why) {
  return succeeds(why, [&](std::string* sentence) {
    use_values_of(*host);
    return take_secrets(host->secret, host->secret_wr, sentence);
  });
}

bool start_with(const server::Config& config, std::string* why) {
  engine = std::make_unique<MariaEngine>();
  network_server = server::Server::start(config, *engine, {log_info, log_warning, log_error}, why);
  if (network_server == nullptr) {
    engine.reset();
    return false;
  }
  try {
    purge = std::make_unique<PurgeThread>(*engine);
  } catch (const std::exception& error) {
    log_error(std::string("expired rows are not purged: ") + error.what());
  }
  Running::set(network_server.get(), engine.get());
  return true;
}

bool start(seam::Why* why) {
  return succeeds(why, [](std::string* sentence) {
    const std::lock_guard turn(turns());
    std::optional<server::Config> config;
    if (read_secret_files(sentence)) config = read_configuration(sentence);
    if (!config || !leaves(own_places(), *config, sentence)) return false;
    config->tls = &server_tls();
    return start_with(*config, sentence);
  });
}

void stop() {
  Running::set(nullptr, nullptr);
  if (network_server != nullptr) {
    engine->interrupt();
    purge.reset();
    network_server->stop();
    network_server.reset();
  }
  engine.reset();
  forget_secrets();
  use_own_values();
}

bool describe_table(seam::Table table, void* schema_table) {
  switch (table) {
#define HS_TABLE(name, ...) \
  case seam::Table::name:   \
    return init_##name##_table(schema_table) == 0;
#include "seam/tables.def"
#undef HS_TABLE
  }
  return false;
}

// The layout of the server's structures changes with every patch release, and with the options that it
// was built with: a library for another one would corrupt memory. By this note the loader tells before
// it runs any code of this file.
struct ElfNote {
  uint32_t name_size = sizeof seam::kNoteName;
  uint32_t size = sizeof(seam::Note);
  uint32_t type = seam::kNoteType;
  char name[sizeof seam::kNoteName] = {};
  seam::Note note = {HS_VERSION, seam::seam_number(), MYSQL_VERSION_ID, HS_SERVER_BUILD_ID};
};
static_assert(sizeof seam::kNoteName % 4 == 0);

constexpr ElfNote made_note() {
  ElfNote made;
  for (size_t i = 0; i < sizeof made.name; ++i) made.name[i] = seam::kNoteName[i];
  return made;
}
__attribute__((section(".note.handlersocket2"), used, aligned(4))) constexpr ElfNote elf_note =
    made_note();

}  // namespace
}  // namespace hs::mariadb

// seam::kLibrarySymbol
extern "C" __attribute__((visibility("default"), used))
const hs::seam::Library handlersocket2_library = {
    hs::mariadb::open,   hs::mariadb::start,         hs::mariadb::stop,
    hs::mariadb::update, hs::mariadb::check_secret,  hs::mariadb::kill_connection,
    hs::mariadb::status, hs::mariadb::describe_table};
