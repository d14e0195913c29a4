# frozen_string_literal: true

require "minitest/autorun"
require "handlersocket2"

# An index in memory: rows of bytes in its order, which takes pages and counts. Case makes no difference.
class FakeIndex
  Row = Struct.new(:key, :id)

  attr_reader :requests

  def initialize(keys)
    @rows = keys.each_with_index.map { |key, id| Row.new(key, id.to_s) }
    @rows.sort_by! { |row| [sorted(row.key), row.id.to_i] }
    @requests = []
  end

  # What HandlerSocket2::Runner does.
  def one(call)
    _, operator, number, *tokens = call.line(0).chomp.split("\t", -1)
    key = tokens.shift(number.to_i).map { |token| HandlerSocket2::Reader.value(token) }
    limit, offset, *filters = tokens
    @requests << [operator, key, offset.to_i]
    rows = found(operator, key)
    return counted(rows, filters) if filters.last == "C"

    wanted = wanted(rows.drop(offset.to_i), filters).first((limit || 1).to_i)
    call.decode(reply(wanted, call.index.chomp.split("\t")[5].split(",")))
  end

  def ids
    @rows.map { |row| row.id.to_i }
  end

  private

  # NULL sorts first, and then control characters.
  def sorted(key)
    key.map { |one| one.nil? ? [0, ""] : [1, one.downcase.ljust(9)] }
  end

  def found(operator, key)
    rows = operator.start_with?("<") ? @rows.reverse : @rows
    operator = "==" if operator == "="
    rows.select { |row| (sorted(row.key.first(key.size)) <=> sorted(key)).public_send(operator, 0) }
  end

  def reply(rows, columns)
    values = rows.flat_map do |row|
      columns.map { |name| (name == "id" ? row.id : row.key[name[1..].to_i]).dup }
    end
    HandlerSocket2::Reply.new(columns.size, values)
  end

  # Until the first row for which W does not hold, or those for which F holds.
  def wanted(rows, filters)
    kind, operator, _, bound = filters
    return rows unless kind

    rows.public_send(kind == "W" ? :take_while : :select) do |row|
      (sorted(row.key.first(1)) <=> sorted([bound])).public_send(operator, 0)
    end
  end

  def counted(rows, filters)
    wanted = sorted(filters[0..-2].each_slice(4).map(&:last))
    rows.count { |row| wanted.empty? || sorted(row.key) == wanted }
  end
end

# Ranges in pages.
class TestPages < Minitest::Test
  include HandlerSocket2

  SIZES = [1, 2, 3, 5, 100].freeze

  def parts(kinds, **options)
    kinds.each_with_index.map do |kind, at|
      Schema::Part.new(column: "k#{at}", kind: kind, word: kind.to_s, nullable: true, unique: false, descending: false,
                       prefix: false, **options)
    end
  end

  def read(index, parts, size, start: nil, stop: nil, reverse: false)
    calls = Calls.new("d", "t", ["id"], "i", { "id" => :integer }, false)
    rows = []
    Pages.new(index, calls, parts, start, stop, reverse, [], size).each { |row| rows << row["id"] }
    rows
  end

  def both_ways(keys, parts)
    SIZES.each do |size|
      index = FakeIndex.new(keys)
      assert_equal index.ids, read(index, parts, size), size
      last = keys.max_by { |key| key.map { |one| one.to_s.downcase } }
      assert_equal index.ids.reverse, read(index, parts, size, start: last, reverse: true), size
    end
  end

  def test_rows_with_the_same_key_are_read_once
    both_ways([%w[a], %w[b], %w[b], %w[b], %w[b], %w[c], %w[c]], parts([:bytes]))
  end

  def test_rows_with_the_same_text_in_other_letters_are_read_once
    both_ways([%w[a], %w[b], %w[B], %w[b], %w[B], %w[B], %w[c], %w[C]], parts([:text]))
  end

  def test_rows_without_a_value_are_read_once
    both_ways([[nil], [nil], [nil], %w[b], %w[c]], parts([:integer], unique: true))
  end

  def test_an_index_of_two_columns_is_read_by_both
    both_ways([%w[a x], %w[a x], %w[a y], ["b", nil], ["b", nil], %w[b z]], parts(%i[bytes text]))
  end

  def test_behind_a_unique_key_nothing_is_skipped
    index = FakeIndex.new([%w[a], %w[b], %w[c]])
    assert_equal [0, 1, 2], read(index, parts([:bytes], unique: true, nullable: false), 1)
    assert_equal [[">=", [""], 0], [">", ["a"], 0], [">", ["b"], 0], [">", ["c"], 0]], index.requests
  end

  def test_an_index_of_beginnings_is_read_from_one_place
    index = FakeIndex.new([%w[ab], %w[aa], %w[b]])
    assert_equal 3, read(index, parts([:text], prefix: true), 1, start: ["a"]).size
    assert_equal [0, 1, 2, 3], index.requests.map(&:last)
  end

  def test_a_range_ends_before_its_stop
    SIZES.each do |size|
      index = FakeIndex.new([%w[a], %w[b], %w[b], %w[c], %w[d]])
      assert_equal [1, 2, 3], read(index, parts([:bytes]), size, start: ["b"], stop: ["d"])
      assert_equal [3, 2, 1], read(index, parts([:bytes]), size, start: ["c"], stop: ["a"], reverse: true)
    end
  end

  def test_an_index_of_beginnings_is_read_to_its_end
    SIZES.each do |size|
      index = FakeIndex.new([%w[a], %w[c], %w[b]])
      assert_equal [0, 2], read(index, parts([:text], prefix: true), size, start: ["a"], stop: ["c"]).sort
    end
  end

  def test_keys_that_do_not_tell_their_place_begin_no_page
    times = ["2024-10-26 12:00:00", "2024-10-26 12:00:00", "2024-10-26 21:59:00", "2024-10-26 22:00:00",
             "2024-10-27 03:59:00", "2024-10-27 04:00:00"]
    index = FakeIndex.new(times.map { |time| [time] })
    assert_equal index.ids, read(index, parts([:datetime], word: "timestamp"), 1)
    assert_empty index.requests.map { |one| one[1].first.to_s[11, 2] } & %w[22 03]
    index = FakeIndex.new([%w[1.5], %w[2.5]])
    assert_equal [0, 1], read(index, parts([:float], word: "float", unique: true), 1)
    assert_equal [nil], index.requests.map { |one| one[1].first }.uniq
  end

  def test_zeros_of_other_bytes_are_the_same_key
    index = FakeIndex.new([%w[a], %w[A], %w[a], %w[A], %w[b]])
    assert_equal index.ids, read(index, parts([:float], word: "double"), 2)
  end

  def test_a_range_without_a_start_begins_before_the_empty_text
    SIZES.each do |size|
      index = FakeIndex.new([[""], ["\tb"], ["\t\t"], ["a"], ["\x01"], ["\t\ta"]])
      assert_equal index.ids, read(index, parts([:text], nullable: false), size)
    end
  end

  def test_a_range_without_a_start_needs_an_index_with_a_beginning
    index = FakeIndex.new([%w[a]])
    assert_raises(ValueError) { read(index, parts([:bytes], descending: true), 1) }
    read(index, parts([:text], nullable: false, word: "inet6"), 1)
    assert_equal ["::"], index.requests.first[1]
  end
end
