# frozen_string_literal: true

require_relative "handlersocket2/version"
require_relative "handlersocket2/errors"
require_relative "handlersocket2/protocol"
require_relative "handlersocket2/reader"
require_relative "handlersocket2/values"
require_relative "handlersocket2/client"

# Reads and writes rows of MariaDB by their keys, without SQL, through the plugin HandlerSocket 2.
#
# @example
#   db = HandlerSocket2.connect("hs://127.0.0.1:9998?write_port=9999")
#   user = db.table("test.user", %w[user_id user_name])
#   user.upsert({ user_id: 101, user_name: "Yukari Takeba" })
#   p user.get(101)
module HandlerSocket2
  # A client. Nothing is opened before it is needed.
  # @param url [String, nil] `hs://user:password@host:port/database?option=value` or `hs+unix://…`;
  #   without it and without options, the environment variable `HS_URL`
  # @param on_request [#call, nil] told kind, table, seconds and error (or nil) behind each request,
  #   in the thread of the caller. One that raises changes nothing of the call: it is a warning.
  # @param options [Hash{Symbol => Object}] those that the URL does not name
  # @yieldparam client [Client] which is closed at the end of the block
  # @return [Client, Object] what the block returns, if there is one
  # @raise [ConfigurationError]
  def self.connect(url = nil, on_request: nil, **options)
    unless on_request.nil? || on_request.respond_to?(:call)
      raise ConfigurationError, "on_request is a Proc, or answers to call; it is #{on_request.inspect}"
    end

    client = Client.new(Options.make(url, options), on_request)
    return client unless block_given?

    begin
      yield client
    ensure
      client.close
    end
  end
end
