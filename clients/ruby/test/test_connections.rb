# frozen_string_literal: true

require_relative "fake_server"

# Connections that break and wait; what is sent again.
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

  def test_a_change_of_which_nothing_could_be_written_is_sent_again
    server = serve { |line| usual(line) }
    db = client(server)
    table(db).update(1, { a: 2 })
    break_idle(db)
    assert_equal 1, table(db).update(1, { a: 2 })
    assert_equal 2, server.connections
  end

  def test_what_the_server_has_said_is_read_when_nothing_can_be_written
    server = serve { |line| usual(line) }
    db = client(server)
    table(db).update(1, { a: 2 })
    server.say("1\t1\tshutdown\n")
    break_idle(db).wait_readable
    assert_raises(HandlerSocket2::UnavailableError) { table(db).update(1, { a: 2 }) }
  end

  def test_a_request_that_was_not_sent_as_a_whole_ends_the_connection
    server = serve { |line| usual(line) }
    db = client(server)
    broken = HandlerSocket2::Call.new(:broken, "x\n")
    def broken.line(_)
      raise Interrupt
    end
    db.ping
    assert_raises(Interrupt) { db.pipeline { |pipe| table(db).within(pipe).get(1) && pipe.one(broken) } }
    assert_equal AB, table(db).get(1)
    assert_equal 2, server.connections
  end

  def test_nothing_was_sent_where_nobody_answers
    TCPServer.open("127.0.0.1", 0) do |listener|
      %w[off require].each do |tls|
        db = HandlerSocket2.connect("hs://127.0.0.1:#{listener.addr[1]}?tls=#{tls}&connect_timeout=0.1")
        refute assert_raises(HandlerSocket2::TimeoutError) { db.ping }.sent
      end
    end
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

  def test_calls_behind_an_index_without_memory_are_not_sent_nor_is_the_rest_again
    opened = 0
    server = serve do |line|
      line.start_with?("P") && (opened += 1) > 256 ? "1\t1\tmax_memory\n" : "0\t1\n"
    end
    db = client(server)
    results = db.pipeline do |pipeline|
      300.times { |at| pipeline.table(table(db, ["c#{at}"])).insert({ "c#{at}" => 1 }) }
    end
    assert_equal [nil] * 256, results.first(256)
    assert_instance_of HandlerSocket2::OverloadedError, results[256]
    told = results.drop(257).map { |one| [one.class, one.sent] }
    assert_equal [[HandlerSocket2::ConnectionError, false]] * 43, told
    assert_equal 256, server.lines.grep(/\t\+\t/).size
  end

  def test_more_replies_than_requests_are_none_where_an_index_replaces_another
    opened = 0
    server = serve { |line| line.start_with?("P") && (opened += 1) > 256 ? "0\t1\n0\t1\n" : "0\t1\n" }
    db = client(server, retries: 1)
    256.times { |at| table(db, ["c#{at}"]).insert({ "c#{at}" => 1 }) }
    assert_raises(HandlerSocket2::ProtocolError) { table(db, ["other"]).insert({ "other" => 1 }) }
    assert_equal 1, server.connections
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

  def test_the_port_of_another_program_is_told
    sql = ->(socket) { socket.tap { |one| one.write("J\0\0\0\n11.4.2-MariaDB\0") } }
    server = serve(sql) { nil }
    place = "127.0.0.1:#{server.port}"
    error = assert_raises(HandlerSocket2::ProtocolError) { client(server).ping }
    told = "no connection to #{place}: this is no reply; is it HandlerSocket's port, or that of SQL?"
    assert_equal told, error.message
    refute error.sent
    error = assert_raises(HandlerSocket2::ConnectionError) { client(server, { tls: "require", retries: 0 }).ping }
    assert_match(/\Ano TLS with #{place}: /, error.message)
  end

  def test_a_client_that_was_closed_is_no_more
    db = client(serve { |line| usual(line) })
    db.close
    assert_raises(HandlerSocket2::ConnectionError) { db.ping }
  end

  private

  # Makes the idle connection to the write port one that takes no more bytes but seems to be open.
  def break_idle(client)
    idle, = client.instance_variable_get(:@places).write.instance_variable_get(:@idle)
    transport = idle.instance_variable_get(:@transport)
    transport.define_singleton_method(:alive?) { true }
    transport.instance_variable_get(:@socket).tap { |socket| socket.shutdown(:WR) }
  end
end
