// SQL through MariaDB's own client library: a thread for each connection, one statement at a time.
#ifndef HS_TOOLS_BENCH_SQL_TARGET_H_
#define HS_TOOLS_BENCH_SQL_TARGET_H_

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "target.h"
#include "workload.h"

namespace hs::bench {

class SqlConnection;

struct SqlOptions {
  std::string user = "root";
  std::string password;
  bool prepared = false;  // a statement prepared once for each connection, else the text protocol
};

class SqlTarget : public Target {
 public:
  // Connects. Throws Failure. The workload must outlive the object.
  SqlTarget(const Place& place, const Workload& workload, const SqlOptions& options,
            size_t connections);
  ~SqlTarget() override;

  Tally run(const Phase& phase) override;

 private:
  const Workload& workload_;
  std::vector<std::unique_ptr<SqlConnection>> connections_;
};

}  // namespace hs::bench

#endif  // HS_TOOLS_BENCH_SQL_TARGET_H_
