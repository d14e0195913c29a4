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
    end

    # The kinds of a table's columns in their order; none when the server has no `D`.
    # @return [Hash{String => Symbol}]
    def kinds(database, table)
      columns(database, table).transform_values { |column| Values.kind(column["type"]) }
    rescue UnsupportedError
      {}
    end

    # The columns of an index.
    # @return [Array<Part>]
    # @raise [NotFoundError] when there is none of this name
    def parts(database, table, index)
      index = "PRIMARY" if index.empty?
      rows = once(Call.describe(database, table, indexes: true), :indexes, database, table)
      rows = rows.select { |row| row["index"] == index }
      raise ServerError.of(2, "idxnum") if rows.empty?

      known = columns(database, table)
      rows.map { |row| part(row, known.fetch(row["column"]) { raise ServerError.of(2, "idxnum") }) }
    end

    private

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
