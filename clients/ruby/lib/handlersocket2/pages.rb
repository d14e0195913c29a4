# frozen_string_literal: true

module HandlerSocket2
  # A range that is read in pages. Each begins at the last row's key, and skips the rows that were
  # given with that key. Behind a key that has one row at most, it begins behind it.
  # @api private
  class Pages
    LOWEST = {
      integer: "-1e309", float: "-1e309", decimal: "-1e309", date: "0000-00-00", datetime: "0000-00-00 00:00:00",
      time: "-838:59:59.999999"
    }.freeze
    LOWEST_TYPES = { "uuid" => "00000000-0000-0000-0000-000000000000", "inet4" => "0.0.0.0", "inet6" => "::" }.freeze
    private_constant :LOWEST, :LOWEST_TYPES

    # @param runner [#one]
    # @param calls [Calls]
    # @param parts [Array<Schema::Part>] the columns of the index
    # @param start [Array<String, nil>, nil] the key with which it begins
    # @param stop [Array<String, nil>, nil] one value
    # @param reverse [Boolean]
    # @param filters [Array]
    # @param size [Integer] most rows of a page
    def initialize(runner, calls, parts, start, stop, reverse, filters, size)
      @runner = runner
      @calls = calls
      @parts = parts
      @size = size
      @reverse = reverse
      @operator = reverse ? "<=" : ">="
      @columns = calls.columns | parts.map(&:column)
      @places = parts.map { |part| @columns.index(part.column) }
      @names, @filters = Calls.filters(filters)
      end_before(stop) if stop
      @key = start || [lowest]
      @skip = 0
    end

    # Reads all pages.
    # @yieldparam row [Hash{String => Object}]
    # @return [void]
    def each(&block)
      decode = @calls.rows(@calls.columns)
      width = @calls.columns.size
      loop do
        call = @calls.page(@operator, @key, @size, @skip, @columns, @names, @filters)
        page = @runner.one(call).values.each_slice(@columns.size).to_a
        keys = page.map { |row| @places.map { |place| row[place].dup } } # their bytes: text comes of the others
        page.each { |row| decode.call(Reply.new(width, row.first(width))).each(&block) }
        break if page.size < @size

        go_behind(keys)
      end
    end

    private

    def end_before(stop)
      below = @reverse == @parts.first.descending
      @filters << ["W", below ? "<" : ">", @names.size, stop.first]
      @names << @parts.first.column
    end

    # A key with which the index begins. NULL sorts first, but finds nothing where there can be none.
    def lowest
      first = @parts.first
      raise ValueError, "a range over an index that goes downwards needs its start" if first.descending
      return nil if first.nullable

      if first.type.match?(/\Aenum.*[(,]''[,)]/) # which need not be the first one
        raise UnsupportedError, "a range of an ENUM with an empty member needs its start"
      end

      LOWEST_TYPES[first.type] || LOWEST.fetch(first.kind, "")
    end

    def go_behind(keys)
      return @skip += keys.size if @parts.any?(&:prefix) # Its keys cannot be compared: all begin at the same place.

      unique = unique?(keys.last)
      @skip = unique ? 0 : rows_at_last(keys)
      @key = keys.last
      @operator = (@reverse ? "<" : ">") + (unique ? "" : "=")
    end

    # One row at most has a key of a unique index without NULL.
    def unique?(key)
      @parts.all?(&:unique) && key.none?(&:nil?)
    end

    # How many rows with the key of the last row were given.
    def rows_at_last(keys)
      same = Hash.new { |known, key| known[key] = same?(key, keys.last) }
      other = keys.rindex { |key| !same[key] }
      return keys.size - other - 1 if other

      keys.size + (@skip.positive? && same[@key] ? @skip : 0)
    end

    # Whether both stand at the same place of the index. Text may be the same with other bytes; then
    # the server knows.
    def same?(one, other)
      return one == other if one == other || @parts.none? { |part| part.kind == :text }

      filters = @parts.zip(other).map { |part, value| [part.column, "=", value] }
      @runner.one(@calls.count("=", one, limit: 1, filters: filters)).positive?
    end
  end
end
