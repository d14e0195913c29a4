# frozen_string_literal: true

module HandlerSocket2
  # The last GTID of each domain that a client's changes have. It is safe for threads.
  # @api private
  class Gtids
    # Makes it without any.
    def initialize
      @lock = Mutex.new
      @last = {}
    end

    # Takes notice of the GTID of a change, as `G L` tells it; empty without one.
    # @param gtid [String]
    # @return [void]
    def note(gtid)
      domain, _, number = gtid.split("-").map(&:to_i)
      return if number.nil?

      @lock.synchronize do
        @last[domain] = [number, gtid] unless @last.key?(domain) && @last[domain].first > number
      end
    end

    # @return [String] with commas between them, as `G W` takes them
    def to_s
      @lock.synchronize { @last.values.map(&:last).join(",") }
    end
  end
end
