# frozen_string_literal: true

require_relative "options"
require_relative "pipeline"
require_relative "places"
require_relative "schema"
require_relative "table"
require_relative "transaction"

module HandlerSocket2
  # Connections to a server, in a pool for each of its ports. It is safe for threads, and can be used
  # behind a fork. {HandlerSocket2.connect} makes one.
  class Client
    include Runner

    # @api private
    # @return [Schema]
    attr_reader :schema

    # @api private
    def initialize(options, on_request)
      @options = options
      @on_request = on_request
      @places = Places.new(options)
      @schema = Schema.new(self)
    end

    # A table by one of its indexes.
    # @param name [String] `database.table`, or the name of a table in the option `database`
    # @param columns [Array<String, Symbol>, nil] those that are read; nil are all
    # @param index [String]
    # @param raw [Boolean] whether all values are given as bytes
    # @return [Table]
    # @raise [ValueError] when a name cannot be sent
    def table(name, columns = nil, index: "PRIMARY", raw: false)
      Table.for(self, self, name, columns, index, raw)
    end

    # Sends the calls of the block in one piece. When there is a change among them, all go to the write port.
    # @example
    #   name, added = db.pipeline do |pipe|
    #     pipe.table(user).get(101)
    #     pipe.table(user).insert({ user_id: 102 })
    #   end
    # @yieldparam pipeline [Pipeline]
    # @return [Array] the results in their order, an {Error} in the place of a call that failed
    # @raise [Error] when there is no connection, or the block raises one
    def pipeline
      raise ValueError, "a pipeline has a block" unless block_given?

      collected = Pipeline.new(self)
      yield collected
      run(collected.calls)
    end

    # Carries out the block in a transaction, and commits at its end. What leaves the block before
    # (an exception, `break`, `return`, `throw`) rolls back; `next` is an end.
    # @param isolation [String, Symbol, nil] `RU`, `RC`, `RR` or `SR`; nil is the server's
    # @param read_only [Boolean]
    # @yieldparam transaction [Transaction]
    # @return [Object] what the block returns; without a block the {Transaction}, to be committed or
    #   rolled back
    # @raise [Error]
    def transaction(isolation: nil, read_only: false)
      return Transaction.new(self, @places, isolation, read_only) unless block_given?

      # An interrupt of the thread, as by Timeout, comes between no two steps of beginning and ending.
      Thread.handle_interrupt(Object => :on_blocking) do
        transaction = Transaction.new(self, @places, isolation, read_only)
        begin
          result = Thread.handle_interrupt(Object => :immediate) { yield transaction }
          transaction.commit
          result
        ensure
          transaction.rollback
        end
      end
    end

    # Connects, if need be, and asks the server for its version.
    # @return [void]
    # @raise [Error]
    def ping
      one(Call.new(:ping, Protocol.hello(2, @options.name)))
    rescue ServerError => e
      raise unless e.text == "cmd" # It is one of the original's kind.
    end

    # @return [Array<String>] what the server can do; nothing for one of the original's kind
    # @raise [Error]
    def features
      @places.read.with(@places.deadline, &:features).sort
    end

    # @return [String] the GTID of the client's last change, of each domain; empty without one
    # @raise [Error]
    def last_gtid
      @places.last_gtid
    end

    # Waits until it is applied where reads go to.
    # @param gtid [String] several have commas between them
    # @param seconds [Numeric] at most 600
    # @return [Boolean] whether it is
    # @raise [Error]
    def wait_for_gtid(gtid, seconds)
      one(Call.wait_for_gtid(gtid, seconds))
    end

    # What there is.
    # @param name [String, nil] a database, or `database.table`
    # @return [Array<Hash{String => Object}>] databases; tables of a database; columns of a table
    # @raise [Error]
    def describe(name = nil)
      unless name.nil? || name.respond_to?(:to_str)
        raise ValueError, "a database or a table has a text as name, not #{name.inspect}"
      end

      one(Call.describe(*(name && Protocol.split_name(name.to_str))))
    end

    # The columns of a table's indexes.
    # @param name [String] `database.table`
    # @return [Array<Hash{String => Object}>]
    # @raise [Error]
    def indexes(name)
      one(Call.describe(*split(name), indexes: true))
    end

    # Sends one line as it is, of those that need no index, login or transaction.
    # @param port [Symbol, String] `:read` or `:write`
    # @param tokens [Array<String>]
    # @return [Array] the code, the number of columns, and the values as bytes
    # @raise [Error]
    def raw(port, tokens)
      raise ValueError, "a port is :read or :write" unless %w[read write].include?(port.to_s)

      line = Values.list(tokens, "tokens").map { |one| Values.to_bytes(one).to_s.b }.join("\t")
      raise ValueError, "a line has no LF" if line.include?("\n")
      raise ValueError, "'#{tokens.first}' is of one connection, which raw has not" if line.match?(/\A[0-9APT]/)

      one(Call.new(:raw, "#{line}\n", changes: port.to_s == "write") { |reply| [0, reply.columns, *reply.values] })
    end

    # Closes all connections. A client that is closed cannot be used any more.
    # @return [void]
    def close
      @places.close
    end

    # @return [String]
    def inspect
      "#<#{self.class} #{@options.socket || "#{@options.host}:#{@options.port}"}>"
    end

    # @api private
    # @param call [Call]
    # @return [Object] its result
    # @raise [Error]
    def one(call)
      return super if @on_request

      result = @places.carry_out_one(call)
      return result unless result.is_a?(Error)

      @schema.forget_altered([call], [result])
      raise result
    end

    # @api private
    # @param calls [Array<Call>]
    # @return [Array] their results in their order, errors in their places
    def run(calls)
      calls.empty? ? [] : observe(calls) { @places.carry_out(calls) }
    end

    # The results of the block, of which the hook is told. Tables that were altered are forgotten.
    # @api private
    def observe(calls)
      return yield.tap { |results| @schema.forget_altered(calls, results) } unless @on_request

      begun = Transport.now
      begin
        results = yield
        @schema.forget_altered(calls, results)
        error = results.find { |result| result.is_a?(Error) }
        results
      rescue Error => e
        error = e
        raise
      ensure
        is_one = calls.size == 1 || calls[1].kind == :describe # see IndexCalls
        kind = is_one ? calls.first.kind : :pipeline
        tell(kind, calls.first.table, Transport.now - begun, error)
      end
    end

    # @api private
    # @return [Array(String, String)] database and table
    def split(name)
      names = Protocol.split_name(name.to_s)
      names.unshift(@options.database) if names.size == 1
      return names unless names.first.to_s.empty?

      raise ValueError, "'#{name}' does not name a table and its database"
    end

    private

    # Calls the hook. One that raises changes nothing of a call that has ended: it is a warning.
    def tell(*told)
      @on_request.call(*told)
    rescue StandardError => e
      warn "handlersocket2: on_request has failed: #{e.full_message(highlight: false)}"
    end
  end
end
