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

    ENDS = %w[insecure_transport max_memory request_too_long shutdown too_many_connections].freeze
    private_constant :ENDS

    # @param answer [Object]
    # @return [Boolean] whether the server ends the connection behind this answer, or may
    # @api private
    def self.ends_connection?(answer)
      answer.is_a?(ServerError) && ENDS.include?(answer.text)
    end

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
      hint = HINTS[text] || HINTS[text.split(" ", 2).first]
      super(["#{text} (code #{code})", hint].compact.join(": "))
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

    # What is said behind the server's word, which is short.
    HINTS = {
      "121" => "a row with this key is there already",
      "123" => "another session has changed the row meanwhile; try again",
      "146" => "another session held the row for too long; try again",
      "149" => "a deadlock; try again",
      "151" => "the row that a foreign key refers to is not there",
      "152" => "another row refers to this one by a foreign key",
      "lock_tables" => "another session held the table for too long, or the server is read-only",
      "transaction_lost" => "the server has rolled the transaction back; begin it again",
      "open_table" => "there is no such table, or it cannot be served",
      "idxnum" => "the table has no such index, or it cannot be searched",
      "fld" => "the table has no such column",
      "readonly" => "changes are not taken here, but on the write port, and in transactions that may write",
      "unauth" =>
        "the port asks for an account or a secret, or the one that was given is refused; " \
        "accounts of MySQL need tls=verify or a Unix socket",
      "authtype" => "the port does not take this kind of login",
      "insecure_transport" => "the server takes connections with TLS only",
      "access_denied" => "the account has no privilege for this",
      "access_denied 1226" =>
        "the account has reached a limit of its own, such as MAX_QUERIES_PER_HOUR; try again later",
      "max_memory" => "the server has reached handlersocket_max_memory; try again later",
      "shutdown" => "the server is shutting down",
      "too_many_indexes" => "the connection has as many open indexes as it may have",
      "too_many_connections" => "the server has reached handlersocket_max_connections",
      "too_many_rows" => "one request may not change or give so many rows; use a smaller limit",
      "too_many_keys" => "the list is longer than handlersocket_max_in_keys",
      "too_many_columns" => "the list is longer than handlersocket_max_columns",
      "too_many_logins" => "as many logins wait as the server lets wait; try again later",
      "too_many_waits" => "as many connections wait for a GTID as the server lets wait; try again later",
      "too_many_transactions" => "the server has reached handlersocket_max_transactions; try again later",
      "cmd" => "the server does not know this request: it is no HandlerSocket 2, or an old one",
      "op" => "the index does not take this operator",
      "kpnum" => "the key has more values than the index has columns",
      "fldnum" => "there are more values than columns",
      "filterblob" => "TEXT and BLOB columns can only be compared with NULL",
      "notimpl" => "this server does not serve this request",
      "number" => "an amount, a limit or an offset is no integer, or out of its range",
      "request_too_long" => "the request is longer than handlersocket_max_request_size",
      "reply_too_long" => "the reply is longer than handlersocket_max_reply_size; ask for fewer rows",
      "unsupported_table" => "the table has a feature that is not served on this port; use SQL",
      "interrupted" => "the request was killed, and nothing of it was done",
      "gtid" => "this is no list of GTIDs",
      "no_binary_log" => "the server writes no binary log, so changes have no GTID",
      "in_transaction" => "this is not taken within a transaction",
      "no_transaction" => "the connection is in no transaction",
      "not_a_number" => "the value of the column is no number that can be counted"
    }.freeze
    private_constant :HINTS
  end
end
