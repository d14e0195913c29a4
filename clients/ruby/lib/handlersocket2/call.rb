# frozen_string_literal: true

module HandlerSocket2
  # A request: its line, and what its reply means.
  # @api private
  class Call
    DESCRIBED = [
      %w[database],
      %w[table comment],
      %w[column type nullable key default extra character_set comment],
      %w[index position column unique direction prefix_length]
    ].freeze
    TOLD = %w[database table column type nullable index position unique].freeze # never NULL
    NUMBERS = %w[position prefix_length].freeze
    NUMBER = /\A[0-9]{0,10}\z/
    MOST_PARTS = 4096 # of columns in a table, and of those in its indexes
    private_constant :MOST_PARTS, :DESCRIBED, :TOLD, :NUMBERS, :NUMBER

    # @return [Symbol] for the hook
    attr_reader :kind
    # @return [String, nil] the line that opens its index, with the id 0
    attr_reader :index
    # @return [Boolean] whether it changes something
    attr_reader :changes
    # @return [String, nil] what the server must be able to do
    attr_reader :feature
    # @return [String, nil] database and table
    attr_reader :table

    # @param line [String] with the id 0, where it has an index
    # @yieldparam reply [Reply]
    # @yieldreturn [Object] the result
    def initialize(kind, line, index: nil, changes: false, feature: nil, table: nil, &decode)
      @kind = kind
      @line = line
      @index = index
      @changes = changes
      @feature = feature
      @table = table
      @decode = decode
    end

    # The same request with another meaning of its reply.
    # @return [Call]
    def meaning(kind, &decode)
      Call.new(kind, @line, index: index, changes: changes, feature: feature, table: table, &decode)
    end

    # @param id [Integer] of its index
    # @return [String]
    def line(id)
      index && id.positive? ? @line.sub("0", id.to_s) : @line
    end

    # @param reply [Reply]
    # @return [Object] the result
    # @raise [ProtocolError] when the reply is none to this request
    def decode(reply)
      @decode&.call(reply)
    end

    # `G L`.
    # @return [Call]
    def self.last_gtid
      new(:last_gtid, Protocol.last_gtid, feature: "gtid") { |reply| gtid(reply) }
    end

    # `G W`: whether all is applied.
    # @return [Call]
    def self.wait_for_gtid(gtid, seconds)
      raise ValueError, "#{seconds.inspect} are no seconds" unless seconds.is_a?(Numeric) && seconds.to_f.finite?

      line = Protocol.wait_gtid(gtid, (seconds * 1000).to_i)
      new(:wait_for_gtid, line, feature: "gtid") { |reply| reply.number == 1 }
    end

    # `D`: databases, tables, columns or indexes.
    # @return [Call]
    def self.describe(database = nil, table = nil, indexes: false)
      names = DESCRIBED[indexes ? 3 : [database, table].compact.size]
      new(:describe, Protocol.describe(database, table, indexes), feature: "describe") do |reply|
        reply.rows(names.size, (MOST_PARTS if table)).map { |values| schema(names.zip(values).to_h) }
      end
    end

    def self.gtid(reply)
      (told,), other = reply.rows(1).to_a
      raise ProtocolError, "the reply is no GTID" unless other.nil? && (told&.empty? || Gtids::FORM.match?(told))

      Values.text(told)
    end
    private_class_method :gtid

    def self.schema(row)
      unless TOLD.all? { |name| !row.key?(name) || row[name] } && NUMBERS.all? { |name| row[name].to_s.match?(NUMBER) }
        raise ProtocolError, "the reply is none to a describe"
      end

      row.transform_values! { |value| value && Values.text(value) }
      row["nullable"] = row["nullable"] == "YES" if row.key?("nullable")
      if row.key?("position")
        row["position"] = row["position"].to_i
        row["unique"] = row["unique"] == "1"
        row["prefix_length"] &&= row["prefix_length"].to_i
      end
      row
    end
    private_class_method :schema
  end
end
