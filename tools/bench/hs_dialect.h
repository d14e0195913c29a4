// The HandlerSocket protocol (docs/protocol.md).
#ifndef HS_TOOLS_BENCH_HS_DIALECT_H_
#define HS_TOOLS_BENCH_HS_DIALECT_H_

#include "dialect.h"

namespace hs::bench {

class HsDialect : public Dialect {
 public:
  // The workload must outlive the object.
  explicit HsDialect(const Workload& workload) : workload_(workload) {}

  Opening opening() const override;
  void encode(const Request& request, std::string* output) override;
  size_t settle(std::string_view input, Clock::time_point now, InFlight* in_flight,
                Tally* tally) const override;

 private:
  bool is_right(const Request& request, std::string_view line) const;

  const Workload& workload_;
};

}  // namespace hs::bench

#endif  // HS_TOOLS_BENCH_HS_DIALECT_H_
