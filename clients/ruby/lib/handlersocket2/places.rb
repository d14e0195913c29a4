# frozen_string_literal: true

require_relative "gtids"
require_relative "pool"

module HandlerSocket2
  # Where a client's calls go to: the read port, the write port and the replicas; and what is sent
  # again. It is safe for threads.
  # @api private
  class Places
    # @return [Pool] of the read port
    attr_reader :read

    # @param options [Options]
    # @raise [ConfigurationError] when files of TLS cannot be used
    def initialize(options)
      @options = options
      @timeout = options.timeout
      @tls = Tls.new(options) if options.tls? && !(options.socket && options.replicas.empty?)
      @read = pool(options.host, options.port, options.socket, options.secret)
      unless options.socket && !options.write_socket
        secret = options.write_secret || options.secret
        @write = pool(options.host, options.write_port, options.write_socket, secret)
      end
      @replicas = options.replicas.map { |replica| pool(*Options.place(replica), nil, options.secret) }
      @turn = -1
      @gtids = Gtids.new
      @closed = false
    end

    # @return [Pool] of the write port
    # @raise [ConfigurationError] when there is none
    def write
      @write || raise(ConfigurationError, "changes need the option write_socket")
    end

    # @return [Float, nil] until when a request that begins now may last
    def deadline
      Transport.deadline(@timeout)
    end

    # @param calls [Array<Call>]
    # @return [Array] their results in their order, errors in their places
    # @raise [Error]
    def carry_out(calls)
      raise ConnectionError, "the client is closed" if @closed

      limit = deadline
      return attempts(false) { change(calls, limit) } if calls.any?(&:changes)

      found = from_replicas(calls, limit) unless @replicas.empty?
      found || attempts(true) { @read.with(limit) { |one| one.execute(calls, limit) } }
    end

    # @param call [Call]
    # @return [Object] its result, which may be an error
    # @raise [Error]
    def carry_out_one(call)
      return carry_out([call]).first if @closed || call.changes || !@replicas.empty?

      limit = deadline
      attempts(true) { [@read.with(limit) { |one| one.ask(call, limit) }] }.first
    end

    # Sends calls of which the last one changes something; with read_your_writes the GTID is asked
    # for in the same piece.
    # @param connection [Connection]
    # @return [Array] the results
    def write_on(connection, calls, limit)
      connection.changed = true
      return connection.execute(calls, limit) unless asks?(connection)

      *results, gtid = connection.execute([*calls, Call.last_gtid], limit)
      took_notice(connection, gtid)
      results
    end

    # @return [String] the GTIDs of the client's last changes, empty without one
    # @raise [Error]
    def last_gtid
      limit = deadline
      write.map_changed do |connection|
        gtid, = connection.execute([Call.last_gtid], limit)
        gtid.is_a?(Error) ? raise(gtid) : took_notice(connection, gtid)
      end
      @gtids.to_s
    end

    # Closes all connections.
    # @return [void]
    def close
      @closed = true
      [@read, *@write, *@replicas].each(&:close)
    end

    private

    def pool(host, port, path, secret)
      address = Address.new(host: host, port: port, path: path, secret: secret, tls: (@tls unless path))
      Pool.new(address, @options)
    end

    def asks?(connection)
      @options.read_your_writes && connection.features.include?("gtid")
    end

    def took_notice(connection, gtid)
      return if gtid.is_a?(Error)

      @gtids.note(gtid)
      connection.changed = false
    end

    def change(calls, limit)
      write.with(limit, changes: true) { |connection| write_on(connection, calls, limit) }
    end

    # Repeats the work: always when nothing was sent, else only what changes nothing.
    def attempts(repeatable)
      attempt = 0
      begin
        results = yield
        # Calls that were not sent may stand behind others that were carried out.
        first = repeatable ? results : results.first(1)
        lost = first.find { |result| result.is_a?(ConnectionError) && (repeatable || !result.sent) }
        raise lost if lost && again?(lost, attempt)

        results
      rescue ConnectionError => e
        raise unless again?(e, attempt) # Nothing was sent, or it may be sent again.

        sleep(rand * [0.05 * (2**attempt), 2].min)
        attempt += 1
        retry
      end
    end

    def again?(error, attempt)
      !error.is_a?(TimeoutError) && attempt < @options.retries
    end

    # Nil when the primary must be asked.
    def from_replicas(calls, limit)
      wait = waiting
      @replicas.rotate(@turn += 1).each do |pool|
        results = at_replica(pool, [*wait, *calls], limit) or next
        return results if wait.empty?

        return results.shift == true ? results : nil
      end
      nil
    end

    def waiting
      gtids = @options.read_your_writes ? @gtids.to_s : ""
      gtids.empty? ? [] : [Call.wait_for_gtid(gtids, @options.gtid_timeout)]
    end

    # Nil when it does not answer. One that lets time pass is not followed by another one.
    def at_replica(pool, calls, limit)
      results = pool.with(limit) { |connection| connection.execute(calls, limit) }
      lost = results.find { |result| result.is_a?(ConnectionError) }
      results if lost.nil? || lost.is_a?(TimeoutError)
    rescue ConnectionError, ServerError # which only a login raises
      nil
    end
  end
end
