# frozen_string_literal: true

require_relative "range_index"

module HandlerSocket2
  # A range that is read in pages. Each begins behind the last row's key where one row at most can
  # have it, and else with the rows of a key. A page ends in front of a key whose rows may not all be
  # in it: the next page reads them again, so that rows which come or go meanwhile shift no others.
  # Only of a key with more rows than a page has, the rows that were given are skipped by their number.
  # @api private
  class Pages
    # @param runner [IndexCalls]
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
      @ended = false
    end

    # Reads the pages that are left.
    # @yieldparam row [Hash{String => Object}]
    # @return [void]
    def each(&block)
      self.next.each(&block) until @ended
    end

    # Reads a page.
    # @return [Array<Hash{String => Object}>] its rows
    def next
      call = @calls.page(@operator, @key, @size, @skip, @columns, @names, @filters)
      page = @runner.one(call)
      keys = page.map { |row| @places.map { |place| row[place].dup } } # their bytes: text comes of the others
      @ended = page.size < @size
      given = @ended ? page.size : go_behind(keys)
      width = @calls.columns.size
      @calls.rows(@calls.columns).call(Reply.new(width, page.first(given).flat_map { |row| row.first(width) }))
    end

    private

    def end_before(stop)
      @filters << @index.end_before(stop, @reverse, @names.size)
      @names << @index.names.first
    end

    # Where the next page begins.
    # @return [Integer] how many rows of this one are given
    def go_behind(keys)
      last = keys.last
      unless @index.can_begin?(last)
        @skip += keys.size # The next page begins where this one did.
        return keys.size
      end

      unique = @index.unique?(last)
      given, @skip = unique ? [keys.size, 0] : in_front_of_last(keys)
      @key = last
      @operator = (@reverse ? "<" : ">") + (unique ? "" : "=")
      given
    end

    # How many rows are in front of those with the key of the last row, or all if there are no others; how
    # many with that key were given.
    def in_front_of_last(keys)
      same = Hash.new { |known, key| known[key] = @index.same?(key, keys.last) }
      other = keys.rindex { |key| !same[key] }
      return [other + 1, 0] if other

      [keys.size, keys.size + (@skip.positive? && same[@key] ? @skip : 0)]
    end
  end
end
