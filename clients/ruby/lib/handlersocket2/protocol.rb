# frozen_string_literal: true

require "digest"

module HandlerSocket2
  # The bytes of requests. It knows no socket. Values are nil or bytes; what cannot be sent is a
  # {ValueError}.
  # @api private
  module Protocol
    # The largest number of the protocol.
    MAX_NUMBER = 0xffff_ffff
    OPERATORS = %w[= =< > >= < <=].freeze
    FILTER_OPERATORS = %w[= != > >= < <=].freeze
    CHANGES = %w[U U? U! D D? + +? +! - -? -!].freeze
    INSERTS = %w[+ +! +I +I? +I! +U +U? +U! +R +R? +R!].freeze
    ISOLATIONS = %w[RU RC RR SR].freeze
    CONTROL = /[\x00-\x0f]/n
    ESCAPES = (0..15).to_h { |byte| [byte.chr, "\x01#{(byte + 0x40).chr}"] }.freeze
    QUOTED = /`(?:[^`]|``)+`/
    NAME = /(#{QUOTED}|[^.`][^.]*)/
    FULL_NAME = /\A(?:#{NAME}\.(#{QUOTED}|[^`].*)|#{NAME})\z/m
    private_constant :OPERATORS, :FILTER_OPERATORS, :CHANGES, :INSERTS, :ISOLATIONS, :CONTROL, :ESCAPES, :QUOTED, :NAME,
                     :FULL_NAME

    module_function

    # The token of a value.
    def value(bytes)
      return "\0" if bytes.nil?

      bytes = bytes.b
      bytes.match?(CONTROL) ? bytes.gsub(CONTROL, ESCAPES) : bytes
    end

    # The token of a name, which cannot be escaped.
    def name(name)
      raise ValueError, "a name is a String, not a #{name.class}" unless name.is_a?(String) || name.is_a?(Symbol)

      text = utf8(name.to_s)
      raise ValueError, "the name #{text.inspect} cannot be sent" if text.match?(/[\t\n\r\0]/)

      text.b
    end

    # The parts of `database.table`, or the only part. A part may stand in backquotes, as in SQL.
    def split_name(text)
      parts = FULL_NAME.match(utf8(text))&.captures&.compact
      raise ValueError, "'#{text}' does not name a table and its database" unless parts

      parts.map { |part| part.start_with?("`") ? part[1..-2].gsub("``", "`") : part }
    end

    # The text in UTF-8.
    def utf8(text)
      text = text.encode(Encoding::UTF_8)
      raise ValueError, "the text #{text[0, 40].inspect} is no UTF-8; bytes are a String#b" unless text.valid_encoding?

      text
    rescue EncodingError
      raise ValueError, "the text #{text[0, 40].inspect} is none of UTF-8"
    end

    # The token of a number.
    def number(value, most = MAX_NUMBER)
      return value.to_s if value.is_a?(Integer) && value.between?(0, most)

      raise ValueError, "#{value.inspect} is no number from 0 to #{most}"
    end

    # The token of a list of columns.
    def columns(names)
      names.map do |one|
        token = name(one)
        raise ValueError, "the column #{one.inspect} cannot be sent" if token.empty? || token.include?(",")

        token
      end.join(",")
    end

    # `P`: opens an index.
    def open(id, database, table, index, columns, filter_columns = nil)
      tokens = ["P", number(id), name(database), name(table), name(index), columns(columns)]
      tokens << columns(filter_columns) if filter_columns && !filter_columns.empty?
      line(tokens)
    end

    # A find of one row by its key, as most requests are.
    def get(id, key)
      return find(id, "=", key) unless key.size == 1

      "#{number(id)}\t=\t1\t#{value(key[0])}\n"
    end

    # A find. `within` is a Hash of `:part`, `:values` and `:all`; a filter a list of its kind,
    # its operator, its column's number and its value.
    def find(id, operator, key, limit = nil, offset = nil, within = nil, filters = nil)
      limit ||= 1
      offset ||= 0
      filters ||= []
      tokens = search(id, operator, key, limit, offset, within, filters)
      short = !within && filters.empty? && offset.zero?
      tokens.pop if short
      tokens.pop if short && limit == 1
      line(tokens)
    end

    # A count of what a find would give; a limit of 0 is none.
    def count(id, operator, key, limit = nil, offset = nil, within = nil, filters = nil)
      line(search(id, operator, key, limit || 0, offset || 0, within, filters || []) << "C")
    end

    # A change of what a find would give.
    def change(id, operator, key, limit, offset, within, filters, verb, values)
      raise ValueError, "#{verb.inspect} is no change" unless CHANGES.include?(verb)

      tokens = search(id, operator, key, limit || 1, offset || 0, within, filters || [])
      line(tokens << verb, values)
    end

    # An insert.
    def insert(id, verb, values, update = nil)
      unless INSERTS.include?(verb) && (update.nil? || verb.start_with?("+U"))
        raise ValueError, "#{verb.inspect} is no insert of this kind"
      end

      tokens = [number(id), verb, values.size.to_s, *values.map { |one| value(one) }]
      update ? line(tokens << update.size.to_s, update) : line(tokens)
    end

    # `T B`.
    def begin(isolation = nil, read_only = nil)
      unless isolation.nil? || ISOLATIONS.include?(isolation)
        raise ValueError, "#{isolation.inspect} is no isolation: it is #{ISOLATIONS.join(", ")}"
      end

      line(["T", "B", *isolation, *("RO" if read_only)])
    end

    # `T C`.
    def commit
      "T\tC\n"
    end

    # `T R`.
    def rollback
      "T\tR\n"
    end

    # `T S`, and by another verb `T U`.
    def savepoint(label, verb = "S")
      label = label.to_s
      raise ValueError, "the name of a savepoint has at most 256 bytes" if label.bytesize > 256

      line(["T", verb], [label])
    end

    # `T U`.
    def rollback_to(label)
      savepoint(label, "U")
    end

    # `G L`.
    def last_gtid
      "G\tL\n"
    end

    # `G W`.
    def wait_gtid(gtid, milliseconds)
      line(["G", "W", name(gtid), number(milliseconds, 600_000)])
    end

    # `H`.
    def hello(version, client)
      line(["H", number(version), name(client)])
    end

    # `D`.
    def describe(database = nil, table = nil, indexes = nil)
      raise ValueError, "a table has a database" if table && database.to_s.empty?
      raise ValueError, "indexes have a table" if indexes && table.nil?

      names = [database, table].compact.map { |one| value(utf8(one)) }
      line(["D", *names, *("I" if indexes)])
    end

    # `A 2`.
    def login(user, methods = nil)
      line(["A", "2", name(user), *(name(methods.join(",")) if methods && !methods.empty?)])
    end

    # `A 3`.
    def answer(response)
      line(["A", "3", response.unpack1("H*")])
    end

    # `A 4`.
    def password(user, password)
      line(["A", "4", name(user)], [password])
    end

    # `A 1`.
    def secret(secret)
      line(%w[A 1], [secret])
    end

    # The response of mysql_native_password to a challenge.
    def native_password(password, challenge)
      return "".b if password.empty?

      once = Digest::SHA1.digest(password)
      other = Digest::SHA1.digest(challenge.b + Digest::SHA1.digest(once))
      once.bytes.zip(other.bytes).map { |one, two| one ^ two }.pack("C*")
    end

    class << self
      private

      def line(tokens, values = [])
        tokens.concat(values.map { |one| value(one) }) unless values.empty?
        "#{tokens.join("\t")}\n"
      end

      def search(id, operator, key, limit, offset, within, filters)
        raise ValueError, "#{operator.inspect} is no operator" unless OPERATORS.include?(operator)
        raise ValueError, "the key has no values" if key.empty?

        tokens = [number(id), operator, key.size.to_s, *key.map { |one| value(one) }]
        list = list_tokens(within, key) if within
        tokens.push(number(limit), number(offset), *list)
        filters.each { |filter| tokens.concat(filter_tokens(*filter)) }
        tokens
      end

      def list_tokens(within, key)
        values = within[:values]
        raise ValueError, "the list of values is empty" if values.empty?
        raise ValueError, "the list of values is of no part of the key" unless within[:part] < key.size

        [within[:all] ? "&" : "@", number(within[:part]), values.size.to_s, *values.map { |one| value(one) }]
      end

      def filter_tokens(kind, operator, column, bytes)
        unless %w[F W].include?(kind) && FILTER_OPERATORS.include?(operator)
          raise ValueError, "#{kind.inspect} #{operator.inspect} is no filter"
        end

        [kind, operator, number(column), value(bytes)]
      end
    end
  end
end
