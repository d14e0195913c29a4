// The server as its own clients see it (protocol/server_view.h).
#pragma once

#include <cstdint>
#include <vector>

#include "engine/engine.h"
#include "protocol/server_view.h"
#include "server/connections.h"
#include "server/server.h"
#include "server/settings.h"

namespace hs::server {

class View final : public protocol::ServerView {
 public:
  // All must outlive the view.
  View(Server& server, const Connections& connections, const engine::Engine& engine,
       const SharedSettings& settings);

  std::vector<protocol::SeenConnection> connections(uint64_t asker) const override;
  bool end_connection(uint64_t id) override { return server_.kill(id); }
  protocol::ServerNumbers numbers() const override;

 private:
  Server& server_;
  const Connections& connections_;
  const engine::Engine& engine_;
  const SharedSettings& settings_;
  const int64_t started_ms_;
};

}  // namespace hs::server
