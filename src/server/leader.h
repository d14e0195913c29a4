// What a reactor needs from the thread that leads it.
#pragma once

#include <string_view>

#include "engine/session.h"
#include "server/batch.h"
#include "server/counters.h"
#include "server/dispatcher.h"

namespace hs::server {

// Everything is used by the leader's own thread. Only batch() may also be split by the thread that
// takes the lead.
class Leader {
 public:
  virtual engine::Session& session() = 0;
  virtual Batch& batch() = 0;
  virtual Counters& counters() = 0;
  virtual Dispatcher& dispatcher() = 0;
  virtual bool should_stop() const = 0;
  // Takes the present settings, between batches.
  virtual void renew_settings() = 0;

  // Writes one line to the error log, but not more often than once in a while, since every client
  // may be able to cause it. Needs no memory.
  virtual void complain(std::string_view what) noexcept = 0;
  // Likewise: a client at this address speaks another protocol.
  virtual void complain_of_foreigner(std::string_view address) noexcept = 0;

  bool holds_tables = false;  // Session::release() is due before the thread idles

 protected:
  ~Leader() = default;
};

}  // namespace hs::server
