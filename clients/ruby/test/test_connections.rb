# frozen_string_literal: true

require_relative "fake_server"

# Connections that break, wait and are full; what is sent again.
class TestConnections < FakeServerTest
  AB = { "a" => "ab" }.freeze

  def test_replies_may_come_byte_by_byte
    db = client(serve { |line| usual(line).chars })
    assert_equal [AB, AB], many_gets(db, 2)
  end

  def test_a_pipeline_is_read_while_it_is_sent
    long = "0\t1\t#{"x" * 2000}\n"
    db = client(serve { |line| line.start_with?("P") ? OK : long })
    assert_equal [{ "a" => "x" * 2000 }], many_gets(db, 10_000).uniq
  end

  def test_reads_are_sent_again_when_the_server_goes_away_in_a_pipeline
    server = serve { |line, number, at| number == 1 && at == 5 ? :close : usual(line) }
    assert_equal [AB] * 100, many_gets(client(server), 100)
    assert_equal 2, server.connections
  end

  def test_reads_fail_when_the_server_goes_away_every_time
    server = serve { |line| line.start_with?("P") ? OK : :close }
    error = assert_raises(HandlerSocket2::ConnectionError) { table(client(server, retries: 1)).get(1) }
    assert error.sent
    assert_equal 2, server.connections
  end

  def test_a_change_without_its_reply_is_not_sent_again
    server = serve { |line| line.start_with?("P") ? OK : :close }
    error = assert_raises(HandlerSocket2::ConnectionError) { table(client(server)).insert({ a: 1 }) }
    assert error.sent?
    assert_equal 1, server.connections
  end

  def test_the_calls_of_a_pipeline_that_were_answered_have_their_results
    server = serve { |line, _, at| at == 3 ? :close : usual(line) }
    db = client(server)
    results = db.pipeline { |pipe| 5.times { pipe.table(table(db)).update(1, { a: 2 }) } }
    assert_equal [1, 1], results.first(2)
    assert_equal [true] * 3, results.last(3).map(&:sent)
    assert_equal 1, server.connections
  end

  def test_a_change_goes_to_a_new_connection_when_the_idle_one_was_closed
    server = serve { |line| usual(line) }
    user = table(client(server))
    assert_equal 1, user.update(1, { a: 2 })
    server.drop
    assert_equal 1, user.update(1, { a: 2 })
    assert_equal 2, server.connections
  end

  def test_nothing_was_sent_where_nobody_listens
    port = TCPServer.open("127.0.0.1", 0) { |listener| listener.addr[1] }
    db = HandlerSocket2.connect("hs://127.0.0.1:#{port}?write_port=#{port}&retries=1")
    error = assert_raises(HandlerSocket2::ConnectionError) { table(db).insert({ a: 1 }) }
    refute error.sent
  end

  def test_a_slow_server_is_a_timeout_and_its_connection_is_closed
    server = serve { |line, number| number == 1 ? nil : usual(line) }
    user = table(client(server, timeout: 0.1))
    error = assert_raises(HandlerSocket2::TimeoutError) { user.update(1, { a: 2 }) }
    assert error.sent
    assert_equal 1, user.update(1, { a: 2 })
    assert_equal 2, server.connections
  end

  def test_an_interrupt_ends_the_connection_of_the_request
    waiting = Queue.new
    server = serve { |line, number| number == 1 && !line.start_with?("P") ? waiting.push(line) && nil : usual(line) }
    user = table(client(server, pool_size: 1))
    thread = Thread.new { user.get(1) }
    thread.report_on_exception = false
    waiting.pop
    thread.raise(Interrupt)
    assert_raises(Interrupt) { thread.join }
    assert_equal AB, user.get(1)
    assert_equal 2, server.connections
  end

  def test_a_full_pool_is_a_timeout
    db = client(serve { |line| usual(line) }, pool_size: 1, timeout: 0.1)
    transaction = db.transaction
    error = assert_raises(HandlerSocket2::TimeoutError) { table(db).update(1, { a: 1 }) }
    refute error.sent
    transaction.rollback
    assert_equal 1, table(db).update(1, { a: 1 })
  end

  def test_threads_share_the_connections_of_a_pool
    server = serve { |line| usual(line) }
    user = table(client(server, pool_size: 4))
    rows = Array.new(100) { Thread.new { Array.new(10) { user.get(1) } } }.flat_map(&:value)
    assert_equal [AB] * 1000, rows
    assert_operator server.connections, :<=, 4
  end

  def test_a_connection_that_was_idle_for_too_long_is_replaced
    server = serve { |line| usual(line) }
    user = table(client(server, max_idle: 0.000001))
    2.times { assert_equal AB, user.get(1) }
    assert_equal 2, server.connections
  end

  def test_a_process_that_has_forked_has_connections_of_its_own
    server = serve { |line| usual(line) }
    user = table(client(server))
    user.get(1)
    assert_equal([AB], in_child { user.get(1) })
    assert_equal AB, user.get(1)
    assert_equal 2, server.connections
  end

  def test_a_transaction_belongs_to_the_process_that_began_it
    server = serve { |line| usual(line) }
    db = client(server)
    db.transaction do |tx|
      tx.table(table(db)).update(1, { a: 1 })
      found = in_child do
        tx.table(table(db)).update(1, { a: 2 })
      rescue HandlerSocket2::ConnectionError => e
        tx.rollback
        e.sent
      end
      assert_equal [false], found
    end
    assert_equal %W[T\tC\n], server.lines.grep(/\AT\t[CR]/)
  end

  def test_more_replies_than_requests_are_none
    db = client(serve { |line| line.start_with?("P") ? OK : "0\t1\ta\n0\t1\tb\n" })
    error = assert_raises(HandlerSocket2::ProtocolError) { table(db).update(1, { a: 1 }) }
    assert error.sent
  end

  def test_a_reply_that_is_none_to_its_request_ends_the_connection
    server = serve { |line, number| number == 1 && !line.start_with?("P") ? "0\t2\ta\tb\n" : usual(line) }
    user = table(client(server, retries: 0))
    assert_raises(HandlerSocket2::ProtocolError) { user.get(1) }
    assert_equal AB, user.get(1)
    assert_equal 2, server.connections
  end

  def test_an_error_before_the_end_of_a_request_is_told
    refuse = lambda do |socket|
      socket.readpartial(1000)
      socket.write(FakeServer::HELLO)
      socket.readpartial(1000)
      socket.write("0\t1\n2\t1\trequest_too_long\n")
      socket.tap(&:close)
    end
    db = client(serve(refuse) { nil })
    error = assert_raises(HandlerSocket2::ServerError) { table(db).insert({ a: "x" * 20_000_000 }) }
    assert_equal "request_too_long", error.text
  end

  def test_what_a_server_says_before_it_closes_is_told
    hello = ->(socket) { socket.tap { |one| one.write("1\t1\ttoo_many_connections\n") && one.close_write } }
    db = client(serve(hello) { nil })
    assert_equal "too_many_connections", assert_raises(HandlerSocket2::OverloadedError) { db.ping }.text
  end

  def test_a_client_that_was_closed_is_no_more
    db = client(serve { |line| usual(line) })
    db.close
    assert_raises(HandlerSocket2::ConnectionError) { db.ping }
  end

  private

  # What the block gives in another process.
  def in_child
    read, write = IO.pipe
    child = fork do
      write.write(Marshal.dump([yield]))
      exit!(0)
    end
    write.close
    Marshal.load(read.read) # rubocop:disable Security/MarshalLoad
  ensure
    Process.wait(child)
  end
end
