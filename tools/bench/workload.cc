#include "workload.h"

#include "random.h"

namespace hs::bench {

Request Workload::request(uint64_t number) const {
  Request request{number, 0, kind};
  if (kind == Kind::kIn || kind == Kind::kTransaction) {
    request.key = key(request, 0);
    return request;
  }
  request.key = keys.at(number);
  // Random numbers of their own, so that a key is not always read or always written.
  if (writes > 0 && as_fraction(random_bits(~seed, number)) < writes) request.kind = Kind::kUpdate;
  return request;
}

uint32_t Workload::row_count(const Request& request) const {
  if (request.kind == Kind::kTransaction) return static_cast<uint32_t>(parts(request).size());
  return request.kind == Kind::kIn || request.kind == Kind::kRange ? count : 1;
}

uint32_t Workload::key(const Request& request, uint32_t i) const {
  if (request.kind == Kind::kIn) return keys.at(request.number * count + i);
  if (request.kind == Kind::kTransaction) return keys.at(request.number * 2 + i);
  return request.key + i;
}

std::array<Request, 3> Workload::parts(const Request& request) const {
  const uint64_t number = request.number;
  const uint32_t first = key(request, 0);
  const uint32_t second = key(request, 1);
  return {{{number, first, Kind::kFind},
           {number, second, Kind::kFind},
           {number, first, Kind::kUpdate}}};
}

bool Workload::has_writes() const {
  return kind == Kind::kInsert || kind == Kind::kUpdate || kind == Kind::kUpsert ||
         kind == Kind::kTransaction || writes > 0;
}

void Workload::append_email(const Request& request, std::string* output) const {
  const KnownRow written = row(request.key);
  if (request.kind == Kind::kUpdate || request.kind == Kind::kUpsert) {
    written.append_updated_email(first_update + request.number, output);
  } else {
    written.append_email(output);
  }
}

void Workload::append_row(const Request& request, std::string* output) const {
  const KnownRow written = row(request.key);
  output->append(written.name()).push_back('\t');
  append_email(request, output);
  output->append("\t").append(written.created());
}

}  // namespace hs::bench
