# frozen_string_literal: true

require "ipaddr"
require "openssl"

module HandlerSocket2
  # What TLS connections of a client share.
  # @api private
  class Tls
    CERTIFICATE = /-----BEGIN CERTIFICATE-----.+?-----END CERTIFICATE-----/m
    private_constant :CERTIFICATE

    # @param options [Options]
    # @raise [ConfigurationError] when its files cannot be used
    def initialize(options)
      @verify = options.tls == "verify"
      @name = options.tls_name
      @context = OpenSSL::SSL::SSLContext.new
      @context.min_version = OpenSSL::SSL::TLS1_2_VERSION
      @context.verify_mode = @verify ? OpenSSL::SSL::VERIFY_PEER : OpenSSL::SSL::VERIFY_NONE
      @context.cert_store = store(options.tls_ca)
      certify(options.tls_cert, options.tls_key) if options.tls_cert
      @context.setup
    rescue OpenSSL::OpenSSLError, SystemCallError => e
      raise ConfigurationError, "tls_ca, tls_cert or tls_key cannot be used: #{e.message}"
    end

    # @return [Boolean] whether the server is looked at
    def verify?
      @verify
    end

    # @param socket [Socket]
    # @param host [String] whose certificate is expected, where the options name no other
    # @yield [symbol] waits as OpenSSL says: `:wait_readable` or `:wait_writable`
    # @return [OpenSSL::SSL::SSLSocket] behind its handshake
    # @raise [OpenSSL::SSL::SSLError]
    def wrap(socket, host)
      name = @name || host
      secure = OpenSSL::SSL::SSLSocket.new(socket, @context)
      secure.hostname = name unless address?(name)
      while (wanted = secure.connect_nonblock(exception: false)).is_a?(Symbol)
        yield wanted
      end
      secure.post_connection_check(name) if @verify
      secure
    end

    private

    def store(file)
      made = OpenSSL::X509::Store.new
      file ? made.add_file(file) : made.set_default_paths
      made
    end

    # The key may stand in the file of the certificate. No password is asked for on the terminal.
    def certify(cert, key)
      first, *chain = File.read(cert).scan(CERTIFICATE).map { |text| OpenSSL::X509::Certificate.new(text) }
      raise OpenSSL::OpenSSLError, "#{cert} has no certificate" unless first

      @context.add_certificate(first, OpenSSL::PKey.read(File.read(key), ""), chain)
    rescue ArgumentError => e
      raise OpenSSL::OpenSSLError, e.message
    end

    def address?(name)
      IPAddr.new(name)
      true
    rescue IPAddr::Error
      false
    end
  end
end
