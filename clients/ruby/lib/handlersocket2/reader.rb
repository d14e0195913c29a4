# frozen_string_literal: true

module HandlerSocket2
  # A reply that is no error: its number of columns, and all values in their order.
  # @api private
  class Reply
    WHOLE = /\A[0-9]{1,20}\z/
    private_constant :WHOLE

    # @return [Integer]
    attr_reader :columns
    # @return [Array<String, nil>] bytes
    attr_reader :values
    # @return [Integer] how many values there are
    attr_reader :size

    # @param columns [Integer]
    # @param values [Array<String, nil>]
    # @param size [Integer]
    def initialize(columns, values, size = values.size)
      @columns = columns
      @values = values
      @size = size
    end

    # @param width [Integer] how many columns were asked for
    # @param most [Integer, nil] how many rows
    # @return [Enumerator<Array<String, nil>>] the rows
    # @raise [ProtocolError] when it has others
    def rows(width, most = nil)
      check(width, most)
      values.each_slice(width)
    end

    # @param width [Integer] how many columns were asked for
    # @param most [Integer, nil] how many rows
    # @return [void]
    # @raise [ProtocolError] when it has others
    def check(width, most)
      raise ProtocolError, "the reply has not the columns that were asked for" if columns != width
      raise ProtocolError, "the reply has more rows than were asked for" if most && size > most * width
    end

    # @param sizes [Range] how many there may be
    # @return [Array<Integer>] the numbers that are the only row
    # @raise [ProtocolError] when it has something else
    def numbers(sizes)
      unless sizes.cover?(size) && columns == [size, 1].max && values.all? { |one| one&.match?(WHOLE) }
        raise ProtocolError, "the reply has not the numbers that were asked for"
      end

      values.map(&:to_i)
    end

    # @return [Integer] the only value
    # @raise [ProtocolError] when it has something else
    def number
      numbers(1..1).first
    end

    # @return [true] when it tells nothing
    # @raise [ProtocolError] when it has values
    def nothing
      size.zero? or raise ProtocolError, "the reply has values, for which nobody has asked"
    end
  end

  # A reply whose values are listed when they are asked for: the list of what is no answer may take a lot
  # of memory.
  # @api private
  class LongReply < Reply
    # @param columns [Integer]
    # @param tokens [String] the values as they came
    # @param size [Integer]
    def initialize(columns, tokens, size)
      super(columns, nil, size)
      @tokens = tokens
    end

    # @return [Array<String, nil>] bytes
    # @raise [ProtocolError] when one is none
    def values
      @values ||= Reader.values(@tokens.split("\t", -1), @tokens).tap { @tokens = nil }
    end
  end

  # Turns bytes, in any pieces, into replies. It knows no socket.
  # @api private
  class Reader
    # The server's largest reply.
    MAX_REPLY = 64 << 20
    LONG = 1 << 16 # From here on a list of values is worth a second look.
    NUMBER = /\A[0-9]{1,10}\z/
    CODED = /[\x00\x01]/n
    ESCAPED = /\x01.?/mn
    MEANINGS = Hash.new { raise ProtocolError, "an escape sequence is none" }
                   .update((0..15).to_h { |byte| ["\x01#{(byte + 0x40).chr}", byte.chr] }).freeze
    ONE_VALUE = /\A0\t1\t([^\t\n\x00\x01]*)\n\z/n # A whole reply, as most are.
    private_constant :ONE_VALUE, :LONG, :NUMBER, :CODED, :ESCAPED, :MEANINGS

    # @return [Integer] how many bytes have come that are no whole reply yet
    attr_reader :rest

    # @param max_reply [Integer] most bytes of a reply with its LF
    def initialize(max_reply = MAX_REPLY)
      @max_reply = max_reply
      @short = [LONG, max_reply].min
      @pieces = []
      @rest = 0
    end

    # @param data [String]
    # @return [Array<Reply, ServerError>] the replies that these bytes end
    # @raise [ProtocolError] when one is none, or is too long
    def feed(data)
      data = data.b unless data.encoding == Encoding::BINARY
      if @rest.zero? && data.bytesize < @short && (value = data[ONE_VALUE, 1])
        return [Reply.new(1, [value], 1)]
      end

      unless data.include?("\n")
        keep(data)
        return []
      end
      data = [*@pieces, data].join unless @pieces.empty?
      @pieces = []
      @rest = 0
      lines = data.split("\n", -1)
      rest = lines.pop
      coded = data.match?(CODED)
      replies = lines.map do |line|
        raise ProtocolError, "the reply is too long" if line.bytesize >= @max_reply

        Reader.parse(line, coded: coded)
      end
      keep(rest)
      replies
    end

    # @param token [String]
    # @return [String, nil] its value
    # @raise [ProtocolError] when it is none
    def self.value(token)
      return nil if token == "\0"
      return token unless token.include?("\x01")

      token.gsub(ESCAPED, MEANINGS)
    end

    # @param line [String] without its LF
    # @param coded [Boolean] whether it may have NULL or an escape sequence
    # @return [Reply, ServerError]
    # @raise [ProtocolError] when it is none
    def self.parse(line, coded: true)
      long = line.bytesize >= LONG
      values = line.split("\t", long ? 3 : -1)
      code = values.shift
      columns = values.shift
      raise ProtocolError, "this is no reply" unless code&.match?(NUMBER) && columns&.match?(NUMBER)

      columns = columns.to_i
      return error(code.to_i, columns, values) unless code == "0"

      size = long ? line.count("\t") - 1 : values.size
      unless columns.zero? ? size.zero? : (size % columns).zero?
        raise ProtocolError, "the values are no multiple of the columns"
      end

      return LongReply.new(columns, values.first, size) if long && size.positive?

      Reply.new(columns, coded ? values(values, line) : values)
    end

    # @param tokens [Array<String>] those of the line, which this may change
    # @param line [String]
    # @return [Array<String, nil>] their values
    # @raise [ProtocolError] when one is none
    def self.values(tokens, line)
      tokens.map! { |token| value(token) } if line.match?(CODED)
      tokens
    end

    # @return [ServerError]
    def self.error(code, columns, values)
      raise ProtocolError, "this is no error" unless columns == 1

      ServerError.of(code, values.join(" ").tr("\t", " ").force_encoding(Encoding::UTF_8).scrub)
    end
    private_class_method :error

    private

    def keep(data)
      return if data.empty?

      @pieces << data
      @rest += data.bytesize
      raise ProtocolError, "the reply is too long" if @rest >= @max_reply
    end
  end
end
