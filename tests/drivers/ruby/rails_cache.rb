# The caches of Rails (ActiveSupport) of Redis and memcached, each on a table.
require "active_support"
require "active_support/cache"
require "active_support/cache/redis_cache_store"
require "active_support/cache/mem_cache_store"
require "active_support/notifications"

def check(found, wanted)
  raise "#{found.inspect} instead of #{wanted.inspect}" unless found == wanted
end

def values(cache)
  check(cache.read("a"), nil)
  check(cache.write("a", { "list" => [1, 2.5, "ünï"] }, expires_in: 100) ? true : false, true)
  check(cache.read("a"), { "list" => [1, 2.5, "ünï"] })
  check(cache.exist?("a"), true)
  check(cache.write("a", 1, unless_exist: true) ? true : false, false)
  check(cache.fetch("b") { "made" }, "made")
  check(cache.fetch("b") { raise "it is there" }, "made")
  cache.write_multi({ "c" => 1, "d" => "two" }, expires_in: 100)
  check(cache.read_multi("c", "d", "none"), { "c" => 1, "d" => "two" })
  check(cache.fetch_multi("c", "e") { |key| key * 2 }, { "c" => 1, "e" => "ee" })
  %w[a b c d e].each { |key| check(cache.delete(key) ? true : false, true) }
  check(cache.exist?("a"), false)
end

def numbers(cache)
  check(cache.write("n", 41, raw: true) ? true : false, true)
  check(cache.increment("n"), 42)
  check(cache.decrement("n", 2), 40)
  check(cache.read("n", raw: true).to_i, 40)
  cache.delete("n")
end

redis = ActiveSupport::Cache::RedisCacheStore.new(
  url: "redis://127.0.0.1:#{ENV.fetch("PORT")}", namespace: "cache",
  error_handler: ->(method:, returning:, exception:) { raise exception }
)
memcached = ActiveSupport::Cache::MemCacheStore.new("127.0.0.1:#{ENV.fetch("MEMCACHED")}", namespace: "cache")
[redis, memcached].each do |cache|
  values(cache)
  numbers(cache)
end
# It deletes the keys of the namespace, which it finds by SCAN.
redis.write("a", 1)
redis.clear
check(redis.read("a"), nil)
redis.write("a", 1)
redis.delete_matched("a*")
check(redis.read("a"), nil)
# flush_all is refused, and Rails only logs that.
memcached.write("a", 1)
memcached.clear
check(memcached.read("a"), 1)
memcached.delete("a")
puts "ok Rails #{ActiveSupport.version}"
