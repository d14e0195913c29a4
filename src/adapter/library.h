// What a library does for the loader (seam::Library), but for what depends on the server. That it asks
// its LibraryHost.
#pragma once

#include <memory>

#include "adapter/changes.h"
#include "adapter/library_engine.h"
#include "adapter/purge.h"
#include "adapter/status.h"
#include "seam/library.h"
#include "server/config.h"

namespace hs::adapter {

// The server, as the library sees it.
class LibraryHost : public SettingsHost {
 public:
  virtual server::Log log() = 0;
  // Adds what the variables do not say.
  virtual void complete(server::Config& config) = 0;
  // Both may throw std::exception.
  virtual std::unique_ptr<LibraryEngine> make_engine() = 0;
  virtual std::unique_ptr<PurgeHost> make_purge_host() = 0;
};

// Library::open, start, stop.
bool open(const seam::Host* given, seam::Why* why);
bool start(LibraryHost& host, seam::Why* why);
void stop();

// The library of the host that kHost() returns.
template <LibraryHost& (*kHost)()>
constexpr seam::Library library(bool (*describe_table)(seam::Table, void*)) {
  using seam::Variable, seam::Why;
  return {open,
          [](Why* why) { return start(kHost(), why); },
          stop,
          [](Variable which, void* target, const void* value) {
            update(kHost(), which, target, value);
          },
          [](THD* thd, const char* text, size_t size, const void** kept) {
            return check_secret(kHost(), thd, {text, size}, kept);
          },
          [](unsigned long long id) { return kill_connection(kHost(), id); },
          status,
          describe_table};
}

}  // namespace hs::adapter
