# frozen_string_literal: true

require_relative "fake_server"

# What calls refuse before anything is sent.
class TestArguments < FakeServerTest
  def test_what_should_be_a_list_is_refused_before_anything_is_sent
    server = serve { |line| usual(line) }
    user = table(db = client(server))
    ["abc", 5, nil].each do |wrong|
      [
        -> { user.get_many(wrong) }, -> { user.find_all("=", 0, "a", wrong) },
        -> { user.find("=", 0, in: { "a" => wrong }) }, -> { user.count("=", 0, filters: wrong) },
        -> { user.count("=", 0, filters: [wrong]) }, -> { db.raw(:read, wrong) }
      ].each { |call| assert_raises(ValueError, &call) }
    end
    assert_empty server.lines
  end

  def test_a_pipeline_has_a_block_and_a_hook_can_be_called
    server = serve { |line| usual(line) }
    user = table(db = client(server))
    [5, "abc", [1]].each do |wrong|
      assert_raises(HandlerSocket2::ConfigurationError) { HandlerSocket2.connect("hs://db", on_request: wrong) }
      assert_raises(ValueError) { user.find("=", 1, offset: wrong.to_s) }
    end
    assert_raises(ValueError) { db.pipeline }
    assert_empty server.lines
  end

  def test_a_url_and_the_name_of_what_is_described_are_texts
    server = serve { |line| usual(line) }
    db = client(server)
    [5, [], { host: "x" }].each do |wrong|
      assert_raises(HandlerSocket2::ConfigurationError) { HandlerSocket2.connect(wrong) }
      assert_raises(ValueError) { db.describe(wrong) }
    end
    assert_empty server.lines
  end
end
