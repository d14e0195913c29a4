# frozen_string_literal: true

require_relative "fake_server"

# Indexes, transactions, replicas, hooks, logins.
class TestCalls < FakeServerTest
  def test_an_index_is_opened_once
    server = serve { |line| usual(line) }
    user = table(client(server))
    3.times { user.get(1) }
    assert_equal ["P\t0\tt\tt\tPRIMARY\ta\n"] + (["0\t=\t1\t1\n"] * 3), server.lines
  end

  def test_a_connection_has_so_many_indexes_and_replaces_the_oldest
    server = serve { |line| usual(line) }
    db = client(server)
    [*1..257, 1, 257].each { |number| table(db, ["c#{number}"]).get(1) }
    opened = server.lines.grep(/\AP/).map { |line| line.split("\t")[1].to_i }
    assert_equal [*0..255, 0, 1], opened
  end

  def test_an_index_that_was_refused_is_asked_for_again
    server = serve { |line, _, at| at.zero? ? "1\t1\topen_table\n" : usual(line) }
    user = table(client(server))
    assert_raises(NotFoundError) { user.get(1) }
    assert_equal({ "a" => "ab" }, user.get(1))
    assert_equal(%w[0 0], server.lines.grep(/\AP/).map { |line| line.split("\t")[1] })
  end

  def test_the_id_of_an_index_that_was_refused_is_of_no_other_one
    server = serve { |line| line.include?("bad") ? "1\t1\topen_table\n" : usual(line) }
    db = client(server)
    db.pipeline { |pipe| %w[bad b].each { |name| pipe.table(table(db, [name])).get(1) } }
    %w[c d b].each { |name| table(db, [name]).get(1) }
    opened = server.lines.grep(/\AP/).map { |line| line.chomp.split("\t").values_at(1, 5) }
    assert_equal [%w[0 bad], %w[1 b], %w[0 c], %w[2 d]], opened
  end

  def test_a_transaction_commits_at_the_end_of_its_block
    server = serve { |line| usual(line) }
    db = client(server)
    assert_equal 1, db.transaction(isolation: :RR) { |tx| tx.table(table(db)).update(1, { a: 1 }) }
    assert_equal %W[T\tB\tRR\n T\tC\n], server.lines.grep(/\AT/)
  end

  def test_what_leaves_the_block_of_a_transaction_rolls_back
    server = serve { |line| usual(line) }
    db = client(server)
    assert_raises(RuntimeError) { db.transaction { raise "no" } }
    db.transaction { break }
    catch(:done) { db.transaction { throw :done } }
    assert_equal %W[T\tB\n T\tR\n] * 3, server.lines
  end

  def test_a_commit_that_fails_is_an_error
    db = client(serve { |line| line.start_with?("T\tC") ? "1\t1\ttransaction_lost\n" : usual(line) })
    assert_raises(TransactionLostError) { db.transaction { |tx| tx.table(table(db)).update(1, { a: 1 }) } }
  end

  def test_a_transaction_that_has_ended_takes_no_call
    db = client(serve { |line| usual(line) })
    transaction = db.transaction
    assert transaction.open?
    2.times { transaction.commit }
    refute transaction.open?
    assert_raises(ValueError) { transaction.table(table(db)).get(1) }
  end

  def test_a_transaction_that_only_reads_sends_no_change
    server = serve { |line| usual(line) }
    db = client(server)
    results = db.transaction(read_only: true) do |tx|
      tx.pipeline { |pipe| [pipe.table(table(db)).update(1, { a: 1 }), pipe.table(table(db)).get(1)] }
    end
    assert_equal [ReadOnlyError, { "a" => "ab" }], [results[0].class, results[1]]
    assert_empty server.lines.grep(/U/)
  end

  def test_the_calls_of_a_pipeline_tell_their_places
    db = client(serve { |line| usual(line) })
    places = nil
    db.pipeline { |pipe| places = [pipe.table(table(db)).get(1), *pipe.table(table(db)).get_many([2, 3])] }
    assert_equal [0, 1, 2], places
    assert_empty(db.pipeline { nil })
    assert_raises(ValueError) { db.pipeline { |pipe| pipe.table(table(db)).range } }
  end

  def test_a_search_that_cannot_be_sent_opens_no_connection
    refused do |user|
      [
        -> { user.get([]) }, -> { user.get("\xff") }, -> { user.get(nil => 1) }, -> { user.find("LIKE", 1) },
        -> { user.find("=", 1, limit: -1) }, -> { user.find("=", 1, filters: [%w[a =]]) },
        -> { user.range(reverse: true) }, -> { user.range(page: 0) }, -> { user.range(stop: [1, 2]) }
      ]
    end
  end

  def test_a_change_that_cannot_be_sent_opens_no_connection
    refused do |user|
      [
        -> { user.insert({ "a" => 1, a: 2 }) }, -> { user.insert({ a: 1 }, returning: :now) }, -> { user.insert([1]) },
        -> { user.update(1, {}) }, -> { user.upsert({ a: 1 }, update: { b: 1 }) }, -> { user.insert({ "a\tb" => 1 }) }
      ]
    end
  end

  def refused
    server = serve { |line| usual(line) }
    yield(table(client(server))).each { |work| assert_raises(ValueError, &work) }
    assert_equal 0, server.connections
  end

  def test_the_server_must_have_the_feature
    db = client(serve { "2\t1\tcmd\n" })
    assert_equal FakeServer::FEATURES.split(","), db.features
    assert_raises(UnsupportedError) { db.one(Call.new(:later, "Z\n", feature: "later")) }
  end

  def test_a_hook_is_told_of_each_request
    told = []
    db = client(serve { |line| line.include?("bad") ? "1\t1\t121\n" : usual(line) }, on_request: lambda { |*one|
                                                                                                   told << one
                                                                                                 })
    table(db).get(1)
    assert_raises(DuplicateKeyError) { table(db).insert({ a: "bad" }) }
    many_gets(db, 2)
    assert_equal([[:get, "t.t", nil], [:insert, "t.t", DuplicateKeyError], [:pipeline, "t.t", nil]],
                 told.map { |kind, name, _, error| [kind, name, error&.class] })
    assert(told.all? { |one| one[2].positive? })
  end

  def test_reads_take_turns_on_replicas_and_the_primary_is_asked_when_none_answers
    replicas = Array.new(2) { serve { |line| usual(line) } }
    primary = serve { |line| usual(line) }
    db = client(primary, replicas: replicas.map { |one| "127.0.0.1:#{one.port}" })
    4.times { table(db).get(1) }
    assert_equal([3, 3, 0], [*replicas, primary].map { |one| one.lines.size })
    replicas.each(&:close)
    table(db).get(1)
    assert_equal 2, primary.lines.size
  end

  def test_a_replica_that_takes_no_login_is_passed_over
    replica = serve { "3\t1\tunauth\n" }
    primary = serve { |line| usual(line) }
    db = client(primary, replicas: "127.0.0.1:#{replica.port}", secret: "s")
    assert_equal({ "a" => "ab" }, table(db).get(1))
    assert_equal ["A\t1\ts\n"], replica.lines
  end

  def test_a_read_on_a_replica_waits_for_the_clients_own_change
    applied = "1"
    replica = serve { |line| line.start_with?("G\tW") ? "0\t1\t#{applied}\n" : usual(line) }
    primary = serve { |line| usual(line) }
    db = client(primary, replicas: "127.0.0.1:#{replica.port}", read_your_writes: true)
    table(db).get(1)
    table(db).update(1, { a: 1 })
    table(db).get(1)
    assert_equal ["G\tW\t0-1-7\t1000\n"], replica.lines.grep(/\AG/)
    applied = "0"
    table(db).get(1)
    assert_equal "0\t=\t1\t1\n", primary.lines.last
  end

  def test_a_transaction_tells_its_gtid_too
    server = serve { |line| usual(line) }
    db = client(server, read_your_writes: true)
    db.transaction { |tx| tx.table(table(db)).update(1, { a: 1 }) }
    assert_equal %W[T\tC\n G\tL\n], server.lines.last(2)
    assert_equal "0-1-7", db.last_gtid
  end

  def test_the_last_gtid_is_asked_of_the_connections_that_have_changed_something
    server = serve { |line, number| line.start_with?("G") ? "0\t1\t0-1-#{10 - number}\n" : usual(line) }
    db = client(server)
    assert_equal "", db.last_gtid
    transactions = Array.new(2) { db.transaction }
    transactions.each(&:commit)
    2.times { assert_equal "0-1-9", db.last_gtid }
    assert_equal 2, server.lines.grep(/\AG/).size
  end

  def test_a_password_answers_a_challenge
    challenge = "0\t2\tmysql_native_password\t#{"00" * 20}\n"
    server = serve { |line| line.start_with?("A\t2") ? challenge : OK }
    client(server, user: "app", password: "pw").ping
    answer = Protocol.answer(Protocol.native_password("pw", "\0" * 20))
    assert_equal ["A\t2\tapp\tmysql_native_password,unix_socket\n", answer], server.lines
  end

  def test_a_login_that_is_refused_is_an_error_and_shows_no_password
    challenge = "0\t2\tmysql_native_password\t#{"00" * 20}\n"
    server = serve { |line| line.start_with?("A\t2") ? challenge : "3\t1\tunauth\n" }
    db = client(server, user: "app", password: "hidden")
    error = assert_raises(AuthenticationError) { db.ping }
    refute_match(/hidden/, error.full_message + db.inspect)
    assert_empty server.lines.grep(/\AA\t4/)
  end

  def test_a_secret_is_told
    server = serve { |line| usual(line) }
    client(server, secret: "a\tb").ping
    assert_equal ["A\t1\ta\x01Ib\n"], server.lines
  end

  def test_a_login_that_is_refused_by_the_end_of_the_connection_says_why
    server = serve { |_, _, _, stream| stream.write("3\t1\tunauth\n") && :close }
    assert_raises(AuthenticationError) { client(server, secret: "s").ping }
  end

  def test_raw_takes_only_what_is_of_no_connection
    server = serve { "0\t2\ta\t\x00\n" }
    db = client(server)
    assert_equal [0, 2, "a", nil], db.raw(:read, %w[D t])
    [[:read, %w[T B]], ["write", %w[0 = 1 1]], [:read, ["a\nb"]], [:both, ["D"]]].each do |arguments|
      assert_raises(ValueError) { db.raw(*arguments) }
    end
    assert_equal ["D\tt\n"], server.lines
  end
end
