// The HandlerSocket protocol (docs/protocol.md).
#ifndef HS_TOOLS_BENCH_HS_DIALECT_H_
#define HS_TOOLS_BENCH_HS_DIALECT_H_

#include <string>
#include <string_view>
#include <utility>

#include "dialect.h"

namespace hs::bench {

// An account of the server. Nothing logs in when the user has no name.
struct Account {
  std::string user;
  std::string password;
};

class HsDialect : public Dialect {
 public:
  // The workload must outlive the object.
  explicit HsDialect(const Workload& workload, Account account = {})
      : workload_(workload), account_(std::move(account)) {}

  void open(Dialogue& dialogue) const override;
  void encode(const Request& request, std::string* output) override;
  size_t settle(std::string_view input, Clock::time_point now, InFlight* in_flight,
                Tally* tally) const override;

 private:
  void log_in(Dialogue& dialogue) const;
  bool is_right(const Request& request, std::string_view line) const;
  Answer check_transaction(const Request& request, std::string_view rest) const;

  const Workload& workload_;
  const Account account_;
};

}  // namespace hs::bench

#endif  // HS_TOOLS_BENCH_HS_DIALECT_H_
