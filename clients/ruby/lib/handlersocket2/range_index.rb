# frozen_string_literal: true

module HandlerSocket2
  # The index that a range goes along, by its parts.
  # @api private
  class RangeIndex
    LOWEST = {
      integer: "-1e309", float: "-1e309", decimal: "-1e309", date: "0000-00-00", datetime: "0000-00-00 00:00:00",
      time: "-838:59:59.999999"
    }.freeze
    LOWEST_OF_TYPE = { "uuid" => "00000000-0000-0000-0000-000000000000", "inet4" => "0.0.0.0", "inet6" => "::" }.freeze
    NIGHT = [*0..3, 22, 23].freeze
    private_constant :LOWEST, :LOWEST_OF_TYPE, :NIGHT

    # @return [Array<String>] of its columns
    attr_reader :names

    # @param runner [IndexCalls]
    # @param calls [Calls]
    # @param parts [Array<Schema::Part>]
    def initialize(runner, calls, parts)
      @runner = runner
      @calls = calls
      @parts = parts
      @first = parts.first
      @names = parts.map(&:column)
    end

    # The filter that ends a range. An index of the beginnings of a column has not the order of whole
    # values, so there it does not end the search.
    # @param place [Integer] of the first column among the filters' columns
    # @return [Array]
    def end_before(stop, reverse, place)
      [@first.prefix ? "F" : "W", reverse == @first.descending ? "<" : ">", place, stop]
    end

    # A key with which the index begins. NULL finds nothing where there can be none. Texts that begin
    # with control characters may sort before the empty one: then the key is the first of them.
    # @return [Array<String, nil>]
    # @raise [ValueError] when the server cannot tell where that is
    def lowest
      raise ValueError, "a range over an index that goes downwards needs its start" if @first.descending
      return [nil] if @first.nullable

      key = [LOWEST_OF_TYPE[@first.word] || LOWEST.fetch(@first.kind, "")]
      while @first.kind == :text && (below = @runner.one(@calls.count("<", key))).positive?
        key = @runner.one(@calls.page("<", key, 1, below - 1, @names.first(1), [], [])).first || key
      end
      key
    end

    # Whether a page can begin with a row's key. The text of a column of which the index has only a
    # beginning, of a FLOAT, and of a TIMESTAMP at night, when clocks may be set back, does not tell
    # the place in the index.
    # @param key [Array<String, nil>]
    def can_begin?(key)
      @parts.zip(key).none? do |part, value|
        part.prefix || part.word == "float" ||
          (part.word == "timestamp" && value && NIGHT.include?(value[11, 2].to_i))
      end
    end

    # Whether one row at most has this key: that of a unique index without NULL.
    def unique?(key)
      @parts.all?(&:unique) && key.none?(&:nil?)
    end

    # Whether both stand at the same place. Texts and the zeros of DOUBLE may be the same with other
    # bytes; then the server knows.
    def same?(one, other)
      return true if one == other
      return false unless one.size == other.size && @parts.any? { |part| %i[text float].include?(part.kind) }

      filters = @names.zip(other).map { |name, value| [name, "=", value] }
      @runner.one(@calls.count("=", one, limit: 1, filters: filters)).positive?
    end
  end
end
