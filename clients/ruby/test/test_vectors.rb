# frozen_string_literal: true

require "json"
require "minitest/autorun"
require "handlersocket2"

# The vectors that all clients share.
class TestVectors < Minitest::Test
  include HandlerSocket2

  def cases(kind)
    JSON.parse(File.read(File.join(__dir__, "../../vectors/#{kind}.json")))["cases"]
  end

  # The bytes for which a text of the vectors stands.
  def raw(text)
    case text
    when String then text.encode(Encoding::ISO_8859_1).b
    when Array then text.map { |one| raw(one) }
    when Hash then text.transform_values { |one| raw(one) }
    else text
    end
  end

  def cuts(data)
    step = [1, data.bytesize / 500].max
    halves = (1...data.bytesize).step(step).map { |at| [data.byteslice(0, at), data.byteslice(at..)] }
    [[data], *halves, data.chars]
  end

  def read(pieces, reader)
    pieces.flat_map { |piece| reader.feed(piece) }.map do |reply|
      next [reply.columns, reply.values] if reply.is_a?(Reply)

      [reply.class.name.split("::").last, reply.code, reply.text.b, reply.number, reply.message.b]
    end
  end

  def expected(one)
    return [one["columns"], raw(one["values"])] unless one["code"]

    message = ["#{one["text"]} (code #{one["code"]})", one["hint"]].compact.join(": ")
    [one["class"], one["code"], raw(one["text"]), one["number"], raw(message)]
  end

  def request(call)
    name, *arguments = call
    arguments = case name
                when "answer" then [[arguments[0]].pack("H*")]
                when "find", "count", "change", "insert" then raw(arguments)
                else raw(arguments).map { |one| text(one) }
                end
    arguments = arguments.map { |one| one.is_a?(Hash) ? one.transform_keys(&:to_sym) : one }
    Protocol.public_send(name, *arguments)
  end

  def text(name)
    return name.map { |one| text(one) } if name.is_a?(Array)

    name.is_a?(String) ? name.dup.force_encoding(Encoding::UTF_8) : name
  end

  def test_values_have_their_tokens
    cases("values").each do |one|
      value = raw(one["value"])
      assert_equal raw(one["token"]), Protocol.value(value), one["name"]
      [one["token"], *one["also"]].each { |token| assert_equal [value], [Reader.value(raw(token))], one["name"] }
    end
  end

  def test_what_is_no_value_is_refused
    cases("bad_values").each do |one|
      assert_raises(ProtocolError, one["name"]) { Reader.value(raw(one["token"])) }
    end
  end

  def test_requests_have_their_bytes
    cases("requests").each { |one| assert_equal raw(one["bytes"]), request(one["call"]).b, one["name"] }
  end

  def test_what_cannot_be_sent_is_refused
    cases("bad_requests").each { |one| assert_raises(ValueError, one["name"]) { request(one["call"]) } }
  end

  def test_replies_are_read_in_any_pieces
    %w[replies errors streams].flat_map { |kind| cases(kind) }.each do |one|
      replies = (one["replies"] || [one]).map { |reply| expected(reply) }
      cuts(raw(one["bytes"])).each do |pieces|
        reader = Reader.new
        assert_equal replies, read(pieces, reader), one["name"]
        assert_equal one["rest"] || 0, reader.rest, one["name"]
      end
    end
  end

  def test_what_is_no_reply_is_refused
    cases("bad_replies").each do |one|
      cuts(raw(one["bytes"])).each do |pieces|
        assert_raises(ProtocolError, one["name"]) { read(pieces, Reader.new) }
      end
    end
  end

  def test_replies_have_a_bound
    cases("long_replies").each do |one|
      cuts(raw(one["bytes"])).each do |pieces|
        work = -> { read(pieces, Reader.new(one["max_reply"])) }
        one["error"] ? assert_raises(ProtocolError, one["name"], &work) : work.call
      end
    end
  end

  def test_urls_have_their_options
    cases("urls").each do |one|
      work = -> { Options.new(Options.typed(Url.options(one["url"]))).to_h }
      if one["error"]
        assert_raises(ConfigurationError, one["name"], &work)
      else
        given = one["options"].transform_keys(&:to_sym)
        assert_equal Options::DEFAULTS.merge(given), work.call, one["name"]
      end
    end
  end

  def test_passwords_answer_challenges
    cases("logins").each do |one|
      password, challenge = one.values_at("password", "challenge").map { |text| [text].pack("H*") }
      assert_equal one["response"], Protocol.native_password(password, challenge).unpack1("H*"), one["name"]
    end
  end

  def test_reads_wait_for_the_highest_gtids
    cases("gtids").each do |one|
      known = Gtids.new
      one["told"].each { |told| known.note(told) }
      assert_equal one["known"].sort, known.to_s.split(",").sort, one["name"]
    end
  end

  def test_types_have_their_kinds
    cases("types").each { |one| assert_equal one["kind"], Values.kind(one["type"]).to_s, one["type"] }
  end
end
