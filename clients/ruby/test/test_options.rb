# frozen_string_literal: true

require "minitest/autorun"
require "handlersocket2"
require "tempfile"

# Where options come from.
class TestOptions < Minitest::Test
  include HandlerSocket2

  NAMES = %w[HS_URL HS_PASSWORD HS_SECRET HS_OPTION_FILE HOME].freeze

  def setup
    @before = NAMES.to_h { |name| [name, ENV.fetch(name, nil)] }
    ENV.update(NAMES.to_h { |name| [name, nil] })
  end

  def teardown
    ENV.update(@before)
  end

  def option_file(text)
    Tempfile.create("hs") do |file|
      file.write(text)
      file.close
      ENV["HS_OPTION_FILE"] = file.path
      yield
    end
  end

  def test_arguments_have_the_types_of_ruby
    given = { port: 1, timeout: 0.5, max_idle: 1e-6, read_your_writes: true, replicas: %w[a:1 b:2], tls: :off }
    options = Options.make("hs://db", given)
    assert_equal given.merge(host: "db", tls: "off"), options.to_h.slice(:host, *given.keys)
  end

  def test_what_is_wrong_is_named
    [["hs://db?port=1", { port: 2 }], [nil, { nosuch: 1 }], [nil, { timeout: Float::NAN }],
     [nil, { pool_size: 0 }], [nil, { host: nil }], [nil, { tls: true }], [nil, { retries: -1 }],
     [nil, { replicas: ["db"] }]].each do |url, given|
      error = assert_raises(ConfigurationError, given.inspect) { Options.make(url, given) }
      assert_match(/#{given.keys.first}/, error.message)
    end
  end

  def test_the_url_of_the_environment_is_for_connect_without_arguments
    ENV["HS_URL"] = "hs://there:7"
    assert_equal ["there", 7], [Options.make(nil, {}).host, Options.make(nil, {}).port]
    assert_equal "127.0.0.1", Options.make(nil, { timeout: 1 }).host
  end

  def test_what_is_not_given_comes_from_the_environment_and_then_from_the_file
    option_file("[other]\nname = no\n[hs]\n# a comment\nname = there\npassword = p = w\nsecret=file\n\n") do
      ENV["HS_SECRET"] = "environment"
      options = Options.make("hs://app@", {})
      assert_equal ["there", "p = w", "environment"], [options.name, options.password, options.secret]
      assert_equal "given", Options.make("hs://db", { secret: "given" }).secret
    end
  end

  def test_the_file_may_not_say_a_thing_twice_and_must_be_there_when_it_is_named
    option_file("[hs]\nhost = a\nhost = b\n") { assert_raises(ConfigurationError) { Options.make(nil, {}) } }
    option_file("[hs]\nname = a\xff\n") { assert_raises(ConfigurationError) { Options.make(nil, {}) } }
    option_file("[hs]\nnosuch = a\n") { assert_raises(ConfigurationError) { Options.make(nil, {}) } }
    ENV["HS_OPTION_FILE"] = "/no/such/file"
    assert_raises(ConfigurationError) { Options.make(nil, {}) }
  end

  def test_the_file_at_home_may_be_missing
    ENV["HOME"] = "/no/such/folder"
    assert_equal Options::DEFAULTS, Options.make(nil, {}).to_h
  end

  def test_secrets_are_not_shown
    db = HandlerSocket2.connect("hs://app:hidden@db?secret=concealed")
    refute_match(/hidden|concealed/, db.inspect + Options.make("hs://app:hidden@db", {}).inspect)
  end

  def test_a_block_has_a_client_that_is_closed_behind_it
    kept = nil
    assert_equal 7, (HandlerSocket2.connect("hs://db") { |db| (kept = db) && 7 })
    assert_raises(HandlerSocket2::ConnectionError) { kept.ping }
  end

  def test_changes_over_unix_sockets_need_their_own
    db = HandlerSocket2.connect("hs+unix:///no/such/socket")
    assert_raises(ConfigurationError) { db.table("t.t", ["a"], raw: true).delete(1) }
    assert_raises(ConfigurationError) { HandlerSocket2.connect("hs+unix:///#{"x" * 200}").ping }
  end
end
