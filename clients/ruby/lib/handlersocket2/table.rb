# frozen_string_literal: true

require_relative "index_calls"
require_relative "many_keys"
require_relative "pages"

module HandlerSocket2
  # A table by one of its indexes. It is cheap, and safe for threads.
  #
  # - A key is a value, or an Array of values for an index of several columns, or for its first ones.
  # - A row is a Hash. Its names are Strings in what is given, and Strings or Symbols in what is taken.
  # - A filter is `[column, operator, value]`; with `:while` behind it, the first row for which it does
  #   not hold ends the search.
  # - `returning:` is `:before` or `:after`; then a change gives an Array of rows: with the columns that
  #   were set, of an insert also with the table's others, and of a delete with the table's.
  # - Without a limit, and with one of 0, one row is meant; 4294967295 are all rows. Only {#count} has
  #   no limit of its own.
  # - Every call raises an {Error}: {ValueError} before anything is sent, {ServerError},
  #   {ConnectionError}, {UnsupportedError}.
  class Table
    # @api private
    # @param runner [#one, #many] the client, a transaction or a pipeline
    def self.for(client, runner, name, columns, index, raw)
      return name.within(runner) if name.is_a?(Table)

      new(client, runner, client.split(name), columns, index, raw)
    end

    # @api private
    def initialize(client, runner, name, columns, index, raw)
      @client = client
      @runner = runner
      @name = name
      raise ValueError, "columns is an Array of names" unless columns.nil? || columns.is_a?(Array)

      @columns = columns&.map { |one| Protocol.utf8(one.to_s).freeze }
      @index = index.to_s
      @raw = raw
      raise ValueError, "a table needs a column" if @columns && @columns.empty?

      Protocol.open(0, *name, @index, @columns || [])
    end

    # The same table within a transaction or a pipeline.
    # @api private
    # @return [Table]
    def within(runner)
      dup.tap { |made| made.instance_variable_set(:@runner, runner) }
    end

    # The row with this key.
    # @param key [Object, Array]
    # @return [Hash{String => Object}, nil]
    def get(key)
      @runner.one(calls.get(key))
    end

    # The rows with these keys, by few requests.
    # @param keys [Enumerable]
    # @return [Array<Hash{String => Object}, nil>] in the order of the keys
    def get_many(keys)
      keys = Values.list(keys, "the keys")
      # Within a transaction an error may have ended it, so that nothing could be asked for behind it.
      found = by_few_requests(keys) if keys.size > 1 && @runner.is_a?(Client)
      found || @runner.many(keys.map { |key| calls.get(key) })
    end

    # The rows from the key on.
    # @param op [String] `=`, `=<`, `>`, `>=`, `<` or `<=`
    # @param key [Object, Array]
    # @param limit [Integer] most rows
    # @param offset [Integer] rows to skip first
    # @param filters [Array<Array>]
    # @param in [Hash{String => Array}] a column of the index and values, of each of which the first row is found
    # @return [Array<Hash{String => Object}>]
    def find(op, key, limit: 1, offset: 0, filters: [], in: nil)
      given = binding.local_variable_get(:in)
      options = { limit: limit, offset: offset, filters: filters }
      return find_within(given, op, key, options, all: false) if given

      @runner.one(calls.find(op, key, **options, within: nil))
    end

    # All rows of each value. Limit and offset are for each.
    # @param op [String]
    # @param key [Object, Array] in which each value takes the place of the column's
    # @param column [String] of the index
    # @param values [Array]
    # @param limit [Integer]
    # @param offset [Integer]
    # @param filters [Array<Array>]
    # @return [Array<Hash{String => Object}>]
    def find_all(op, key, column, values, limit: 1, offset: 0, filters: [])
      options = { limit: limit, offset: offset, filters: filters }
      find_within({ column => values }, op, key, options, all: true)
    end

    # The rows from `start` to before `stop`, read page by page as they are needed.
    # @param start [Object, Array, nil] the key with which it begins; nil is the beginning of the index
    # @param stop [Object, nil] the first value of the index's first column that is not wanted any more
    # @param reverse [Boolean] whether to go downwards, which needs a start
    # @param filters [Array<Array>]
    # @param page [Integer] how many rows are read at once
    # @yieldparam row [Hash{String => Object}]
    # @return [Enumerator, Table] an Enumerator without a block
    def range(start: nil, stop: nil, reverse: false, filters: [], page: 1000, &block)
      rows = rows_between(start, stop, reverse, filters, page)
      return rows unless block

      rows.each(&block)
      self
    end

    # How many rows there are.
    # @param op [String]
    # @param key [Object, Array]
    # @param limit [Integer] most rows that are counted; 0 is no limit
    # @param filters [Array<Array>]
    # @return [Integer]
    def count(op, key, limit: 0, filters: [])
      @runner.one(calls.count(op, key, limit: limit, filters: filters))
    end

    # Whether there is a row with this key.
    # @param key [Object, Array]
    # @return [Boolean]
    def exists?(key)
      @runner.one(calls.exists(key))
    end

    # Adds a row.
    # @param row [Hash]
    # @return [Integer, nil, Array<Hash>] the generated id, if there is one
    def insert(row, returning: nil)
      @runner.one(calls.insert(row, returning: returning))
    end

    # Adds a row if none has its keys.
    # @param row [Hash]
    # @return [Inserted, Array<Hash>]
    def insert_ignore(row, returning: nil)
      @runner.one(calls.insert_ignore(row, returning: returning))
    end

    # Adds a row, or updates the one with its keys.
    # @param row [Hash]
    # @param update [Hash, nil] what the row that is there gets, of columns that the row has, too;
    #   without it, what the row has
    # @return [Upserted, Array<Hash>]
    def upsert(row, update: nil, returning: nil)
      @runner.one(calls.upsert(row, update: update, returning: returning))
    end

    # Adds a row in the place of those with its keys.
    # @param row [Hash]
    # @return [Replaced, Array<Hash>]
    def replace(row, returning: nil)
      @runner.one(calls.replace(row, returning: returning))
    end

    # Sets columns of the rows that are found.
    # @param key [Object, Array]
    # @param values [Hash]
    # @param op [String]
    # @param limit [Integer]
    # @param filters [Array<Array>]
    # @return [Integer, Array<Hash>] how many rows were found
    def update(key, values, op: "=", limit: 1, filters: [], returning: nil)
      @runner.one(calls.update(key, values, op: op, limit: limit, filters: filters, returning: returning))
    end

    # Deletes the rows that are found.
    # @param key [Object, Array]
    # @param op [String]
    # @param limit [Integer]
    # @param filters [Array<Array>]
    # @return [Integer, Array<Hash>] how many rows
    def delete(key, op: "=", limit: 1, filters: [], returning: nil)
      @runner.one(calls.delete(key, op: op, limit: limit, filters: filters, returning: returning))
    end

    # Adds to columns.
    # @param key [Object, Array]
    # @param amounts [Hash{String => Integer}]
    # @return [Integer, Array<Hash>] how many rows
    def increment(key, amounts, returning: nil)
      @runner.one(calls.increment(key, amounts, returning: returning))
    end

    # Subtracts from columns, and does not cross zero.
    # @param key [Object, Array]
    # @param amounts [Hash{String => Integer}]
    # @return [Integer, Array<Hash>] how many rows
    def decrement(key, amounts, returning: nil)
      @runner.one(calls.decrement(key, amounts, returning: returning))
    end

    # Sets columns of a row that is as expected.
    # @param key [Object, Array]
    # @param expected [Hash]
    # @param values [Hash]
    # @return [Boolean] whether it was, and so was changed
    def compare_and_set(key, expected, values)
      @runner.one(calls.compare_and_set(key, expected, values))
    end

    # @return [String]
    def inspect
      "#<#{self.class} #{@name.join(".")} #{@index}>"
    end

    private

    # Asks for the columns once, and again when a table turned out to have been altered.
    def calls
      alterations = @client.schema.alterations
      return @calls if @calls && @made_at == alterations

      kinds = @raw && @columns ? {} : @client.schema.kinds(*@name, @columns || [])
      columns = @columns || kinds.keys
      raise UnsupportedError, "the server tells no columns, so name them" if columns.empty?

      @made_at = alterations
      @calls = Calls.new(*@name, columns, @index, kinds, @raw)
    end

    # The rows; nil when each key needs a request of its own. That tells its errors, too.
    def by_few_requests(keys)
      index = IndexCalls.new(@runner, @client.schema, @name, @index)
      requests = index.known { |parts| ManyKeys.requests(calls, parts.first, keys) }
      found = requests.empty? ? [nil] : @runner.many(requests.map(&:call))
      return if found.include?(nil)

      found = found.flatten(1)
      # Which key has no row is told by the column that the index is known to begin with.
      found if found.none? || found.all? || index.as_known?
    rescue UnsupportedError, ServerError
      nil
    end

    def find_within(given, op, key, options, all:)
      raise ValueError, "in: is a Hash of a column and its values" unless given.is_a?(Hash) && given.size == 1

      column, values = given.first
      values = Values.key(Values.list(values, "the values"))
      is_collected = @runner.is_a?(Pipeline)
      @client.schema.forget(*@name) if is_collected # There is no telling which request of it is answered.
      index = IndexCalls.new(@runner, @client.schema, @name, @index)
      index.known do |parts|
        within = { part: place(column.to_s, parts), values: values, all: all }
        call = calls.find(op, key, **options, within: within)
        is_collected ? @runner.one(call) : index.one(call)
      end
    end

    # The place of a column in the index. The index may be a new one.
    def place(column, parts)
      again = parts.index { |one| one.column == column } and return again

      @client.schema.forget(*@name)
      @client.schema.parts(*@name, @index).index { |one| one.column == column } or
        raise ValueError, "'#{column}' is no column of the index"
    end

    def rows_between(start, stop, reverse, filters, page)
      raise ValueError, "a pipeline takes no range" if @runner.is_a?(Pipeline)
      raise ValueError, "a range in reverse needs its start" if reverse && start.nil?
      raise ValueError, "a page has at least one row" unless page.is_a?(Integer) && page.positive?

      first = start.nil? ? nil : Values.key(start)
      last = stop.nil? ? nil : Values.key(stop)
      raise ValueError, "stop is one value, of the first column of the index" if last && last.size != 1

      Calls.filters(filters)
      Enumerator.new { |rows| read(first, last, reverse, filters, page) { |row| rows << row } }
    end

    def read(*bounds, &block)
      index = IndexCalls.new(@runner, @client.schema, @name, @index)
      pages, given = index.known do |parts|
        made = Pages.new(index, calls, parts, *bounds)
        [made, made.next]
      end
      given.each(&block)
      pages.each(&block)
    rescue IndexCalls::Altered # What the pages before went along was dropped.
      raise ServerError.of(2, "idxnum")
    end
  end
end
