# frozen_string_literal: true

module HandlerSocket2
  # Collects calls, to be sent in one piece at the end of the block of {Client#pipeline} or
  # {Transaction#pipeline}.
  class Pipeline
    # @api private
    # @return [Array<Call>]
    attr_reader :calls

    # @api private
    def initialize(client)
      @client = client
      @calls = []
    end

    # A table whose calls are collected. Each returns its place among the results, from 0;
    # `get_many` is one call for each key.
    # @param name [String, Table] as {Client#table} takes it, or a table of the client
    # @return [Table]
    # @raise [ValueError]
    def table(name, columns = nil, index: "PRIMARY", raw: false)
      Table.for(@client, self, name, columns, index, raw)
    end

    # Adds a call.
    # @api private
    # @return [Integer] its place among the results
    def one(call)
      @calls << call
      @calls.size - 1
    end

    # Adds calls.
    # @api private
    # @return [Array<Integer>] their places among the results
    def many(calls)
      calls.map { |call| one(call) }
    end
  end

  # What carries out calls: a client or a transaction.
  # @api private
  module Runner
    # @param call [Call]
    # @return [Object] its result
    # @raise [Error] its error
    def one(call)
      many([call]).first
    end

    # @param calls [Array<Call>]
    # @return [Array] their results
    # @raise [Error] the first error of them
    def many(calls)
      results = run(calls)
      error = results.find { |result| result.is_a?(Error) }
      error ? raise(error) : results
    end
  end
end
