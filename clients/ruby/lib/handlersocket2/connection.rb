# frozen_string_literal: true

require_relative "call"
require_relative "login"
require_relative "transport"

module HandlerSocket2
  # A connection that is open and logged in: its features, its open indexes, its pipeline. It is for
  # one thread at a time, and for the process that has opened it.
  # @api private
  class Connection
    MOST_INDEXES = 256
    TRUSTED = 0.1 # Seconds in which an idle connection hardly ever ends.
    private_constant :MOST_INDEXES, :TRUSTED

    # @return [Array<String>]
    attr_reader :features
    # @return [Boolean] whether it cannot be used any more
    attr_accessor :broken
    # @return [Boolean] whether it has changed something of which nobody has asked the GTID
    attr_accessor :changed
    # @return [Boolean] whether another one of its pool has ended since it was used
    attr_accessor :doubtful
    # @return [Float] when it was used last
    attr_reader :used

    # @param address [Address]
    # @param options [Options]
    # @return [Connection] open and logged in
    # @raise [ConnectionError]
    # @raise [ServerError] when the login is refused
    def self.open(address, options)
      deadline = Transport.deadline(options.connect_timeout)
      made = new(Transport.connect(address, deadline))
      made.log_in(address, options)
      done = true
      made
    rescue ConnectionError => e
      e.sent = false
      raise
    ensure
      made&.close unless done
    end

    # @param transport [Transport]
    def initialize(transport)
      @transport = transport
      @reader = Reader.new
      @answers = []
      @indexes = {} # The id of each, the one that was used longest ago first.
      @free = [] # Ids whose index was refused.
      @process = Process.pid
      @used = Transport.now
      @broken = @changed = false
    end

    # Logs in.
    # @return [void]
    def log_in(address, options)
      @features = Login.new(address, options) { |data, number| exchange(data, number) }.features
    rescue ConnectionError => e
      why = @answers.last # why the server has closed it
      raise why if why.is_a?(ServerError)
      raise e unless e.is_a?(ProtocolError) # The others tell the address by themselves.

      raise ProtocolError, "no connection to #{address}: #{e.message}; is it HandlerSocket's port, or that of SQL?"
    end

    # As {#execute} of one call, with less on the way for the index that was used last.
    # @param call [Call]
    # @param deadline [Float, nil]
    # @return [Object] its result, which may be an error
    # @raise [ConnectionError] when it broke before
    def ask(call, deadline)
      return execute([call], deadline).first if @broken || call.feature || !call.index || !call.index.equal?(@last)

      @transport.deadline = deadline
      result(call, exchange(call.line(@last_id), 1).first)
    rescue ConnectionError => e
      e
    ensure
      @answers.clear
      @used = Transport.now
    end

    # @param calls [Array<Call>]
    # @param deadline [Float, nil]
    # @return [Array] the results of the calls in their order, errors in their places. When the
    #   connection breaks, the calls without a reply have that error, and it takes no more.
    # @raise [ConnectionError] when it broke before, and in a process that has not opened it
    def execute(calls, deadline)
      check_process
      raise ConnectionError, "the connection broke before" if @broken # A late reply would be taken for another one.

      results = piece(calls, deadline)
      results.size < calls.size ? pieces(calls, results, deadline) : results
    end

    # @param max_idle [Float] seconds; 0: no limit
    # @return [Boolean] whether it was not used for too long
    def stale?(max_idle, idle = Transport.now - @used)
      max_idle.positive? && idle >= max_idle
    end

    # @param max_idle [Float] seconds; 0: no limit
    # @param changes [Boolean] whether it is for what is not sent again
    # @return [Boolean] whether a connection that is not used can be used. To look takes a call of the
    #   system: a read is not worth it where the connection was used a moment ago.
    def usable?(max_idle, changes)
      idle = Transport.now - @used
      trusted = !changes && idle < TRUSTED && !doubtful
      !@broken && !stale?(max_idle, idle) && (trusted || @transport.alive?)
    end

    # @return [Boolean] whether this process has opened it
    def own?
      @process == Process.pid
    end

    # Closes it.
    # @return [void]
    def close
      @broken = true
      @transport.close
    end

    private

    def check_process
      raise ConnectionError, "the connection belongs to the process that has forked" unless own?
    end

    # The results of the first calls, as many as there is room for their indexes.
    def piece(calls, deadline)
      whole = false
      lines, places, opened = plan(calls)
      lost = talk(lines, deadline) unless lines.empty?
      refused = refuse(opened) unless opened.empty?
      results = Array.new(places.size) do |at|
        call = calls[at]
        place = places[at]
        place.is_a?(Error) ? place : result(call, refused&.[](call.index) || @answers[place] || lost)
      end
      whole = true
      results
    ensure
      @answers = []
      @broken = true unless whole
    end

    # The results of all calls, of which the first ones are there.
    def pieces(calls, results, deadline)
      while results.size < calls.size
        rest = calls.drop(results.size)
        return results.concat([not_sent(results.last)] * rest.size) if @broken

        more = piece(rest, deadline)
        more = replace(rest.first.index, deadline) if more.empty?
        results.concat(more)
      end
      results
    end

    # The error of calls that were not sent any more behind that result.
    def not_sent(last)
      return TimeoutError.new(last.message) if last.is_a?(TimeoutError)

      ConnectionError.new("the connection broke before the call was sent")
    end

    # Opens an index under the id that was used longest ago. When it is refused the old one is still
    # open there, so nothing may be sent behind it before the reply. Its error, if any.
    def replace(line, deadline)
      oldest, id = @indexes.first
      lost = talk([line.sub("0", id.to_s)], deadline)
      lost = not_sent(lost) unless lost.nil? || lost.is_a?(ProtocolError)
      error = lost || refusal(@answers.first)
      @indexes[line] = @indexes.delete(oldest) unless error
      whole = true
      [*error]
    ensure
      @answers = []
      @broken = true unless whole
    end

    # The lines to send; for each call the place of its line or an error; which lines open indexes.
    # It ends in front of a call for whose index there is no room.
    def plan(calls)
      lines = []
      opened = {}
      places = []
      calls.each do |call|
        if lacks?(call.feature)
          places << UnsupportedError.new("the server has no #{call.feature}")
          next
        end
        break if call.index && full_without?(call.index)

        id = index(call.index, lines, opened) if call.index
        lines << call.line(id)
        places << (lines.size - 1)
      end
      [lines, places, opened]
    end

    def full_without?(line)
      @indexes.size >= MOST_INDEXES && !@indexes.key?(line)
    end

    def lacks?(feature)
      feature && !@features.include?(feature)
    end

    # The id of an index. One that is not open is opened by a further line.
    def index(line, lines, opened)
      return @last_id if line.equal?(@last)

      id = @indexes.delete(line)
      if id.nil?
        id = @free.pop || @indexes.size
        opened[lines.size] = line
        lines << line.sub("0", id.to_s)
      end
      @last = line
      @last_id = @indexes[line] = id
    end

    # The error with which the connection broke, if it did.
    def talk(lines, deadline)
      @transport.deadline = deadline
      exchange(lines.join, lines.size)
      nil
    rescue ConnectionError => e
      e
    ensure
      @used = Transport.now
    end

    # Sends lines, and returns their answers.
    def exchange(data, number)
      @answers = []
      whole = false
      @transport.send(data) { |piece| take(piece) }
      take(@transport.receive) while @answers.size < number
      raise ProtocolError, "more replies than requests" if @answers.size > number || @reader.rest.positive?

      whole = !ServerError.ends_connection?(@answers.last)
      @answers
    ensure
      @broken = true unless whole
    end

    def take(piece)
      @answers.concat(@reader.feed(piece))
    end

    # Forgets the indexes that the server has refused, and returns the errors.
    def refuse(opened)
      errors = opened.to_h { |place, line| [line, refusal(@answers[place])] }.compact
      @last = nil unless errors.empty?
      errors.each_key { |line| @free << @indexes.delete(line) }
    end

    # The error that the answer to the opening of an index is, if it is one.
    def refusal(answer)
      return answer unless answer.is_a?(Reply)

      answer.nothing
      nil
    rescue ProtocolError => e
      @broken = true
      e
    end

    def result(call, answer)
      return answer unless answer.is_a?(Reply)

      call.decode(answer)
    rescue ProtocolError => e
      @broken = true
      e
    end
  end
end
