# frozen_string_literal: true

require "io/wait"
require "socket"
require_relative "tls"

module HandlerSocket2
  # Where a server listens: a path, or host and port; and what is told it.
  # @api private
  Address = Struct.new(:host, :port, :path, :secret, :tls, keyword_init: true) do
    # @return [Boolean] whether nobody but the server itself sees the bytes
    def secure?
      !path.nil? || (!tls.nil? && tls.verify?)
    end

    # @return [String]
    def to_s
      path || "#{host}:#{port}"
    end

    alias_method :inspect, :to_s
  end

  # A socket that does not block; it waits until its deadline at most.
  # @api private
  class Transport
    WRITE = 262_144
    # Each read takes so much memory: pages that are new each time cost more than a reply.
    READ = 16_384
    SHORT = 2048 # Most replies are shorter.
    FAILURES = [SystemCallError, IOError, SocketError, OpenSSL::SSL::SSLError].freeze
    EVENTS = { wait_readable: IO::READABLE, wait_writable: IO::WRITABLE, both: IO::READABLE | IO::WRITABLE }.freeze
    private_constant :WRITE, :READ, :SHORT, :FAILURES, :EVENTS

    # @return [Float] seconds of a clock that is never set
    def self.now
      Process.clock_gettime(Process::CLOCK_MONOTONIC)
    end

    # @param seconds [Float] 0: no limit
    # @return [Float, nil] when so many seconds have passed
    def self.deadline(seconds)
      now + seconds if seconds.positive?
    end

    # @param address [Address]
    # @param deadline [Float, nil]
    # @return [Transport] connected, with TLS
    # @raise [ConnectionError]
    def self.connect(address, deadline)
      made = new(address, deadline)
      made.open
      done = true
      made
    ensure
      made.close unless done
    end

    # @return [Float, nil] what takes longer than until then is a {TimeoutError}
    attr_accessor :deadline

    # @param address [Address]
    # @param deadline [Float, nil]
    def initialize(address, deadline)
      @address = address
      @deadline = deadline
      @room = SHORT # of the next read
    end

    # Connects.
    # @return [void]
    def open
      @socket = @io = @address.path ? connect(Addrinfo.unix(@address.path)) : connect_tcp
      @io = @address.tls.wrap(@socket, @address.host) { |wanted| wait(wanted) } if @address.tls
    rescue *FAILURES => e
      kind = e.is_a?(Errno::ETIMEDOUT) || past? ? TimeoutError : ConnectionError
      what = e.is_a?(OpenSSL::SSL::SSLError) ? "no TLS with" : "no connection to"
      raise kind, "#{what} #{@address}: #{e.message}"
    rescue ArgumentError => e
      raise ConfigurationError, "#{@address} cannot be used: #{e.message}"
    end

    # Sends all, and gives the block what comes meanwhile, so that neither side waits for the other.
    # @param data [String]
    # @yield [bytes]
    # @raise [ConnectionError]
    def send(data, &sink)
      at = 0
      while at < data.bytesize
        sent = write(data.bytesize <= WRITE && at.zero? ? data : data.byteslice(at, WRITE), at, &sink)
        if sent.is_a?(Integer)
          at += sent
        else
          take_all(&sink)
          wait(sent == :wait_readable ? sent : :both)
        end
      end
    end

    # @return [String] what has come, after waiting for it
    # @raise [ConnectionError]
    def receive
      wait(:wait_readable) if @io.equal?(@socket) # There is hardly a reply at once. TLS may have read it already.
      while (got = poll).is_a?(Symbol)
        wait(got)
      end
      got
    end

    # @return [Boolean] whether a connection that is not used is still there: nothing may have come
    def alive?
      !@socket.wait_readable(0)
    rescue IOError
      false
    end

    # Closes. TLS is not told: of a process that has forked, the other one may still use it.
    # @return [void]
    def close
      @socket&.close
    end

    private

    def left
      @deadline && [@deadline - self.class.now, 0].max
    end

    def past?
      left&.zero?
    end

    def connect_tcp
      last = nil
      Addrinfo.getaddrinfo(@address.host, @address.port, nil, :STREAM, timeout: left).each do |one|
        socket = connect(plain(one))
        socket.setsockopt(Socket::IPPROTO_TCP, Socket::TCP_NODELAY, 1)
        socket.setsockopt(Socket::SOL_SOCKET, Socket::SO_KEEPALIVE, 1)
        return socket
      rescue SystemCallError => e
        last = e
        break if past?
      end
      raise last || SocketError.new("the host has no address")
    end

    # Of an IPv4 address within IPv6 the former: Addrinfo connects IPv6 to nothing else.
    def plain(address)
      return address unless address.ipv6_v4mapped?

      Addrinfo.tcp(address.ipv6_to_ipv4.ip_address, address.ip_port)
    end

    def connect(place)
      @deadline ? place.connect(timeout: left) : place.connect
    end

    def write(piece, done, &sink)
      @io.write_nonblock(piece, exception: false)
    rescue *FAILURES => e
      begin
        take_all(&sink) # perhaps why the server has closed it
      rescue ConnectionError
        # This one was expected.
      end
      raise ConnectionError.new("the connection to #{@address} broke: #{e.message}", sent: done.positive?)
    end

    def poll
      got = @io.read_nonblock(@room, exception: false)
      return got if got.is_a?(Symbol)
      raise ConnectionError.new("#{@address} has closed the connection", sent: true) unless got

      @room = got.bytesize == @room ? READ : SHORT
      got
    rescue *FAILURES => e
      raise ConnectionError.new("the connection to #{@address} broke: #{e.message}", sent: true)
    end

    def take_all
      while (got = poll).is_a?(String)
        yield got
      end
    end

    def wait(wanted)
      events = EVENTS.fetch(wanted)
      raise TimeoutError.new("#{@address} took too long", sent: true) unless @socket.wait(events, left)
    end
  end
end
