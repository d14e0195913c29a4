# frozen_string_literal: true

require_relative "calls"

module HandlerSocket2
  # The keys of a {Table#get_many} that one request asks for, and which of its rows is whose.
  #
  # IN finds one row at most for each value, in their order, and skips values without one. So where there are as
  # many rows as keys each row is that of its key. Else the keys that are, byte by byte, those of the rows tell it,
  # if there are as many of these as rows: a key that is a row's own text finds a row. (Other keys may find rows,
  # too, as `A` finds `a` by many collations.)
  # @api private
  class ManyKeys
    MOST = 1000 # keys of one request
    MOST_BYTES = 1 << 20
    OWN_TEXT = %i[integer text bytes].freeze # kinds whose text finds its row again
    private_constant :MOST, :MOST_BYTES, :OWN_TEXT

    # Requests for all of the keys, in their order.
    # @param calls [Calls]
    # @param part [Schema::Part] the first one of the index
    # @param keys [Array]
    # @return [Array<ManyKeys>] none when each key needs a request of its own
    def self.requests(calls, part, keys)
      values = keys.map { |key| Values.key(key) }
      return [] if values.any? { |one| one.size != 1 } || values.sum { |one| one[0].to_s.bytesize } > MOST_BYTES

      values.flatten(1).each_slice(MOST).map { |some| new(calls, part, some) }
    end

    # @return [Call] it gives a row or nil for each key, or nil when it cannot be told which row is whose
    attr_reader :call

    # @param calls [Calls]
    # @param part [Schema::Part]
    # @param keys [Array<String, nil>] their bytes
    def initialize(calls, part, keys)
      @keys = keys
      columns = calls.columns
      if OWN_TEXT.include?(part.kind) && !part.prefix
        columns |= [part.column]
        @at = columns.index(part.column)
      end
      @call = calls.listed(keys, columns) { |reply, row| decode(reply.rows(columns.size, keys.size).to_a, row) }
    end

    private

    def decode(values, row)
      return values.map(&row) if values.size == @keys.size
      return Array.new(@keys.size) if values.empty?

      place = 0
      found = @keys.map do |key|
        next unless @at && place < values.size && values[place][@at] == key

        place += 1
        row.call(values[place - 1])
      end
      found if place == values.size
    end
  end
end
