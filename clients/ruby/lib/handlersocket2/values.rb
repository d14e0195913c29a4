# frozen_string_literal: true

require "bigdecimal"
require "date"

module HandlerSocket2
  # Ruby's values and those of columns.
  # @api private
  module Values
    KINDS = {
      integer: %w[tinyint smallint mediumint int bigint year],
      float: %w[float double],
      decimal: %w[decimal],
      date: %w[date],
      datetime: %w[datetime timestamp],
      time: %w[time],
      bytes: %w[binary varbinary bit tinyblob blob mediumblob longblob geometry point linestring polygon multipoint
                multilinestring multipolygon geometrycollection]
    }.flat_map { |kind, types| types.map { |type| [type, kind] } }.to_h.freeze
    MOMENT = /\A([0-9]{4})-([0-9]{2})-([0-9]{2})(?: ([0-9]{2}):([0-9]{2}):([0-9]{2})(?:\.([0-9]{1,6}))?)?\z/
    DECIMAL = /\A-?[0-9]+(?:\.[0-9]+)?\z/
    FLOAT = /\A-?[0-9]+(?:\.[0-9]+)?(?:e[+-]?[0-9]+)?\z/
    LONGEST_PLAIN_DECIMAL = 400
    private_constant :KINDS, :MOMENT, :DECIMAL, :FLOAT, :LONGEST_PLAIN_DECIMAL

    module_function

    # The kind of a column's type, as `D` has the type.
    # @return [Symbol]
    def kind(type)
      KINDS.fetch(word(type), :text)
    end

    # The name of a type, such as `int` of `int(11)`.
    # @return [String]
    def word(type)
      type[/\A[^( ]*/].downcase
    end

    # The bytes of a value that is sent.
    # @return [String, nil]
    # @raise [ValueError] when it cannot be sent
    def to_bytes(value)
      case value
      when nil then nil
      when String then value.encoding == Encoding::BINARY ? value : Protocol.utf8(value)
      when Integer then value.to_s
      when Float then finite(value).to_s
      when BigDecimal then decimal_text(finite(value))
      when true then "1"
      when false then "0"
      when Time, DateTime then moment_text(value)
      when Date then value.strftime("%Y-%m-%d")
      else raise ValueError, "a value of class #{value.class} cannot be sent"
      end
    end

    # The bytes of a key's values: an Array, or one value.
    def key(key)
      (key.is_a?(Array) ? key : [key]).map { |one| to_bytes(one) }
    end

    # What was given as a list: an Array, a Range or the like.
    def list(given, what)
      return given.to_a if given.is_a?(Enumerable)

      raise ValueError, "#{what} are a list, and not of class #{given.class}"
    end

    # A value of a column of this kind.
    # @param kind [Symbol]
    # @param bytes [String, nil] which this takes over
    # @raise [ProtocolError] when the column has no such value
    def from_bytes(kind, bytes)
      return nil if bytes.nil?

      case kind
      when :bytes then bytes
      when :integer then bytes.match?(/\A-?[0-9]{1,20}\z/) ? bytes.to_i : wrong(kind, bytes)
      when :float then float(bytes) || wrong(kind, bytes)
      when :decimal then bytes.match?(DECIMAL) ? BigDecimal(bytes) : wrong(kind, bytes)
      when :date, :datetime then moment(kind, bytes) || text(bytes)
      else text(bytes)
      end
    end

    # The bytes as text.
    def text(bytes)
      bytes.force_encoding(Encoding::UTF_8)
    end

    class << self
      private

      def wrong(kind, bytes)
        raise ProtocolError, "the value #{bytes[0, 40].inspect} is none of a column of kind #{kind}"
      end

      # Nil for a text that is none.
      def float(bytes)
        value = bytes.match?(FLOAT) ? bytes.to_f : return
        value if value.finite?
      end

      def finite(value)
        value.finite? ? value : raise(ValueError, "#{value} cannot be sent")
      end

      def decimal_text(value)
        return value.to_s if value.exponent.abs > LONGEST_PLAIN_DECIMAL

        value.to_s("F").delete_suffix(".0")
      end

      # As it is written, without its zone.
      def moment_text(value)
        value.strftime("%Y-%m-%d %H:%M:%S.%6N").delete_suffix(".000000")
      end

      # Nil for a date that is none of the calendar.
      def moment(kind, bytes)
        found = MOMENT.match(bytes) or return
        year, month, day = found[1..3].map(&:to_i)
        return unless Date.valid_date?(year, month, day, Date::GREGORIAN)
        return Date.new(year, month, day, Date::GREGORIAN) if kind == :date

        Time.utc(year, month, day, *found[4..6].map(&:to_i), found[7].to_s.ljust(6, "0").to_i)
      rescue ArgumentError # an hour that no day has
        nil
      end
    end
  end
end
