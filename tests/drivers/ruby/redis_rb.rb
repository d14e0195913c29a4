# The session of README.md with redis-rb, Debian's ruby-redis.
require "redis"

PORT = ENV.fetch("PORT")
BINARY = "<\x00\xff>\r\n".b

def check(found, wanted)
  raise "#{found.inspect} instead of #{wanted.inspect}" unless found == wanted
end

def strings(client)
  check(client.set("page:a", BINARY, ex: 100), "OK")
  check(client.get("page:a").b, BINARY)
  check((99..101).cover?(client.ttl("page:a")), true)
  check(client.set("page:a", "x", nx: true), false)
  check(client.mset("page:a", "one", "page:b", "two"), "OK")
  check(client.mget("page:a", "page:none"), ["one", nil])
  check(client.append("page:b", "!"), 4)
  check(client.getset("page:b", "2"), "two!")
  check(client.exists("page:a", "page:b", "page:none"), 2)
  check(client.expire("page:b", 50), true)
  check(client.persist("page:b"), true)
  check(client.ttl("page:b"), -1)
  check(client.incr("count:c"), 1)
  check(client.incrby("count:c", 41), 42)
  check(client.decr("count:c"), 41)
  check(client.incrbyfloat("page:b", 0.5), 2.5)
end

def hashes(client)
  check(client.hset("user:1", { "name" => "ada", "visits" => 1 }), 2)
  check(client.hincrby("user:1", "visits", 4), 5)
  check(client.hmget("user:1", "visits", "none", "name"), ["5", nil, "ada"])
  check(client.hgetall("user:1"), { "id" => "1", "name" => "ada", "visits" => "5" })
  check(client.hexists("user:1", "name"), true)
end

def transactions(client, other)
  both = client.multi do |transaction|
    transaction.incr("count:t")
    transaction.get("page:a")
  end
  check(both, [1, "one"])
  late = client.watch("count:t") do
    other.incr("count:t")
    client.multi { |transaction| transaction.incr("count:t") }
  end
  check(late, nil)
  check(client.get("count:t"), "2")
end

def refused(client)
  File.foreach(ENV.fetch("REFUSED"), chomp: true) do |line|
    command, error = line.split("\t")
    begin
      raise "#{command}: #{client.call(*command.split).inspect}"
    rescue Redis::CommandError => e
      check([command, e.message[0, error.length]], [command, error])
    end
  end
end

def guarded(password)
  Redis.new(port: ENV.fetch("GUARDED_PORT"), ssl: true, username: "driver", password: password,
            ssl_params: { ca_file: ENV.fetch("CA"), verify_hostname: false })
end

def account
  client = guarded("se'cret")
  check(client.set("page:t", "over TLS"), "OK")
  check(client.get("page:t"), "over TLS")
  guarded("wrong").ping
  raise "a wrong password is taken"
rescue Redis::CommandError, Redis::CannotConnectError => e
  check(e.message.include?("WRONGPASS"), true)
end

client = Redis.new(port: PORT, id: "driver")
other = Redis.new(port: PORT)
strings(client)
hashes(client)
transactions(client, other)
check(client.scan_each(match: "page:*", count: 1).to_a.sort, ["page:a", "page:b"])
check(client.pipelined { |pipe| 100.times { pipe.incr("count:p") } }, (1..100).to_a)
refused(client)
account
check(client.del("page:a", "page:b", "count:c", "count:p", "count:t", "user:1"), 6)
client.set("page:left", "redis-rb")
puts "ok redis-rb #{Redis::VERSION}"
