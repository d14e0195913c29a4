#include "exec/client.h"

#include <algorithm>
#include <functional>
#include <string_view>

#include "exec/login.h"

namespace hs::exec {
namespace {

size_t combine(size_t seed, size_t hash) {
  return seed ^ (hash + 0x9e3779b97f4a7c15u + (seed << 6) + (seed >> 2));
}

size_t hash_of(const engine::IndexSpec& spec) {
  const std::hash<std::string_view> hash;
  size_t result = hash(spec.database);
  result = combine(result, hash(spec.table));
  result = combine(result, hash(spec.index));
  for (const std::string& column : spec.columns) result = combine(result, hash(column));
  // Keeps ("a,b", "") and ("a", "b") apart.
  result = combine(result, spec.columns.size());
  for (const std::string& column : spec.filter_columns) result = combine(result, hash(column));
  return result;
}

// Bytes that the spec takes, with its own allocation and its place in the pool.
size_t size_of(const engine::IndexSpec& spec) {
  constexpr size_t kPlaces = 128;
  size_t size = sizeof(PooledSpec) + kPlaces + spec.database.capacity() + spec.table.capacity() +
                spec.index.capacity();
  for (const auto* names : {&spec.columns, &spec.filter_columns}) {
    size += names->capacity() * sizeof(std::string);
    for (const std::string& name : *names) size += name.capacity();
  }
  return size;
}

struct Forget {
  Memory* memory;
  size_t bytes;
  void operator()(const PooledSpec* spec) const {
    delete spec;
    if (memory != nullptr) memory->give_back(bytes);
  }
};

}  // namespace

// A client can open any number of specs, so even a small one may be refused memory.
void take_memory(Memory* memory, size_t bytes) {
  if (memory != nullptr && !memory->take(bytes, std::max(bytes, kIdleBuffer + 1), true)) {
    throw MemoryRefused();
  }
}

engine::IndexSpecPtr SpecPool::intern(engine::IndexSpec spec) {
  const size_t hash = hash_of(spec);
  const MutexLock lock(mutex_);
  for (auto [at, end] = specs_.equal_range(hash); at != end; ++at) {
    engine::IndexSpecPtr known = at->second.lock();
    if (known && *known == spec) return known;
  }
  if (specs_.size() >= sweep_at_) {
    std::erase_if(specs_, [](const auto& entry) { return entry.second.expired(); });
    // Doubling keeps the cost of a sweep constant per new spec.
    sweep_at_ = std::max<size_t>(64, 2 * specs_.size());
  }
  engine::IndexSpecPtr made = make(std::move(spec));
  specs_.emplace(hash, made);
  return made;
}

engine::IndexSpecPtr SpecPool::make(engine::IndexSpec spec) const {
  const size_t bytes = size_of(spec);
  take_memory(memory_, bytes);
  std::unique_ptr<const PooledSpec, Forget> made(nullptr, {memory_, bytes});
  try {
    made.reset(new PooledSpec(std::move(spec)));
  } catch (const std::bad_alloc&) {
    if (memory_ != nullptr) memory_->give_back(bytes);
    throw;
  }
  return made;
}

size_t SpecPool::size() const {
  const MutexLock lock(mutex_);
  return specs_.size();
}

std::vector<engine::IndexSpecPtr> SpecPool::list() const {
  std::vector<engine::IndexSpecPtr> living;
  living.reserve(size());  // not while the mutex is held
  const MutexLock lock(mutex_);
  for (const auto& [hash, spec] : specs_) {
    if (engine::IndexSpecPtr alive = spec.lock()) living.push_back(std::move(alive));
  }
  return living;
}

uint64_t SpecUsage::requests() const {
  uint64_t sum = 0;
  for (const Share& share : shares_) sum += share.requests.load(std::memory_order_relaxed);
  return sum;
}

uint64_t SpecUsage::rows() const {
  uint64_t sum = 0;
  for (const Share& share : shares_) sum += share.rows.load(std::memory_order_relaxed);
  return sum;
}

const engine::IndexSpecPtr* Client::search(uint32_t id) const {
  const auto at =
      std::lower_bound(indexes_.begin(), indexes_.end(), id,
                       [](const auto& open, uint32_t wanted) { return open.first < wanted; });
  return at != indexes_.end() && at->first == id ? &at->second : nullptr;
}

Client::Client(SpecPool& pool, const Authentication& authentication)
    : pool_(pool), authentication_(authentication) {}

void Client::set_login(std::shared_ptr<Login> login) {
  if (login_ != nullptr) login_->exchange.give_up(Exchange::End::kLeft);
  login_ = std::move(login);
}

Client::~Client() {
  set_login(nullptr);
  for (const auto& [id, spec] : indexes_) usage_of(*spec).close();
  if (pool_.memory() != nullptr) {
    pool_.memory()->give_back(indexes_.size() * sizeof(indexes_.front()));
  }
}

void Client::set(uint32_t id, engine::IndexSpecPtr spec) {
  const size_t columns = column_count(*spec);
  const auto at =
      std::lower_bound(indexes_.begin(), indexes_.end(), id,
                       [](const auto& open, uint32_t wanted) { return open.first < wanted; });
  if (at != indexes_.end() && at->first == id) {
    open_columns_ -= column_count(*at->second);
    usage_of(*at->second).close();
    at->second = std::move(spec);
    usage_of(*at->second).open();
  } else {
    take_memory(pool_.memory(), sizeof *at);
    try {
      usage_of(*indexes_.emplace(at, id, std::move(spec))->second).open();
    } catch (const std::bad_alloc&) {
      if (pool_.memory() != nullptr) pool_.memory()->give_back(sizeof *at);
      throw;
    }
  }
  open_columns_ += columns;
}

}  // namespace hs::exec
