# frozen_string_literal: true

require_relative "fake_server"
require "tempfile"

# TLS, with certificates that are made here.
class TestTls < FakeServerTest
  # Makes a certificate and its key.
  class Authority
    attr_reader :cert, :key

    def initialize(name, issuer = nil)
      @key = OpenSSL::PKey::EC.generate("prime256v1")
      @cert = OpenSSL::X509::Certificate.new
      @cert.version = 2
      @cert.serial = rand(1 << 60)
      @cert.subject = OpenSSL::X509::Name.new([["CN", name]])
      @cert.issuer = (issuer ? issuer.cert : @cert).subject
      @cert.public_key = @key
      @cert.not_before = Time.now - 3600
      @cert.not_after = Time.now + 3600
      extend_with(issuer.nil? ? ["basicConstraints", "CA:TRUE", true] : ["subjectAltName", "DNS:#{name}"])
      @cert.sign((issuer || self).key, "SHA256")
    end

    def extend_with(extension)
      @cert.add_extension(OpenSSL::X509::ExtensionFactory.new.create_extension(*extension))
    end

    def file(with_key: false)
      Tempfile.new("pem").tap do |file|
        file.write(@cert.to_pem, with_key ? @key.to_pem : "")
        file.close
      end
    end
  end

  CA = Authority.new("ca")
  SERVER = Authority.new("localhost", CA)
  FILES = {
    ca: CA.file, foreign: Authority.new("foreign").file, client: Authority.new("me", CA).file(with_key: true)
  }.freeze

  def serve_tls(&answer)
    context = OpenSSL::SSL::SSLContext.new
    context.add_certificate(SERVER.cert, SERVER.key)
    context.ca_file = FILES[:ca].path
    context.verify_mode = OpenSSL::SSL::VERIFY_PEER
    answer ||= ->(line, *) { usual(line) }
    serve(->(socket) { OpenSSL::SSL::SSLSocket.new(socket, context).tap(&:accept) }, &answer)
  end

  def verify(**options)
    { tls: "verify", tls_name: "localhost", tls_ca: FILES[:ca].path, retries: 0 }.merge(options)
  end

  def test_the_certificate_must_be_of_the_server
    server = serve_tls
    assert_equal({ "a" => "ab" }, table(client(server, verify)).get(1))
    [verify(tls_name: "other"), verify(tls_ca: FILES[:foreign].path), { tls: "verify", retries: 0 }].each do |options|
      error = assert_raises(HandlerSocket2::ConnectionError) { client(server, options).ping }
      refute error.sent
    end
    client(server, { tls: "require" }).ping
  end

  def test_a_password_goes_in_clear_only_to_a_server_that_was_looked_at
    challenge = "0\t2\tmysql_native_password\t#{"00" * 20}\n"
    server = serve_tls { |line| line.start_with?("A\t2") ? challenge : "3\t1\tunauth\n" }
    { { tls: "require" } => 0, verify => 1 }.each do |options, number|
      assert_raises(AuthenticationError) { client(server, options.merge(user: "app", password: "hidden")).ping }
      assert_equal ["A\t4\tapp\thidden\n"] * number, server.lines.grep(/hidden/)
    end
  end

  def test_a_client_shows_its_own_certificate
    seen = nil
    server = serve_tls { |line, _, _, stream| (seen = stream.peer_cert.subject.to_s) && usual(line) }
    table(client(server, verify(tls_cert: FILES[:client].path, tls_key: FILES[:client].path))).get(1)
    assert_equal "/CN=me", seen
  end

  def test_files_that_cannot_be_used_are_a_configuration_error
    pairs = [FILES[:ca].path, File::NULL].map { |path| { tls_cert: path, tls_key: path } }
    [{ tls_ca: "/no/such/file" }, *pairs].each do |options|
      assert_raises(ConfigurationError, options.inspect) { HandlerSocket2.connect("hs://db?tls=verify", **options) }
    end
  end

  def test_a_server_without_tls_is_a_connection_error
    db = client(serve { |line| usual(line) }, { tls: "require", retries: 0, connect_timeout: 0.5 })
    error = assert_raises(HandlerSocket2::ConnectionError) { db.ping }
    refute error.sent
  end

  def test_a_pipeline_is_read_while_it_is_sent
    long = "0\t1\t#{"x" * 2000}\n"
    db = client(serve_tls { |line| line.start_with?("P") ? OK : long }, verify)
    assert_equal [{ "a" => "x" * 2000 }], many_gets(db, 5000).uniq
  end

  def test_a_process_that_has_forked_leaves_the_others_tls_alone
    server = serve_tls
    db = client(server, verify)
    table(db).get(1)
    Process.wait(fork { exit!(table(db).get(1) == { "a" => "ab" } ? 0 : 1) })
    assert_predicate Process.last_status, :success?
    assert_equal({ "a" => "ab" }, table(db).get(1))
    assert_equal 2, server.connections
  end
end
