// The HandlerSocket protocol: all connections in one thread, on epoll. Each keeps `depth` requests
// on the way: as many new ones are sent, in one piece, as answers came.
#ifndef HS_TOOLS_BENCH_HS_TARGET_H_
#define HS_TOOLS_BENCH_HS_TARGET_H_

#include <cstddef>
#include <vector>

#include "hs_connection.h"
#include "target.h"

namespace hs::bench {

class HsTarget : public Target {
 public:
  // Connects, and opens the index on every connection. Throws Failure.
  HsTarget(const Place& place, size_t connections, size_t depth);
  ~HsTarget() override;
  HsTarget(const HsTarget&) = delete;
  HsTarget& operator=(const HsTarget&) = delete;

  Tally run(const Keys& keys, const Phase& phase) override;

 private:
  class Run;

  int epoll_;
  size_t depth_;
  std::vector<HsConnection> connections_;
};

}  // namespace hs::bench

#endif  // HS_TOOLS_BENCH_HS_TARGET_H_
