# frozen_string_literal: true

module HandlerSocket2
  # The highest GTID of each source that a client's changes have: of a domain of MariaDB, of a UUID and tag of MySQL.
  # It is safe for threads.
  # @api private
  class Gtids
    # `domain-server-number`, `uuid:number` or `uuid:tag:number`.
    FORM = /
      \A(?:(?<domain>[0-9]{1,10})-[0-9]{1,10}-(?<number>[0-9]{1,20})
      |(?<uuid>[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}(?::[a-z_][a-z0-9_]{0,31})?):(?<number>[0-9]{1,19}))\z
    /x

    # Makes it without any.
    def initialize
      @lock = Mutex.new
      @last = {}
    end

    # Takes notice of the GTID of a change, as `G L` tells it; empty without one.
    # @param gtid [String]
    # @return [void]
    def note(gtid)
      parts = FORM.match(gtid)
      return if parts.nil?

      source = parts[:domain] || parts[:uuid]
      @lock.synchronize { @last[source] = [@last[source], [parts[:number].to_i, gtid]].compact.max }
    end

    # @return [String] with commas between them, as `G W` takes them
    def to_s
      @lock.synchronize { @last.values.map(&:last).join(",") }
    end
  end
end
