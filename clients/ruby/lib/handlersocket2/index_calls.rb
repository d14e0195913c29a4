# frozen_string_literal: true

require_relative "call"

module HandlerSocket2
  # Carries out calls that are right for some columns of an index alone. What the server tells of the index is asked
  # for in the same piece, behind each of them.
  # @api private
  class IndexCalls
    # The index has other columns by now: it was dropped, and made again under its name.
    class Altered < StandardError; end

    # @param runner [Client, Transaction]
    # @param schema [Schema]
    # @param name [Array(String, String)] database and table
    # @param index [String]
    def initialize(runner, schema, name, index)
      @runner = runner
      @schema = schema
      @name = [*name, index]
      @described = Call.describe(*name, indexes: true)
    end

    # Knows the columns of the index, which the calls of the block are made for. The block is called again while
    # the index turns out to have others.
    # @yieldparam parts [Array<Schema::Part>]
    # @return [Object] what the block returns
    def known
      @rows = @schema.index(*@name)
      yield @schema.parts(*@name)
    rescue Altered
      retry
    end

    # @param call [Call]
    # @return [Object] its result
    # @raise [Error]
    # @raise [Altered]
    def one(call)
      result, rows = @runner.run([call, @described])
      raise Altered if rows.is_a?(Array) && !known?(rows)

      error = [result, rows].find { |one| one.is_a?(Error) }
      error ? raise(error) : result
    end

    # @return [Boolean] whether the index has the columns that it is known to have
    def as_known?
      known?(@runner.one(@described))
    end

    private

    def known?(rows)
      same = @schema.of(rows, @name.last) == @rows
      @schema.forget(*@name.first(2)) unless same
      same
    end
  end
end
