# frozen_string_literal: true

require_relative "fake_server"
require "minitest/mock"

# Connections that threads and processes share, or wait for.
class TestPools < FakeServerTest
  AB = { "a" => "ab" }.freeze

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

  # Kills the thread of the block at its line of this number within the client. Whether it came so far.
  def killed_at?(number)
    killed = false
    thread = nil
    trace = TracePoint.new(:line) do |at|
      next if Thread.current != thread || killed || !at.path.include?("/lib/handlersocket2/")
      next unless (number -= 1).zero?

      killed = true
      Thread.handle_interrupt(Object => :never) { Thread.new { thread.kill }.join }
    end
    start = Queue.new
    thread = Thread.new { start.pop && yield }
    trace.enable { start.push(true) && thread.join }
    killed
  end

  def test_a_thread_that_is_killed_anywhere_takes_no_place
    db = client(serve { |line| usual(line) }, pool_size: 1, timeout: 5)
    user = table(db)
    work = -> { db.transaction { |transaction| transaction.table(user).get(1) } && user.get(1) }
    number = 1
    number += 1 while killed_at?(number, &work)
    assert_operator number, :>, 100
    assert_equal [AB, AB], [db.transaction { |transaction| transaction.table(user).get(1) }, user.get(1)]
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
    user = table(client(server, max_idle: 60))
    2.times { assert_equal AB, user.get(1) }
    assert_equal 1, server.connections
    HandlerSocket2::Transport.stub(:now, HandlerSocket2::Transport.now + 61) { assert_equal AB, user.get(1) }
    assert_equal 2, server.connections
  end

  def test_connections_that_are_idle_are_closed_when_another_one_is_given_back
    server = serve { |line| usual(line) }
    db = client(server, max_idle: 60)
    last, *others = Array.new(3) { db.transaction }
    others.each(&:commit)
    HandlerSocket2::Transport.stub(:now, HandlerSocket2::Transport.now + 61) { last.commit }
    assert_equal 1, db.instance_variable_get(:@places).write.instance_variable_get(:@idle).size
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
