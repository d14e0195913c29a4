// SPDX-License-Identifier: GPL-2.0-only
// The library's entry, and the note that says which server it was built for.
#include "server_parts.h"
// (before anything else)
#include <memory>
#include <string_view>

#include "adapter/library.h"
#include "adapter/variables.h"
#include "in_server/log.h"
#include "in_server/mappings.h"
#include "in_server/purge_host.h"
#include "in_server/status_tables.h"
#include "in_server/tls.h"
#include "seam/elf_note.h"
#include "server_words.h"

namespace hs::in_server {
namespace {

class Host final : public adapter::LibraryHost {
 public:
  void unlock_variables() override { mysql_mutex_unlock(&LOCK_global_system_variables); }
  void lock_variables() override { mysql_mutex_lock(&LOCK_global_system_variables); }
  void raise(std::string_view sentence) override {
    my_printf_error(ER_UNKNOWN_ERROR, "handlersocket: %.*s", MYF(0),
                    static_cast<int>(sentence.size()), sentence.data());
  }
  void raise_no_such_connection(unsigned long long id) override {
    my_printf_error(ER_NO_SUCH_THREAD, "Unknown connection id: %llu", MYF(0), id);
  }
  const void* copy(THD* thd, const void* bytes, size_t size) override {
    return thd->memdup(bytes, size);
  }
  server::OwnPlaces own_places() override {
    const bool listens = !opt_disable_networking;
    return {.addresses = adapter::text(my_bind_addr_str),
            .port = listens ? mysqld_port : 0,
            .second_port = listens ? second_port() : 0,
            .second_setting = kSecondPort,
            .socket = adapter::text(mysqld_unix_port)};
  }

  server::Log log() override { return {log_info, log_warning, log_error}; }
  void complete(server::Config& config) override {
    config.directory = &directory();
    config.version = HS_VERSION;
    config.server_version = server_version;
    config.tls = &server_tls();
    config.slow_log.form = kSlowLogForm;
  }
  std::unique_ptr<adapter::LibraryEngine> make_engine() override {
    return std::make_unique<SqlEngine>();
  }
  std::unique_ptr<adapter::PurgeHost> make_purge_host() override {
    return in_server::make_purge_host();
  }
};

adapter::LibraryHost& host() {
  static Host one;
  return one;
}

// The layout of the server's structures changes with every patch release, and with the options that it
// was built with: a library for another one would corrupt memory. By this note the loader tells before
// it runs any code of this file.
__attribute__((section(".note.handlersocket2"), used,
               aligned(4))) constexpr seam::ElfNote elf_note =
    seam::elf_note(HS_VERSION, MYSQL_VERSION_ID, HS_SERVER_BUILD_ID);

}  // namespace
}  // namespace hs::in_server

// seam::kLibrarySymbol
extern "C" __attribute__((visibility("default"),
                          used)) constinit const hs::seam::Library handlersocket2_library =
    hs::adapter::library<hs::in_server::host>(hs::in_server::describe_table);
