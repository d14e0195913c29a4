# frozen_string_literal: true

require "monitor"
require_relative "pipeline"

module HandlerSocket2
  # A transaction on a connection of its own, as {Client#transaction} gives it. Nothing in it is sent
  # again. It carries out one call at a time; those of other threads wait for their turn.
  class Transaction
    include Runner

    # @api private
    def initialize(client, places, isolation, read_only)
      @client = client
      @places = places
      @read_only = read_only
      @turn = Monitor.new
      line = Protocol.begin(isolation&.to_s, read_only)
      @pool = read_only ? places.read : places.write
      Thread.handle_interrupt(Object => :on_blocking) { begin_by(line) }
    end

    # A table within this transaction.
    # @param name [String, Table] as {Client#table} takes it, or a table of the client
    # @return [Table]
    # @raise [ValueError]
    def table(name, columns = nil, index: "PRIMARY", raw: false)
      Table.for(@client, self, name, columns, index, raw)
    end

    # Sends the calls of the block in one piece.
    # @yieldparam pipeline [Pipeline]
    # @return [Array] the results in their order, an {Error} in the place of a call that failed
    # @raise [Error]
    def pipeline
      raise ValueError, "a pipeline has a block" unless block_given?

      collected = Pipeline.new(@client)
      yield collected
      run(collected.calls)
    end

    # Sets a savepoint.
    # @param name [String] of at most 256 bytes
    # @return [void]
    # @raise [Error]
    def savepoint(name)
      one(Call.new(:savepoint, Protocol.savepoint(Values.to_bytes(name.to_s)), &:nothing))
    end

    # Undoes what was done since the savepoint.
    # @param name [String]
    # @return [void]
    # @raise [Error]
    def rollback_to(name)
      one(Call.new(:rollback_to, Protocol.rollback_to(Values.to_bytes(name.to_s)), &:nothing))
    end

    # Commits. After an error nothing was kept, unless it is a {ConnectionError} that was sent. It does
    # nothing once the transaction has ended.
    # @return [void]
    # @raise [Error]
    def commit
      in_turn do
        next unless @connection

        begin
          one(Call.new(:commit, Protocol.commit, changes: !@read_only, &:nothing))
        ensure
          leave
        end
        nil
      end
    end

    # Rolls back. It does nothing once the transaction has ended.
    # @return [void]
    def rollback
      in_turn do
        next unless @connection

        begin
          done = one(Call.new(:rollback, Protocol.rollback, &:nothing))
        rescue ConnectionError, ServerError
          # The server rolls back when the connection ends.
        ensure
          leave(broken: !done)
        end
        nil
      end
    end

    # @return [Boolean] whether it was neither committed nor rolled back yet
    def open?
      !@connection.nil?
    end

    # @api private
    # @param calls [Array<Call>]
    # @return [Array] the results of the calls, errors in their places
    def run(calls)
      in_turn do
        raise ValueError, "the transaction has ended" unless @connection
        next [] if calls.empty?

        @client.observe(calls) { carry_out(calls) }
      end
    end

    private

    # In a process that has forked, a thread that had its turn is gone.
    def in_turn(&work)
      return work.call if @connection && !@connection.own?

      @turn.synchronize(&work)
    end

    def carry_out(calls)
      limit = @places.deadline
      return @places.write_on(@connection, calls, limit) if calls.first.kind == :commit && !@read_only
      return @connection.execute(calls, limit) unless @read_only

      results = @connection.execute(calls.reject(&:changes), limit)
      calls.map { |call| call.changes ? ServerError.of(2, "readonly") : results.shift }
    ensure
      @connection.close if @connection.broken && @connection.own? # The server rolls back at once.
    end

    def begin_by(line)
      @connection = @pool.take(@places.deadline)
      begun = one(Call.new(:begin, line, feature: "transaction", &:nothing))
    ensure
      leave(broken: true) unless begun
    end

    def leave(broken: false)
      Thread.handle_interrupt(Object => :never) do
        connection = @connection
        @connection = nil
        next unless connection

        connection.broken ||= broken
        @pool.give_back(connection)
      end
    end
  end
end
