# frozen_string_literal: true

require_relative "connection"

module HandlerSocket2
  # The connections of this process to one place. It is safe for threads, and empty behind a fork.
  # @api private
  class Pool
    WAITING = { Object => :on_blocking }.freeze
    AT_ONCE = { Object => :immediate }.freeze
    NEVER = { Object => :never }.freeze
    private_constant :WAITING, :AT_ONCE, :NEVER

    # @param address [Address]
    # @param options [Options]
    def initialize(address, options)
      @address = address
      @options = options
      @pool_size = options.pool_size
      @max_idle = options.max_idle
      @lock = Mutex.new
      @returned = ConditionVariable.new
      @closed = false
      reset
    end

    # Lends a connection; the one that was used last, if one is idle.
    # @param deadline [Float, nil] until when to wait for one
    # @yieldparam connection [Connection]
    # @return [Object] what the block returns
    # @raise [ConnectionError]
    def with(deadline, changes: false)
      # An interrupt of the thread, as by Timeout, comes between no two steps of taking and giving back.
      Thread.handle_interrupt(WAITING) do
        connection = take(deadline, changes: changes)
        begin
          Thread.handle_interrupt(AT_ONCE) { yield connection }
        ensure
          Thread.handle_interrupt(NEVER) { put_back(connection) }
        end
      end
    end

    # @param deadline [Float, nil] until when to wait for one
    # @param changes [Boolean] whether it is for what is not sent again
    # @return [Connection] to be given back
    # @raise [ConnectionError]
    def take(deadline, changes: true)
      found = reserve(deadline)
      begin
        taken = usable(found, changes) || Connection.open(@address, @options)
      ensure
        release unless taken
      end
    end

    # Takes back what {#take} gave.
    # @param connection [Connection]
    # @return [void]
    def give_back(connection)
      connection.own? ? put_back(connection) : connection.close
    end

    # Lends each idle connection that has changed something of which nobody has asked the GTID.
    # @yieldparam connection [Connection]
    # @return [Array] what the block returns for each
    def map_changed(&block)
      lent = @lock.synchronize do
        reset unless @process == Process.pid
        found = @idle.select(&:changed)
        @idle -= found
        @taken += found.size
        found
      end
      lent.map(&block)
    ensure
      lent&.each { |connection| give_back(connection) }
    end

    # Closes what is idle, and the rest as it comes back.
    # @return [void]
    def close
      idle = @lock.synchronize do
        @closed = true
        found = @idle
        @idle = []
        found
      end
      idle.each(&:close)
    end

    private

    # Those of the process that has forked belong to it; here only their descriptors are closed.
    def reset
      @idle&.each(&:close)
      @idle = []
      @taken = 0
      @process = Process.pid
    end

    # Takes back what this process has taken.
    def put_back(connection)
      ended = @lock.synchronize do
        keep = !connection.broken && !@closed
        @idle.each { |one| one.doubtful = true } if connection.broken
        connection.doubtful = false
        @idle.push(connection) if keep
        @taken -= 1
        @returned.signal
        old = stale if @idle.size > 1 && @idle.first.stale?(@max_idle)
        keep ? old : [connection, *old]
      end
      ended&.each(&:close)
    end

    # Waits until one connection more may be used, and returns one that is idle, if there is any.
    def reserve(deadline)
      @lock.synchronize do
        reset unless @process == Process.pid
        while @taken >= @pool_size
          left = deadline && (deadline - Transport.now)
          raise TimeoutError, "every connection to #{@address} is in use" if left && left <= 0

          @returned.wait(@lock, left)
        end
        @taken += 1
        @idle.pop
      end
    end

    # This idle connection, or the next one that can be used.
    def usable(found, changes)
      while found
        return found if found.usable?(@max_idle, changes)

        found.close
        found = @lock.synchronize { @idle.pop }
      end
    end

    def release
      @lock.synchronize do
        @taken -= 1
        @returned.signal
      end
    end

    # Those that were not used for too long, and are idle no more. The oldest is the first.
    def stale
      @idle.shift(@idle.index { |one| !one.stale?(@max_idle) } || @idle.size)
    end
  end
end
