# frozen_string_literal: true

# Looks rows up by their keys: ../README.md tells the arguments and what is printed.

require "json"
require "socket"

BATCH = 100
THREADS = 16

# Each gives, for one thread, a function from a list of keys to the list of their values.

def hs(port, shape)
  require "handlersocket2"
  client = HandlerSocket2.connect("hs://127.0.0.1:#{port}")
  table = client.table("test.pairs", %w[value])
  one = ->(keys) { [table.get(keys[0])["value"]] }
  batch = lambda do |keys|
    rows = client.pipeline do |pipe|
      inside = pipe.table(table)
      keys.each { |key| inside.get(key) }
    end
    rows.map { |row| row["value"] }
  end
  -> { shape == "pipeline" ? batch : one }
end

def sql(port, shape)
  require "mysql2"
  marks = (["?"] * BATCH).join(",")
  lambda do
    client = Mysql2::Client.new(host: "127.0.0.1", port: port, username: "bench")
    single = client.prepare("SELECT value FROM test.pairs WHERE id = ?")
    return ->(keys) { single.execute(keys[0]).map { |row| row["value"] } } if shape != "pipeline"

    many = client.prepare("SELECT id, value FROM test.pairs WHERE id IN (#{marks})")
    ->(keys) { many.execute(*keys, as: :array).to_h.values_at(*keys) }
  end
end

def redis(port, shape)
  require "redis"
  lambda do
    client = Redis.new(port: port)
    return ->(keys) { [client.get(keys[0])] } if shape != "pipeline"

    ->(keys) { client.pipelined { |pipe| keys.each { |key| pipe.get(key) } } }
  end
end

# A socket, without a client: what the server and the kernel leave to be gained.
def floor(port, _shape)
  lambda do
    socket = TCPSocket.new("127.0.0.1", port)
    socket.setsockopt(Socket::IPPROTO_TCP, Socket::TCP_NODELAY, 1)
    socket.write("P\t1\ttest\tpairs\tPRIMARY\tvalue\n")
    socket.readpartial(4096)
    lambda do |keys|
      socket.write(keys.map { |key| "1\t=\t1\t#{key}\n" }.join)
      answer = socket.readpartial(65_536)
      answer << socket.readpartial(65_536) while answer.count("\n") < keys.size
      answer.lines.map { |line| line[4..-2] }
    end
  end
end

def now(clock = Process::CLOCK_MONOTONIC) = Process.clock_gettime(clock)
def cpu = now(Process::CLOCK_PROCESS_CPUTIME_ID)

# Looks up until the end, and counts lookups and wrong answers.
class Worker
  attr_reader :lookups, :wrong

  def initialize(lookup, first, rows, count)
    @lookup = lookup
    @next = first
    @rows = rows
    @count = count
  end

  def work(finish)
    @lookups = @wrong = 0
    while now < finish
      keys = Array.new(@count) { 1 + (@next = (@next + 7919) % @rows) }
      @lookups += @count
      @wrong += 1 if @lookup.call(keys) != keys.map { |key| key.to_s.rjust(60, "0") }
    end
  end
end

target, shape, port, rows, seconds = ARGV
rows = rows.to_i
count = shape == "pipeline" ? BATCH : 1
threads = shape == "parallel" ? THREADS : 1
connect = method(target).call(port.to_i, shape)
workers = Array.new(threads) { |i| Worker.new(connect.call, i * rows / threads, rows, count) }
look_up = ->(finish) { workers.map { |worker| Thread.new { worker.work(finish) } }.each(&:join) }
look_up.call(now + 0.1) # connected, and warm
began = now
before = cpu
look_up.call(began + seconds.to_f)
puts JSON.generate(
  seconds: now - began, cpu: cpu - before, lookups: workers.sum(&:lookups), wrong: workers.sum(&:wrong)
)
