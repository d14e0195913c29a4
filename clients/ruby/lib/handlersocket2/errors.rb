# frozen_string_literal: true

module HandlerSocket2
  # All errors of this package.
  class Error < StandardError; end

  # An option is unknown, stands twice, or has a value that it cannot have.
  class ConfigurationError < Error; end

  # A value, a name or a number cannot be sent. Nothing was sent.
  class ValueError < Error; end

  # There is no connection, or it broke.
  class ConnectionError < Error
    # @return [Boolean] whether the request may have been carried out
    attr_accessor :sent
    alias sent? sent

    # @param message [String]
    # @param sent [Boolean]
    def initialize(message, sent: false)
      super(message)
      @sent = sent
    end
  end

  # It took too long; the connection is closed.
  class TimeoutError < ConnectionError; end

  # What came is no reply of the protocol; the connection is closed.
  class ProtocolError < ConnectionError
    # @param message [String]
    def initialize(message)
      super(message, sent: true)
    end
  end

  # The server has not the feature that this needs.
  class UnsupportedError < Error; end

  # The server's answer is an error.
  class ServerError < Error
    # @return [Integer] 1, 2 or 3
    attr_reader :code
    # @return [String] the text as it came
    attr_reader :text
    # @return [Integer, nil] SQL's number of the error, where it has one
    attr_reader :number

    # The error of an error reply, of the class that its text has.
    # @param code [Integer]
    # @param text [String]
    # @return [ServerError]
    def self.of(code, text)
      word = text.split(" ", 2).first || ""
      named = CLASSES[word]
      named ||= word.start_with?("too_many_") ? OverloadedError : ServerError
      named.new(code, text)
    end

    # @param code [Integer]
    # @param text [String]
    def initialize(code, text)
      super("#{text} (code #{code})")
      @code = code
      @text = text
      found = text.match(/\A(?:sql_([0-9]{1,9})(?: |\z)|access_denied ([0-9]{1,9})\z)/)
      @number = found && (found[1] || found[2]).to_i
    end
  end

  # A row with this key is there already.
  class DuplicateKeyError < ServerError; end

  # Another one holds the row or the table for too long.
  class LockTimeoutError < ServerError; end

  # A deadlock; nothing was kept.
  class DeadlockError < ServerError; end

  # The transaction was rolled back by the server; nothing of it was kept.
  class TransactionLostError < ServerError; end

  # A foreign key forbids it.
  class ForeignKeyError < ServerError; end

  # The row is none that the table takes.
  class ConstraintError < ServerError; end

  # There is no such table, index or column.
  class NotFoundError < ServerError; end

  # Changes are not taken here.
  class ReadOnlyError < ServerError; end

  # The login or the secret was refused.
  class AuthenticationError < ServerError; end

  # The account has not the privilege.
  class AccessDeniedError < ServerError; end

  # One of the server's bounds is reached.
  class OverloadedError < ServerError; end

  # The server shuts down.
  class UnavailableError < ServerError; end

  class ServerError
    # The classes of the texts' first words.
    CLASSES = {
      DuplicateKeyError => %w[121],
      LockTimeoutError => %w[146 lock_tables],
      DeadlockError => %w[149],
      TransactionLostError => %w[transaction_lost 123],
      ForeignKeyError => %w[151 152],
      ConstraintError => %w[sql_1048 sql_1264 sql_1265 sql_1292 sql_1364 sql_1366 sql_1406 sql_4025],
      NotFoundError => %w[open_table idxnum fld],
      ReadOnlyError => %w[readonly],
      AuthenticationError => %w[unauth authtype insecure_transport],
      AccessDeniedError => %w[access_denied],
      OverloadedError => %w[max_memory],
      UnavailableError => %w[shutdown]
    }.flat_map { |named, words| words.map { |word| [word, named] } }.to_h.freeze
    private_constant :CLASSES
  end
end
