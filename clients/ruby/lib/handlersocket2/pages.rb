# frozen_string_literal: true

require_relative "range_index"

module HandlerSocket2
  # A range that is read in pages. Each begins at the last row's key, and skips the rows that were
  # given with that key. Behind a key that has one row at most, it begins behind it.
  # @api private
  class Pages
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
      @index = RangeIndex.new(runner, calls, parts)
      @size = size
      @reverse = reverse
      @operator = reverse ? "<=" : ">="
      @columns = calls.columns | @index.names
      @places = @index.names.map { |name| @columns.index(name) }
      @names, @filters = Calls.filters(filters)
      end_before(stop.first) if stop
      @key = start || @index.lowest
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
        page = @runner.one(call)
        keys = page.map { |row| @places.map { |place| row[place].dup } } # their bytes: text comes of the others
        page.each { |row| decode.call(Reply.new(width, row.first(width))).each(&block) }
        break if page.size < @size

        go_behind(keys)
      end
    end

    private

    def end_before(stop)
      @filters << @index.end_before(stop, @reverse, @names.size)
      @names << @index.names.first
    end

    def go_behind(keys)
      last = keys.last
      return @skip += keys.size unless @index.can_begin?(last) # The next page begins where this one did.

      unique = @index.unique?(last)
      @skip = unique ? 0 : rows_at_last(keys)
      @key = last
      @operator = (@reverse ? "<" : ">") + (unique ? "" : "=")
    end

    # How many rows with the key of the last row were given.
    def rows_at_last(keys)
      same = Hash.new { |known, key| known[key] = @index.same?(key, keys.last) }
      other = keys.rindex { |key| !same[key] }
      return keys.size - other - 1 if other

      keys.size + (@skip.positive? && same[@key] ? @skip : 0)
    end
  end
end
