#include "adapter/library.h"

#include <cstdio>
#include <exception>
#include <mutex>
#include <new>
#include <optional>
#include <string>

#include "adapter/configuration.h"
#include "adapter/purge_thread.h"
#include "adapter/running.h"
#include "adapter/variables.h"
#include "server/own_places.h"
#include "server/server.h"

namespace hs::adapter {
namespace {

std::unique_ptr<LibraryEngine> library_engine;
std::unique_ptr<PurgeThread> purge;
std::unique_ptr<server::Server> network_server;

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

bool start_with(LibraryHost& host, const server::Config& config, std::string* why) {
  library_engine = host.make_engine();
  network_server = server::Server::start(config, *library_engine, host.log(), why);
  if (network_server == nullptr) {
    library_engine.reset();
    return false;
  }
  try {
    purge = std::make_unique<PurgeThread>(*library_engine, host.make_purge_host());
  } catch (const std::exception& error) {
    host.log().error(std::string("expired rows are not purged: ") + error.what());
  }
  Running::set(network_server.get(), &library_engine->counters());
  return true;
}

}  // namespace

bool open(const seam::Host* given, seam::Why* why) {
  return succeeds(why, [&](std::string* sentence) {
    use_values_of(*given);
    return take_secrets(given->secret, given->secret_wr, sentence);
  });
}

bool start(LibraryHost& host, seam::Why* why) {
  return succeeds(why, [&](std::string* sentence) {
    const std::lock_guard turn(turns());
    std::optional<server::Config> config;
    if (read_secret_files(sentence)) config = read_configuration(sentence);
    if (!config || !leaves(host.own_places(), *config, sentence)) return false;
    host.complete(*config);
    return start_with(host, *config, sentence);
  });
}

void stop() {
  Running::set(nullptr, nullptr);
  if (network_server != nullptr) {
    library_engine->interrupt();
    purge.reset();
    network_server->stop();
    network_server.reset();
  }
  library_engine.reset();
  forget_secrets();
  use_own_values();
}

}  // namespace hs::adapter
