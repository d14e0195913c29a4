# The session of README.md with dalli, Debian's ruby-dalli, which speaks the binary protocol.
require "dalli"
require "logger"

Dalli.logger = Logger.new(IO::NULL)

BINARY = "<\x00\xff>\r\n".b

def check(found, wanted)
  raise "#{found.inspect} instead of #{wanted.inspect}" unless found == wanted
end

def values(client)
  check(client.get("x:a"), nil)
  check(client.set("x:a", BINARY, 100, raw: true).nil?, false)
  check(client.get("x:a", raw: true).b, BINARY)
  check(client.add("x:a", "x"), false)
  check(client.replace("x:none", "x"), 0) # What it makes of memcached's "Not found", too.
  client.set("x:b", { "two" => 2 })
  check(client.get("x:b"), { "two" => 2 })
  client.set("x:c", "three")
  check(client.get_multi("x:b", "x:none", "x:c"), { "x:b" => { "two" => 2 }, "x:c" => "three" })
  check(client.append("x:a", "!"), true)
  check(client.prepend("x:a", ">"), true)
  check(client.get("x:a", raw: true).b, ">#{BINARY}!".b)
  check(client.touch("x:a", 50), true)
  check(client.gat("x:c", 60), "three")
  check(client.fetch("x:f") { "filled" }, "filled")
  check(client.get("x:f"), "filled")
  check(client.delete("x:b"), true)
  check(client.delete("x:b"), nil)
end

def numbers(client)
  check(client.incr("x:n", 1, 0, 9), 9)
  check(client.incr("x:n", 33), 42)
  check(client.decr("x:n", 100), 0)
end

def versions(client)
  client.set("x:v", "1")
  check(client.cas("x:v") { |value| value + "2" } ? true : false, true)
  late = client.cas("x:v") do |value|
    client.set("x:v", "other")
    value + "3"
  end
  check(late, false)
  check(client.get("x:v"), "other")
end

# By SASL.
def account
  place = "127.0.0.1:#{ENV.fetch("GUARDED_PORT")}"
  client = Dalli::Client.new(place, username: "driver", password: "se'cret")
  client.set("x:t", "over TLS")
  check(client.get_multi("x:t", "x:none"), { "x:t" => "over TLS" })
  client.close
  begin
    Dalli::Client.new(place, username: "driver", password: "wrong").get("x:t")
    raise "a wrong password was taken"
  rescue Dalli::DalliError => e
    check(e.message, "Error authenticating: 0x20")
  end
end

client = Dalli::Client.new("127.0.0.1:#{ENV.fetch("PORT")}")
values(client)
numbers(client)
versions(client)
account
%w[x:a x:c x:f x:n x:v].each { |key| check(client.delete(key), true) }
client.set("x:left", "dalli", nil, raw: true)
begin
  client.flush
  raise "flush_all was served"
rescue Dalli::DalliError
  puts "ok dalli #{Dalli::VERSION}"
end
