# frozen_string_literal: true

require "minitest/autorun"
require "handlersocket2"

# Ruby's values and those of columns.
class TestValues < Minitest::Test
  include HandlerSocket2

  def read(kind, bytes)
    Values.from_bytes(kind, bytes.dup)
  end

  def test_values_that_come_have_the_types_of_their_columns
    assert_equal (2**64) - 1, read(:integer, "18446744073709551615")
    assert_equal 7, read(:integer, "0007")
    assert_equal 1e300, read(:float, "1e300")
    assert_equal BigDecimal("12345678901234567890.5"), read(:decimal, "12345678901234567890.50")
    assert_equal Date.new(2024, 2, 29), read(:date, "2024-02-29")
    assert_equal Time.utc(2024, 2, 29, 12, 34, 56.789r), read(:datetime, "2024-02-29 12:34:56.789")
    assert_equal "-838:59:59", read(:time, "-838:59:59")
    assert_nil Values.from_bytes(:integer, nil)
  end

  def test_text_is_utf8_and_bytes_are_bytes
    text = read(:text, "\xc3\xa9".b)
    assert_equal ["é", Encoding::UTF_8], [text, text.encoding]
    bytes = read(:bytes, "\xc3\xa9".b)
    assert_equal ["\xc3\xa9".b, Encoding::BINARY], [bytes, bytes.encoding]
  end

  def test_a_date_that_is_none_of_the_calendar_is_text
    %w[0000-00-00 2024-00-07 2023-02-29].each { |text| assert_equal text, read(:date, text) }
    ["0000-00-00 00:00:00", "2024-02-30 01:02:03"].each { |text| assert_equal text, read(:datetime, text) }
  end

  def test_every_date_of_the_server_comes_back_as_it_was
    %w[0001-01-01 1500-02-28 1582-10-10 9999-12-31].each do |text|
      assert_equal text, Values.to_bytes(read(:date, text))
      assert_equal "#{text} 23:59:59.000001", Values.to_bytes(read(:datetime, "#{text} 23:59:59.000001"))
    end
  end

  def test_what_is_no_value_of_its_column_is_a_protocol_error
    [[:integer, "1_0"], [:integer, "a"], [:float, "x"], [:decimal, "x"]].each do |kind, text|
      assert_raises(ProtocolError) { read(kind, text) }
    end
  end

  def test_values_that_are_sent_are_text_or_bytes
    {
      nil => nil, true => "1", false => "0", -5 => "-5", 2**64 => "18446744073709551616", 0.1 => "0.1",
      1e300 => "1.0e+300",
      BigDecimal("1.50") => "1.5", BigDecimal("100") => "100", BigDecimal("-1e-7") => "-0.0000001",
      BigDecimal("1e1000000") => "0.1e1000001", Date.new(2024, 2, 29) => "2024-02-29",
      Time.new(2024, 2, 29, 12, 34, 56.5r, "+02:00") => "2024-02-29 12:34:56.500000",
      DateTime.new(2024, 2, 29, 1) => "2024-02-29 01:00:00", "é" => "é", "\xff".b => "\xff".b,
      "é".encode("UTF-16LE") => "é", "é".encode("ISO-8859-1") => "é"
    }.each { |value, text| text.nil? ? assert_nil(Values.to_bytes(value)) : assert_equal(text, Values.to_bytes(value)) }
  end

  def test_what_cannot_be_sent_is_a_value_error
    [Float::NAN, Float::INFINITY, BigDecimal("NaN"), BigDecimal("Infinity"), :symbol, 1r, [1], {}, Object.new, "\xff",
     "\xd8\x00".dup.force_encoding("UTF-16BE")].each do |value|
      assert_raises(ValueError, value.inspect) { Values.to_bytes(value) }
    end
  end

  def test_floats_read_back_the_same
    random = Random.new(7)
    1000.times do
      float = [random.bytes(8)].first.unpack1("D")
      assert_equal float, Float(Values.to_bytes(float)) if float.finite?
    end
  end
end
