# frozen_string_literal: true

module HandlerSocket2
  # How a connection shows who it is, and learns what the server can do.
  # @api private
  class Login
    METHODS = %w[mysql_native_password unix_socket].freeze
    private_constant :METHODS

    # @param address [Address]
    # @param options [Options]
    # @yield [data, number] sends lines
    # @yieldreturn [Array<Reply, ServerError>] so many replies
    def initialize(address, options, &exchange)
      @address = address
      @options = options
      @exchange = exchange
      @hello = Protocol.hello(2, options.name)
    end

    # @return [Array<String>] the server's features; none for one of the original's kind
    # @raise [ServerError] when the server refuses it
    def features
      reply = @options.user ? account : plain
      if reply.is_a?(ServerError)
        raise reply unless reply.text == "cmd"

        return [].freeze
      end
      raise AuthenticationError.new(3, "unauth") unless reply.columns == 6 && reply.size == 6

      features = reply.values[4]
      raise ProtocolError, "the features are none" unless features&.ascii_only?

      Values.text(features).split(",").freeze
    end

    private

    def plain
      return @exchange.call(@hello, 1).first unless @address.secret

      told, reply = @exchange.call(Protocol.secret(@address.secret) + @hello, 2)
      told.is_a?(ServerError) ? told : reply
    end

    # The reply to the hello behind the login. A port that asks for no account never gets the password.
    def account
      reply, = @exchange.call(Protocol.login(@options.user, METHODS), 1)
      return plain if reply.is_a?(ServerError) && reply.text == "authtype"

      reply, hello = challenged((reply.values[1] if reply.size == 2)) if reply.is_a?(Reply) && reply.columns == 2
      # An account of another kind; nobody but the server sees the password.
      reply, hello = told(Protocol.password(@options.user, password)) if reply.is_a?(ServerError) && @address.secure?
      raise reply if reply.is_a?(ServerError)

      hello || @exchange.call(@hello, 1).first
    end

    def challenged(challenge)
      raise ProtocolError, "the challenge is none" unless challenge&.match?(/\A(?:[0-9a-fA-F]{2})+\z/)

      told(Protocol.answer(Protocol.native_password(password, [challenge].pack("H*"))))
    end

    def told(line)
      @exchange.call(line + @hello, 2)
    end

    def password
      @options.password.to_s
    end
  end
end
