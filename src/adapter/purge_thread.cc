#include "adapter/purge_thread.h"

#include <utility>

#include "server/thread.h"

namespace hs::adapter {

PurgeThread::PurgeThread(engine::Engine& engine, std::unique_ptr<PurgeHost> host)
    : host_(std::move(host)),
      purge_(engine, *host_),
      thread_(server::start_thread("hs-ttl-purge", [this] { purge_.run(); })) {}

PurgeThread::~PurgeThread() {
  purge_.stop();
  thread_.join();
}

}  // namespace hs::adapter
