# frozen_string_literal: true

require_relative "call"

module HandlerSocket2
  # What {Table#insert_ignore} did: whether the row was added, and the id that was generated for it.
  Inserted = Struct.new(:inserted, :id, keyword_init: true)
  # What {Table#upsert} did (`:inserted`, `:updated` or `:unchanged`), and the row's generated id.
  Upserted = Struct.new(:did, :id, keyword_init: true)
  # How many rows {Table#replace} has replaced, and the id that was generated.
  Replaced = Struct.new(:replaced, :id, keyword_init: true)

  # The calls of a table: what each sends, and what its reply means. Its arguments are those of {Table}.
  # @api private
  class Calls
    DID = %i[unchanged inserted updated].freeze
    private_constant :DID

    # @return [String]
    attr_reader :database
    # @return [String]
    attr_reader :table
    # @return [Array<String>]
    attr_reader :columns
    # @return [String]
    attr_reader :index

    # @param kinds [Hash{String => Symbol}] of the columns; those that are not there are text
    # @param raw [Boolean] whether all values are bytes
    def initialize(database, table, columns, index, kinds, raw)
      @database = database
      @table = table
      @columns = columns.map(&:-@)
      @index = index
      @kinds = kinds
      @raw = raw
      @name = "#{database}.#{table}"
      @plain = opening(@columns)
      @rows = rows(@columns)
      @first = first(@columns)
    end

    # What turns a reply into rows with these columns.
    # @return [Proc]
    def rows(columns)
      row = row(columns)
      ->(reply, most = nil) { reply.rows(columns.size, most).map(&row) }
    end

    # @return [Call] a find that gives all its rows; `within` as {Protocol.find} has it
    def find(operator, key, limit: 1, offset: 0, filters: [], within: nil)
      names, wire = self.class.filters(filters)
      line = Protocol.find(0, operator, Values.key(key), limit, offset, within, wire)
      feature = if within && within[:all] then "all"
                elsif operator == "=<" then "descending"
                end
      most = [limit || 1, 1].max unless within
      call(:find, line, names.empty? ? @plain : opening(@columns, names), feature: feature) do |reply|
        @rows.call(reply, most)
      end
    end

    # @return [Call]
    def get(key)
      line = key.is_a?(Integer) ? "0\t=\t1\t#{key}\n" : Protocol.get(0, Values.key(key))
      Call.new(:get, line, index: @plain, table: @name, &@first)
    end

    # @param keys [Array<String, nil>] one value of the index's first column each
    # @param columns [Array<String>] those of the table, and maybe others behind them
    # @yieldparam reply [Reply]
    # @yieldparam row [Proc] makes a row with the table's columns of a row's values
    # @return [Call] a find of a row for each key
    def listed(keys, columns)
      line = Protocol.find(0, "=", [""], keys.size, 0, { part: 0, values: keys, all: false }, [])
      row = row(@columns)
      call(:get_many, line, opening(columns)) { |reply| yield reply, row }
    end

    # @return [Call] a page of a range, with the values as they came
    def page(operator, key, limit, offset, columns, names, wire)
      line = Protocol.find(0, operator, key, limit, offset, nil, wire)
      call(:range, line, opening(columns, names)) { |reply| reply.rows(columns.size, limit).to_a }
    end

    # @return [Call]
    def count(operator, key, limit: 0, filters: [])
      names, wire = self.class.filters(filters)
      line = Protocol.count(0, operator, Values.key(key), limit, 0, nil, wire)
      call(:count, line, opening([], names), feature: "count", &:number)
    end

    # @return [Call]
    def exists(key)
      count("=", key, limit: 1).meaning(:exists) { |reply| reply.number.positive? }
    end

    # @return [Call]
    def insert(row, returning: nil)
      add("+", row, returning) { |reply| generated(reply.numbers(0..1).first) }
    end

    # @return [Call]
    def insert_ignore(row, returning: nil)
      add("+I", row, returning) do |reply|
        number, id = added(reply, 0..1)
        Inserted.new(inserted: number == 1, id: id)
      end
    end

    # @return [Call]
    def upsert(row, update: nil, returning: nil)
      add("+U", row, returning, update) do |reply|
        number, id = added(reply, 0..2)
        Upserted.new(did: DID[number], id: id)
      end
    end

    # @return [Call]
    def replace(row, returning: nil)
      add("+R", row, returning) do |reply|
        number, id = added(reply, 1..)
        Replaced.new(replaced: number - 1, id: id)
      end
    end

    # @return [Call]
    def update(key, values, op: "=", limit: 1, filters: [], returning: nil)
      change("U", key, fields(values), op, limit, filters, returning)
    end

    # @return [Call]
    def delete(key, op: "=", limit: 1, filters: [], returning: nil)
      change("D", key, {}, op, limit, filters, returning)
    end

    # @return [Call]
    def increment(key, amounts, returning: nil)
      change("+", key, fields(amounts), "=", 1, [], returning)
    end

    # @return [Call]
    def decrement(key, amounts, returning: nil)
      change("-", key, fields(amounts), "=", 1, [], returning)
    end

    # @return [Call]
    def compare_and_set(key, expected, values)
      filters = fields(expected).map { |name, value| [name, "=", value] }
      raise ValueError, "there is nothing to compare with" if filters.empty?

      update(key, values, filters: filters).meaning(:compare_and_set) { |reply| reply.number.positive? }
    end

    # The columns that filters name, and the filters as {Protocol} has them.
    # @return [Array(Array<String>, Array)]
    def self.filters(filters)
      wire = Values.list(filters, "filters").each_with_index.map do |filter, at|
        unless filter.is_a?(Array) && filter.size.between?(3, 4) && [nil, "while"].include?(filter[3]&.to_s)
          raise ValueError, "a filter is a column, an operator and a value, and :while where it ends the search"
        end

        [filter[3] ? "W" : "F", filter[1], at, Values.to_bytes(filter[2])]
      end
      [filters.map(&:first), wire]
    end

    private

    # What turns values into a row with these columns.
    def row(columns)
      kinds = columns.map { |name| @raw ? :bytes : @kinds.fetch(name, :text) }
      width = columns.size
      lambda do |values|
        made = {}
        at = 0
        while at < width # which takes less time than a block for each
          made[columns[at]] = Values.from_bytes(kinds[at], values[at])
          at += 1
        end
        made
      end
    end

    # What turns a reply into its only row, or nil.
    def first(columns)
      row = row(columns)
      width = columns.size
      lambda do |reply|
        reply.check(width, 1)
        row.call(reply.values) unless reply.size.zero?
      end
    end

    def opening(columns, filter_columns = nil)
      Protocol.open(0, @database, @table, @index, columns, filter_columns).freeze
    end

    def call(kind, line, index, changes: false, feature: nil, &decode)
      Call.new(kind, line, index: index, changes: changes, feature: feature, table: @name, &decode)
    end

    # The columns of a row and their values.
    def fields(row)
      raise ValueError, "a row is a Hash, not a #{row.class}" unless row.is_a?(Hash)

      named = row.transform_keys(&:to_s)
      raise ValueError, "a column stands twice" if named.size != row.size

      named
    end

    def add(verb, row, returning, update = nil, &decode)
      row = fields(row)
      raise ValueError, "a row has a column at least" if row.empty?

      update &&= fields(update)
      unless update.nil? || (update.keys - row.keys).empty?
        raise ValueError, "the columns of the update must be among those of the row"
      end

      row = update.merge(row) if update # those of the update first
      names = row.keys
      feature = "upsert" if verb.size > 1
      if returning
        verb += mark(returning)
        names |= @columns
        decode = rows(names)
        feature ||= "returning"
      end
      line = Protocol.insert(0, verb, bytes(row), update && bytes(update))
      call(:insert, line, opening(names), changes: true, feature: feature, &decode)
    end

    # What a reply tells of a row that was added: a number of this range, and the id.
    def added(reply, numbers)
      number, id = reply.numbers(1..2)
      raise ProtocolError, "the reply is none to this insert" unless numbers.cover?(number)

      [number, generated(id)]
    end

    # Nil for 0 and for none.
    def generated(id)
      id unless id&.zero?
    end

    def change(verb, key, values, operator, limit, filters, returning)
      raise ValueError, "there is nothing to change" if values.empty? && verb != "D"

      names, wire = self.class.filters(filters)
      columns = verb == "D" && returning ? @columns : values.keys
      decode = :number.to_proc
      if returning
        verb += mark(returning)
        decode = rows(columns)
      end
      line = Protocol.change(0, operator, Values.key(key), limit, 0, nil, wire, verb, bytes(values))
      feature = "returning" if verb.end_with?("!")
      call(:change, line, opening(columns, names), changes: true, feature: feature, &decode)
    end

    def bytes(row)
      row.values.map { |value| Values.to_bytes(value) }
    end

    def mark(returning)
      { "before" => "?", "after" => "!" }.fetch(returning.to_s) do
        raise ValueError, "returning is :before or :after, not #{returning.inspect}"
      end
    end
  end
end
