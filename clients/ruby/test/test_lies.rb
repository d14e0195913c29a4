# frozen_string_literal: true

require_relative "fake_server"

# Replies that are well formed, and none to what was asked: never a row or a number.
class TestLies < FakeServerTest
  ROWS = {
    get: ->(user) { user.get(1) },
    get_many: ->(user) { user.get_many([1]) },
    find: ->(user) { user.find(">=", 1, limit: 9) },
    updated: ->(user) { user.update(1, { a: 1, b: 2 }, returning: :after) },
    inserted: ->(user) { user.insert({ a: 1, b: 2 }, returning: :after) },
    deleted: ->(user) { user.delete(1, returning: :before) }
  }.freeze
  COUNTS = {
    count: ->(user) { user.count("=", 1) },
    exists: ->(user) { user.exists?(1) },
    update: ->(user) { user.update(1, { a: 1 }) },
    delete: ->(user) { user.delete(1) },
    increment: ->(user) { user.increment(1, { a: 1 }) },
    compare_and_set: ->(user) { user.compare_and_set(1, { a: 1 }, { a: 2 }) }
  }.freeze
  ADDED = {
    insert_ignore: ->(user) { user.insert_ignore({ a: 1 }) },
    upsert: ->(user) { user.upsert({ a: 1 }) },
    replace: ->(user) { user.replace({ a: 1 }) }
  }.freeze
  NO_NUMBERS = ["-5", "+1", "1_0", " 1", "abc", "", "\0", "9" * 21].map { |text| "0\t1\t#{text}" }.push("0\t1").freeze
  COLUMNS = { i: "int(11)", f: "double", d: "decimal(9,2)" }.freeze

  def lying(lie, request: "0\t")
    described = COLUMNS.map { |name, type| "\t#{name}\t#{type}\tNO\t\t\0\t\t\0\t" }.join
    serve do |line|
      next "#{lie}\n" if line.start_with?(request)

      line.start_with?("D") ? "0\t8#{described}\n" : usual(line)
    end
  end

  # Each time the connection is closed.
  def refused(lie, request: "0\t")
    server = lying(lie, request: request)
    db = client(server, retries: 0)
    2.times do |before|
      error = assert_raises(ProtocolError, lie) { yield db }
      assert error.sent?
      assert_equal before + 1, server.connections, lie
    end
  end

  def pair(client)
    table(client, %w[a b])
  end

  def test_rows_of_another_width_are_no_rows
    %W[0\t0 0\t1 0\t1\t1 0\t3 0\t3\t1\t2\t3 0\t4\t1\t2\t3\t4].each do |lie|
      ROWS.each_value { |work| refused(lie) { |db| work.call(pair(db)) } }
    end
  end

  def test_get_takes_one_row
    refused("0\t2\t1\t2\t3\t4") { |db| ROWS[:get].call(pair(db)) }
  end

  def test_what_has_other_than_digits_is_no_count
    NO_NUMBERS.each { |lie| { **COUNTS, **ADDED }.each_value { |work| refused(lie) { |db| work.call(pair(db)) } } }
  end

  def test_a_count_is_one_value
    %W[0\t1\t1\t1 0\t2\t1\t1].each { |lie| COUNTS.each_value { |work| refused(lie) { |db| work.call(pair(db)) } } }
  end

  def test_what_was_added_is_told_in_one_row_of_at_most_two_numbers
    %W[0\t1\t1\t1 0\t3\t1\t1\t1 0\t2\t1\tabc].each do |lie|
      ADDED.each_value { |work| refused(lie) { |db| work.call(pair(db)) } }
    end
    refused("0\t1\t0") { |db| ADDED[:replace].call(pair(db)) }
    refused("0\t1\t3") { |db| ADDED[:upsert].call(pair(db)) }
    refused("0\t1\t2") { |db| ADDED[:insert_ignore].call(pair(db)) }
  end

  def test_what_is_no_id_is_none
    ["0\t0", "0\t1\tabc", "0\t1\t-1", "0\t2\t1\t1", "0\t1\t1\t1"].each do |lie|
      refused(lie) { |db| pair(db).insert({ a: 1 }) }
    end
  end

  def test_a_page_has_the_columns_and_no_more_rows_than_were_asked_for
    %W[0\t1\t1\t2\t3 0\t2\t1\t2 0\t0].each do |lie|
      server = serve do |line|
        next "0\t6\tPRIMARY\t1\ti\t1\tA\t\0\n" if line.end_with?("\tI\n")
        next "0\t8\ti\tint(11)\tNO\t\t\0\t\t\0\t\n" if line.start_with?("D")

        line.start_with?("0") ? "#{lie}\n" : usual(line)
      end
      user = client(server, retries: 0).table("t.t", %w[i])
      assert_raises(ProtocolError, lie) { user.range(start: 1, page: 2).first(9) }
    end
  end

  def test_what_its_column_cannot_hold_is_no_value
    {
      i: ["", " 1", "1_0", "1.5", "abc", "9" * 21], f: ["", "nan", "inf", "1_0", " 1", "0x1A", "x"],
      d: ["", "NaN", "1_0", "1e5", "Infinity", " 1", "x", "1.2.3"]
    }.each do |name, lies|
      lies.each { |lie| refused("0\t1\t#{lie}") { |db| db.table("t.t", [name]).get(1) } }
    end
  end

  def test_a_float_has_an_end
    capture_io do # Ruby warns of it
      refused("0\t1\t1e999") { |db| db.table("t.t", [:f]).get(1) }
    end
  end

  def test_what_describes_nothing_is_no_description
    ["0\t8#{"\t\0" * 8}", "0\t8\t\0\tint\tNO\t\t\0\t\t\0\t", "0\t1\tx", "0\t16#{"\t" * 16}"].each do |lie|
      refused(lie, request: "D") { |db| db.table("t.t").get(1) }
      refused(lie, request: "D") { |db| db.describe("t.t") }
    end
  end

  def test_what_tells_no_index_is_none
    ["0\t6#{"\t\0" * 6}", "0\t6\tP\tx\tc\t1\tA\t\0", "0\t6\tP\t1\tc\t1\tA\tx", "0\t1\tx"].each do |lie|
      refused(lie, request: "D") { |db| db.indexes("t.t") }
    end
  end

  def test_an_index_is_opened_with_nothing_to_tell
    refused("0\t3\ta\tb\tc", request: "P") { |db| table(db).get(1) }
  end

  def test_a_transaction_begins_and_ends_with_nothing_to_tell
    refused("0\t1\t5", request: "T\tB") { |db| db.transaction { nil } }
    refused("0\t2\t5\t6", request: "T\tC") { |db| db.transaction { nil } }
  end

  def test_what_is_no_gtid_is_none
    ["0\t1\t\xff;x", "0\t2\t0-1-1\t0-1-2", "0\t1\t1", "0\t1\t\0", "0\t1\t0-1-1\t0-1-2"].each do |lie|
      db = client(lying(lie, request: "G\tL"))
      db.transaction { |tx| pair(tx).update(1, { a: 1 }) }
      assert_raises(ProtocolError, lie) { db.last_gtid }
    end
  end

  def test_a_long_reply_to_something_else_is_not_listed
    lie = "0\t2#{"\t" * (1 << 20)}"
    calls = [*ROWS.slice(:get, :get_many, :find).values, *COUNTS.values, *ADDED.values]
    values = LongReply.instance_method(:values)
    LongReply.remove_method(:values)
    LongReply.define_method(:values) { raise "the values were listed" }
    [*calls, ->(user) { user.insert({ a: 1 }) }].each { |work| refused(lie) { |db| work.call(pair(db)) } }
    refused(lie, request: "D\t") { |db| db.describe("test.t") }
    refused(lie, request: "P\t") { |db| pair(db).get(1) }
  ensure
    LongReply.remove_method(:values)
    LongReply.define_method(:values, values)
  end

  def test_a_long_reply_has_its_values
    long = "x" * 70_000
    server = lying("0\t4\t#{(["\t\0\t\x01I\x01@\t#{long}"] * 10).join("\t")}")
    found = table(client(server), %w[a b c d]).find(">=", 1, limit: 10)
    assert_equal [{ "a" => "", "b" => nil, "c" => "\t\0", "d" => long }] * 10, found
    %W[\t\x01 \t\x01a \t\t].each { |lie| refused("0\t2\t#{long}#{lie}") { |db| pair(db).find(">=", 1, limit: 10) } }
  end
end
