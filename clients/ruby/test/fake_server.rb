# frozen_string_literal: true

require "minitest/autorun"
require "handlersocket2"
require "socket"

# A server that answers as it is told.
class FakeServer
  FEATURES = "all,count,descending,describe,gtid,returning,transaction,upsert"
  HELLO = "0\t6\t2\tp\t1\tv\t#{FEATURES}\t1\n".freeze

  attr_reader :port

  # The block takes a line (but no hello), the number of its connection from 1, the number of lines
  # before it there, and the connection, which `wrap` may have made another one. It gives what is
  # sent back; nil is nothing, and :close ends the connection.
  def initialize(wrap = nil, &answer)
    @wrap = wrap
    @answer = answer
    @listener = TCPServer.new("127.0.0.1", 0)
    @port = @listener.addr[1]
    @lock = Mutex.new
    @lines = []
    @open = []
    @accepting = Thread.new { accept }
  end

  # What has come, and how many connections.
  def lines
    @lock.synchronize { @lines.map(&:last) }
  end

  def connections
    @lock.synchronize { @open.size }
  end

  # Sends a line that nobody has asked for.
  def say(line)
    @lock.synchronize { @open.dup }.each { |one| one.write(line) }
  end

  # Ends all connections that are there.
  def drop
    @lock.synchronize { @open.dup }.each { |one| end_of(one) }
  end

  def close
    @accepting.kill.join
    @listener.close
    drop
  end

  private

  def accept
    loop do
      one = @listener.accept
      one.setsockopt(Socket::IPPROTO_TCP, Socket::TCP_NODELAY, 1)
      number = @lock.synchronize { @open.push(one).size }
      Thread.new { serve(one, number) }
    end
  end

  def serve(one, number)
    stream = @wrap ? @wrap.call(one) : one
    talk(stream, number)
  rescue SystemCallError, IOError, OpenSSL::SSL::SSLError
    # The client has gone.
  ensure
    end_of(one)
  end

  def talk(stream, number)
    at = 0
    while (line = stream.gets)
      next stream.write(HELLO) if line.start_with?("H")

      @lock.synchronize { @lines << [number, line] }
      answer = @answer.call(line, number, at, stream)
      return if answer == :close

      Array(answer).each { |piece| stream.write(piece) }
      at += 1
    end
  end

  def end_of(one)
    one.shutdown
  rescue SystemCallError, IOError
    # It has ended.
  end
end

# A test with servers and clients.
class FakeServerTest < Minitest::Test
  include HandlerSocket2

  OK = "0\t1\n"

  def setup
    @servers = []
    @clients = []
    @file = ENV.fetch("HS_OPTION_FILE", nil)
    ENV["HS_OPTION_FILE"] = File::NULL
  end

  def teardown
    @clients.each(&:close)
    @servers.each(&:close)
    ENV["HS_OPTION_FILE"] = @file
  end

  def serve(wrap = nil, &answer)
    FakeServer.new(wrap, &answer).tap { |made| @servers << made }
  end

  def client(server, options = {}, **hook)
    made = HandlerSocket2.connect("hs://127.0.0.1:#{server.port}?write_port=#{server.port}", **options, **hook)
    made.tap { @clients << made }
  end

  def table(client, columns = %w[a])
    client.table("t.t", columns, raw: true)
  end

  # An index is opened, a row is "ab", and a change is of one row.
  def self.usual(line)
    return OK if line.match?(/\A[PTA]/)
    return "0\t1\t0-1-7\n" if line.start_with?("G\tL")

    line.match?(/\t(?:[UD+-]|\+[IUR])(?:\t|\n)/) || line.start_with?("G\tW") ? "0\t1\t1\n" : "0\t1\tab\n"
  end

  def usual(line)
    self.class.usual(line)
  end

  def many_gets(client, number)
    client.pipeline do |pipe|
      inside = pipe.table(table(client))
      number.times { inside.get("k" * 1000) }
    end
  end
end
