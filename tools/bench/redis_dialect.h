// RESP, the protocol of Redis and Valkey. Keys and values are those of memcached's dialect.
#ifndef HS_TOOLS_BENCH_REDIS_DIALECT_H_
#define HS_TOOLS_BENCH_REDIS_DIALECT_H_

#include "dialect.h"

namespace hs::bench {

class RedisDialect : public Dialect {
 public:
  // The workload must outlive the object.
  explicit RedisDialect(const Workload& workload) : workload_(workload) {}

  void open(Dialogue&) const override {}
  void encode(const Request& request, std::string* output) override;
  size_t settle(std::string_view input, Clock::time_point now, InFlight* in_flight,
                Tally* tally) const override;

 private:
  Answer check(const Request& request, std::string_view input) const;
  bool take_row(uint32_t key, std::string_view* answer) const;

  const Workload& workload_;
  std::string value_;  // scratch
};

}  // namespace hs::bench

#endif  // HS_TOOLS_BENCH_REDIS_DIALECT_H_
