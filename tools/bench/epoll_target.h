// All connections in one thread, on epoll. Each keeps `depth` requests on the way: for each answer
// a new request is sent, all new ones in one piece. With a rate, the requests that are due are
// sent.
#ifndef HS_TOOLS_BENCH_EPOLL_TARGET_H_
#define HS_TOOLS_BENCH_EPOLL_TARGET_H_

#include <cstddef>
#include <memory>
#include <vector>

#include "connection.h"
#include "dialect.h"
#include "target.h"
#include "workload.h"

namespace hs::bench {

class EpollTarget : public Target {
 public:
  // Connects, and opens every connection. Throws Failure. The workload must outlive the object.
  EpollTarget(const Place& place, const Workload& workload, std::unique_ptr<Dialect> dialect,
              size_t connections, size_t depth);
  ~EpollTarget() override;
  EpollTarget(const EpollTarget&) = delete;
  EpollTarget& operator=(const EpollTarget&) = delete;

  Tally run(const Phase& phase) override;

 private:
  class Run;
  class ClosedLoop;
  class OpenLoop;

  int epoll_;
  size_t depth_;
  const Workload& workload_;
  std::unique_ptr<Dialect> dialect_;
  std::vector<Connection> connections_;
};

}  // namespace hs::bench

#endif  // HS_TOOLS_BENCH_EPOLL_TARGET_H_
