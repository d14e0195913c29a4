# frozen_string_literal: true

module HandlerSocket2
  # What a client has learned of tables, and asks for once.
  # @api private
  class Schema
    # A column of an index.
    # @!attribute kind
    #   @return [Symbol] of the column's values
    # @!attribute word
    #   @return [String] of the column's type, such as `int` of `int(11)`
    Part = Struct.new(:column, :kind, :word, :nullable, :unique, :descending, :prefix, keyword_init: true)

    # @param client [Client]
    def initialize(client)
      @client = client
      @lock = Mutex.new
      @known = {}
      @alterations = 0
    end

    # @return [Integer] how often a table turned out to have been altered
    attr_reader :alterations

    # Forgets the tables whose results say that they are not as they were.
    # @param calls [Array<Call>]
    # @param results [Array]
    def forget_altered(calls, results)
      results.each_with_index do |result, at|
        next unless (result.is_a?(NotFoundError) || result.is_a?(ProtocolError)) && calls[at].table

        forget_if { |name| name.join(".") == calls[at].table }
      end
    end

    # Forgets a table that is not as it was.
    def forget(database, table)
      forget_if { |name| name == [database, table] }
    end

    # The kinds of a table's columns in their order; none when the server has no `D`. Asks anew when one of
    # the wanted columns is not known: it may have been added.
    # @return [Hash{String => Symbol}]
    def kinds(database, table, wanted = [])
      known = columns(database, table)
      unless wanted.all? { |name| known.key?(name) }
        @lock.synchronize { @known.delete([:columns, database, table]) }
        known = columns(database, table)
      end
      known.transform_values { |column| Values.kind(column["type"]) }
    rescue UnsupportedError
      {}
    end

    # The columns of an index.
    # @return [Array<Part>]
    # @raise [NotFoundError] when there is none of this name
    def parts(database, table, index)
      rows = index(database, table, index)
      raise ServerError.of(2, "idxnum") if rows.empty?

      known = columns(database, table)
      rows.map { |row| part(row, known.fetch(row["column"]) { raise ServerError.of(2, "idxnum") }) }
    end

    # What the server tells of the columns of an index.
    # @return [Array<Hash>] nothing when there is none of this name
    def index(database, table, index)
      of(once(Call.describe(database, table, indexes: true), :indexes, database, table), index)
    end

    # @param rows [Array<Hash>] what the server tells of all indexes of a table
    # @return [Array<Hash>] those of one of them
    def of(rows, index)
      rows.select { |row| row["index"] == (index.empty? ? "PRIMARY" : index) }
    end

    private

    def forget_if
      @lock.synchronize do
        @known.delete_if { |(_, *name), _| yield name }
        @alterations += 1
      end
    end

    def part(row, column)
      Part.new(column: row["column"], kind: Values.kind(column["type"]), word: Values.word(column["type"]),
               nullable: column["nullable"], unique: row["unique"], descending: row["direction"] == "D",
               prefix: !row["prefix_length"].nil?)
    end

    def columns(database, table)
      once(Call.describe(database, table), :columns, database, table).to_h { |row| [row["column"], row] }
    end

    def once(call, *name)
      @lock.synchronize { @known[name] } || @client.one(call).tap do |rows|
        @lock.synchronize { @known[name] = rows }
      end
    end
  end
end
