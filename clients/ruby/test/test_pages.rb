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
    return counted(key, filters) if filters.last == "C"

    page = wanted(found(operator, key).drop(offset.to_i), filters).first((limit || 1).to_i)
    HandlerSocket2::Reply.new(1 + @rows.first.key.size, page.flat_map { |row| [row.id.dup, *row.key.map(&:dup)] })
  end

  def ids
    @rows.map { |row| row.id.to_i }
  end

  private

  # NULL sorts first.
  def sorted(key)
    key.map { |one| one.nil? ? [0, ""] : [1, one.downcase] }
  end

  def found(operator, key)
    rows = operator.start_with?("<") ? @rows.reverse : @rows
    rows.select { |row| (sorted(row.key.first(key.size)) <=> sorted(key)).public_send(operator, 0) }
  end

  # Until the first row for which the filter does not hold.
  def wanted(rows, filters)
    _, operator, _, bound = filters
    bound ? rows.take_while { |row| (sorted(row.key.first(1)) <=> sorted([bound])).public_send(operator, 0) } : rows
  end

  def counted(key, filters)
    wanted = filters[0..-2].each_slice(4).map(&:last)
    sorted(key) == sorted(wanted) ? 1 : 0
  end
end

# Ranges in pages.
class TestPages < Minitest::Test
  include HandlerSocket2

  SIZES = [1, 2, 3, 5, 100].freeze

  def parts(kinds, **options)
    kinds.each_with_index.map do |kind, at|
      Schema::Part.new(column: "k#{at}", kind: kind, type: kind.to_s, nullable: true, unique: false, descending: false,
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

  def test_a_range_without_a_start_needs_an_index_with_a_beginning
    index = FakeIndex.new([%w[a]])
    assert_raises(ValueError) { read(index, parts([:bytes], descending: true), 1) }
    assert_raises(UnsupportedError) { read(index, parts([:text], nullable: false, type: "enum('a','')"), 1) }
    read(index, parts([:text], nullable: false, type: "inet6"), 1)
    assert_equal ["::"], index.requests.first[1]
  end
end
